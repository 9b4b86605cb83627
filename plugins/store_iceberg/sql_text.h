// Pieces of the statements of both stores, in Trino's language.
//
// Pure functions; any thread. Everything from outside is written as a quoted literal.
#pragma once

#include <QDateTime>
#include <QStringList>

namespace ivm::store_iceberg {

// Values of their columns' types.
QString text(const QString &value);
QString textOrNull(const QString &value);  // NULL where there is nothing to say
QString number(qint64 value);
QString time(const QDateTime &value);  // NULL where it is none

QString rowOf(const QStringList &values);
QString valuesOf(const QStringList &rows);

// The list in pieces whose rows fit into one statement each. Trino takes statements of 1,000,000
// characters (query.max-length), and rows of VALUES cost it time.
template <typename T>
QList<QList<T>> inPieces(const QList<T> &list, QString (*row)(const T &))
{
    constexpr qsizetype kMostCharacters = 500'000;
    constexpr qsizetype kMostRows = 500;
    QList<QList<T>> out;
    qsizetype size = 0;
    for (const auto &one : list) {
        const qsizetype length = row(one).size();
        if (out.isEmpty() || size + length > kMostCharacters || out.back().size() == kMostRows) {
            out.append(QList<T>());
            size = 0;
        }
        out.back().append(one);
        size += length;
    }
    return out;
}

// Of a list of quoted columns: `"a" = s."a", …` of all but the first `keys`; `s."a", …`.
QString assignments(const QString &columns, qsizetype keys);
QString sourceColumns(const QString &columns);

}  // namespace ivm::store_iceberg
