#include "plugins/detector_trino/field_ids.h"

#include "framework/base/json.h"
#include "plugins/detector_trino/cells.h"

namespace ivm::trino {

namespace {

// Plans of one table are a handful of nodes deep.
constexpr int kMaxDepth = 100;

// The types of a node's symbols.
QHash<QString, Type> outputTypes(const QJsonObject &node)
{
    QHash<QString, Type> types;
    for (const auto &output : node.value(u"outputs").toArray()) {
        const auto symbol = output.toObject();
        if (const auto type = parseType(symbol.value(u"type").toString()))
            types.insert(symbol.value(u"name").toString(), *type);
    }
    return types;
}

// Whether a type's text, in which names are not quoted, can be that of `type`.
bool mayBe(QStringView text, const Type &type)
{
    if (!type.isNested()) {
        const auto parsed = parseType(text);
        return parsed && *parsed == type;
    }
    const QString word = type.text().section(u'(', 0, 0) + u'(';
    return text.startsWith(word) && text.endsWith(u')');
}

}  // namespace

void TableFields::collect(const QJsonObject &node, QList<Field> &fields, int depth)
{
    if (depth > kMaxDepth)
        return;
    const auto types = outputTypes(node);
    for (const auto &value : node.value(u"details").toArray()) {
        const QString detail = value.toString();
        const QString handle = detail.section(QStringLiteral(" := "), 1);
        const qsizetype colon = handle.indexOf(u':');
        bool ok = false;
        const int id = handle.left(colon).toInt(&ok);
        const auto type = types.constFind(detail.section(QStringLiteral(" := "), 0, 0));
        if (ok && colon > 0 && id > 0 && type != types.cend())
            fields.append({id, handle.sliced(colon + 1), *type});
    }
    for (const auto &child : node.value(u"children").toArray())
        collect(child.toObject(), fields, depth + 1);
}

Result<TableFields> TableFields::fromPlan(const QByteArray &plan)
{
    IVM_TRY(const auto root, json::parseObject(plan, u"Trino's plan"));
    TableFields fields;
    collect(root, fields.m_fields, 0);
    return fields;
}

std::optional<Column> TableFields::find(const QString &name) const
{
    const QString wanted = name.toLower() + u':';
    for (const auto &field : m_fields) {
        // "a" is not the column "a:b": what follows the name is the type.
        if (field.nameAndType.startsWith(wanted, Qt::CaseInsensitive) &&
            mayBe(QStringView(field.nameAndType).sliced(wanted.size()), field.type))
            return Column{.name = name, .type = field.type, .fieldId = field.id};
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

Result<TableFields> readFields(Session &session, const TableName &table,
                               std::optional<SnapshotId> at, const Call &call)
{
    QString sql =
        QStringLiteral("EXPLAIN (TYPE LOGICAL, FORMAT JSON) SELECT * FROM ") + table.quoted();
    if (at)
        sql += QStringLiteral(" FOR VERSION AS OF %1").arg(*at);
    IVM_TRY(const auto rows, query(session, sql, call));
    const QString plan = rows.rows.empty() ? QString() : textIn(rows.rows.front(), 0);
    IVM_TRY(auto fields, TableFields::fromPlan(plan.toUtf8()));
    if (fields.isEmpty())
        return fail(corruptError(
            QStringLiteral("Trino's plan names no field ids of %1").arg(table.text())));
    return fields;
}

Result<TableFields> FieldCache::ofHead(Session &session, const TableName &table,
                                       const TableHead &head, const Call &call)
{
    return fields(head.token, session, table, {}, call);
}

Result<TableFields> FieldCache::ofSnapshot(Session &session, const TableName &table,
                                           const TableHead &head, SnapshotId snapshot,
                                           const Call &call)
{
    const QString state =
        head.tableId.isEmpty()
            ? QString()
            : QStringLiteral("%1@%2").arg(head.tableId, QString::number(snapshot));
    return fields(state, session, table, snapshot, call);
}

Result<TableFields> FieldCache::fields(const QString &state, Session &session,
                                       const TableName &table, std::optional<SnapshotId> at,
                                       const Call &call)
{
    const auto read = [&] { return readFields(session, table, at, call); };
    return state.isEmpty() ? read() : m_known.get(state, read);
}

}  // namespace ivm::trino
