// An aggregate that keeps a Trino busy long enough to be caught at it.
//
// Pure; any thread.
#pragma once

#include <QString>

namespace ivm::test {

// Some minutes for two thousand rows of a bigint column.
inline QString slowMaximum(const QString &column)
{
    return QStringLiteral("max(reduce(sequence(1, 10000), %1, (s, p) -> s + reduce(sequence(1, "
                          "1000), p, (t, q) -> t + q, t -> t), s -> s))")
        .arg(column);
}

}  // namespace ivm::test
