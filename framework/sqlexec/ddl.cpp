#include "framework/sqlexec/ddl.h"

#include "framework/sqlexec/type_sql.h"

namespace ivm {

namespace {

const QString kSeparator = QStringLiteral(",\n");

Result<QString> columnSql(const Column &column)
{
    auto type = columnType(column.type);
    if (!type)
        return fail(
            std::move(type).error().during(QString(QStringLiteral("column ") + column.name)));
    QString out = QStringLiteral("    ") + quotedIdentifier(column.name) + u' ' + typeSql(*type);
    if (!column.nullable)
        out += QStringLiteral(" NOT NULL");
    if (!column.comment.isEmpty())
        out += QStringLiteral(" COMMENT ") + quotedLiteral(column.comment);
    return out;
}

QStringList properties(const TableSpec &spec, const QMap<QString, QString> &further)
{
    QStringList out;
    if (!spec.format.isEmpty())
        out.append(QStringLiteral("    format = ") + quotedLiteral(spec.format.toUpper()));
    QStringList fields;
    for (const auto &field : spec.partitioning)
        fields.append(field.text());
    if (!fields.isEmpty())
        out.append(QStringLiteral("    partitioning = ") + arraySql(fields));
    if (!spec.sortedBy.isEmpty())
        out.append(QStringLiteral("    sorted_by = ") + arraySql(spec.sortedBy));
    for (auto it = further.cbegin(); it != further.cend(); ++it)
        out.append(QStringLiteral("    ") + quotedIdentifier(it.key()) + QStringLiteral(" = ") +
                   it.value());
    return out;
}

// COMMENT and WITH, each on lines of its own; empty where there is neither.
QString tableOptions(const TableSpec &spec, const QMap<QString, QString> &further = {})
{
    QString sql;
    if (!spec.comment.isEmpty())
        sql += QStringLiteral("\nCOMMENT ") + quotedLiteral(spec.comment);
    if (const auto lines = properties(spec, further); !lines.isEmpty())
        sql += QStringLiteral("\nWITH (\n") + lines.join(kSeparator) + QStringLiteral("\n)");
    return sql;
}

}  // namespace

QString arraySql(const QStringList &texts)
{
    QStringList literals;
    for (const auto &text : texts)
        literals.append(quotedLiteral(text));
    return QStringLiteral("ARRAY[") + literals.join(QStringLiteral(", ")) + u']';
}

Result<QString> createTableSql(const TableSpec &spec, const QMap<QString, QString> &further)
{
    if (spec.columns.isEmpty())
        return fail(invalidError(
            QStringLiteral("table %1 cannot be made without columns").arg(spec.name.text())));
    QStringList columns;
    for (const auto &column : spec.columns) {
        IVM_TRY(const QString line, columnSql(column));
        columns.append(line);
    }
    return QString(QStringLiteral("CREATE TABLE ") + spec.name.quoted() + QStringLiteral(" (\n") +
                   columns.join(kSeparator) + QStringLiteral("\n)") + tableOptions(spec, further));
}

QString replaceTableAsSql(const TableSpec &spec, const QString &query)
{
    return QStringLiteral("CREATE OR REPLACE TABLE ") + spec.name.quoted() + tableOptions(spec) +
           QStringLiteral("\nAS\n") + query;
}

QString rollbackSql(const TableName &table, SnapshotId snapshot)
{
    return QStringLiteral("ALTER TABLE %1 EXECUTE rollback_to_snapshot(%2)")
        .arg(table.quoted(), QString::number(snapshot));
}

QString renameTableSql(const TableName &from, const TableName &to)
{
    return QStringLiteral("ALTER TABLE ") + from.quoted() + QStringLiteral(" RENAME TO ") +
           to.quoted();
}

QString createSchemaSql(const TableName &table)
{
    return QStringLiteral("CREATE SCHEMA IF NOT EXISTS ") + quotedIdentifier(table.catalog) + u'.' +
           quotedIdentifier(table.schema);
}

QString dropTableSql(const TableName &table)
{
    return QStringLiteral("DROP TABLE ") + table.quoted();
}

}  // namespace ivm
