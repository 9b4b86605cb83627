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

// Of a list of quoted columns: `"a" = s."a", …` of all but the first `keys`; `s."a", …`.
QString assignments(const QString &columns, qsizetype keys);
QString sourceColumns(const QString &columns);

}  // namespace ivm::store_iceberg
