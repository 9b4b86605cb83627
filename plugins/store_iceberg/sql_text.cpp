#include "plugins/store_iceberg/sql_text.h"

#include "framework/api/table.h"

namespace ivm::store_iceberg {

QString text(const QString &value)
{
    return QStringLiteral("CAST(") + quotedLiteral(value) + QStringLiteral(" AS varchar)");
}

QString textOrNull(const QString &value)
{
    return value.isEmpty() ? QStringLiteral("CAST(NULL AS varchar)") : text(value);
}

QString number(qint64 value) { return QStringLiteral("CAST('%1' AS bigint)").arg(value); }

QString time(const QDateTime &value)
{
    const QString type = QStringLiteral(" AS timestamp(6) with time zone)");
    if (!value.isValid())
        return QStringLiteral("CAST(NULL") + type;
    return QStringLiteral("CAST(TIMESTAMP '") +
           value.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz")) +
           QStringLiteral(" UTC'") + type;
}

QString rowOf(const QStringList &values)
{
    return QStringLiteral("(") + values.join(QStringLiteral(", ")) + u')';
}

QString valuesOf(const QStringList &rows)
{
    return QStringLiteral("VALUES\n") + rows.join(QStringLiteral(",\n"));
}

QString assignments(const QString &columns, qsizetype keys)
{
    QStringList all;
    for (const auto &column : columns.split(QStringLiteral(", ")).sliced(keys))
        all.append(column + QStringLiteral(" = s.") + column);
    return all.join(QStringLiteral(", "));
}

QString sourceColumns(const QString &columns)
{
    return QStringLiteral("s.") +
           QString(columns).replace(QStringLiteral(", "), QStringLiteral(", s."));
}

}  // namespace ivm::store_iceberg
