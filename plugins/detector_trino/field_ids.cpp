#include "plugins/detector_trino/field_ids.h"

#include "framework/base/json.h"
#include "plugins/detector_trino/cells.h"

namespace ivm::trino {

namespace {

// The details of every node of a plan; plans of one table are a handful of nodes deep.
constexpr int kMaxDepth = 100;

void collectDetails(const QJsonObject &node, QStringList &details, int depth)
{
    if (depth > kMaxDepth)
        return;
    for (const auto &detail : node.value(u"details").toArray())
        details.append(detail.toString());
    for (const auto &child : node.value(u"children").toArray())
        collectDetails(child.toObject(), details, depth + 1);
}

}  // namespace

Result<TableFields> TableFields::fromPlan(const QByteArray &plan)
{
    IVM_TRY(const auto root, json::parseObject(plan, u"Trino's plan"));
    QStringList details;
    collectDetails(root, details, 0);
    TableFields fields;
    for (const auto &detail : details) {
        const QString handle = detail.section(QStringLiteral(" := "), 1);
        const qsizetype colon = handle.indexOf(u':');
        bool ok = false;
        const int id = handle.left(colon).toInt(&ok);
        if (ok && colon > 0 && id > 0)
            fields.m_fields.append({id, handle.sliced(colon + 1)});
    }
    return fields;
}

std::optional<Column> TableFields::find(const QString &name) const
{
    const QString wanted = name.toLower() + u':';
    for (const auto &field : m_fields) {
        if (!field.nameAndType.startsWith(wanted, Qt::CaseInsensitive))
            continue;
        // "a" is not the column "a:b": what follows the name is a type.
        if (const auto type = parseType(QStringView(field.nameAndType).sliced(wanted.size())))
            return Column{.name = name, .type = *type, .fieldId = field.id};
    }
    return {};
}

QList<Column> TableFields::columnsOf(const QStringList &names) const
{
    QList<Column> columns;
    for (const auto &name : names) {
        if (const auto column = find(name))
            columns.append(*column);
    }
    return columns;
}

Result<TableFields> readFields(Session &session, const TableName &table, const Call &call)
{
    const QString sql =
        QStringLiteral("EXPLAIN (TYPE LOGICAL, FORMAT JSON) SELECT * FROM ") + table.quoted();
    IVM_TRY(const auto rows, query(session, sql, call));
    const QString plan = rows.rows.empty() ? QString() : textIn(rows.rows.front(), 0);
    IVM_TRY(auto fields, TableFields::fromPlan(plan.toUtf8()));
    if (fields.isEmpty())
        return fail(corruptError(
            QStringLiteral("Trino's plan names no field ids of %1").arg(table.text())));
    return fields;
}

}  // namespace ivm::trino
