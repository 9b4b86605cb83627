#include "framework/migrate/operation_yaml.h"

#include "framework/base/overloaded.h"
#include "framework/sql/parser.h"

#include <QJsonArray>

namespace ivm::migrate {

namespace {

using Entries = std::vector<yaml::Entry>;
using yaml::entryNode;
using yaml::listNode;
using yaml::plainNode;
using yaml::textNode;

const QString kTable = QStringLiteral("table");
const QString kName = QStringLiteral("name");
const QString kQuery = QStringLiteral("query");
const QString kTarget = QStringLiteral("target_table");

yaml::Entry textEntry(const QString &key, const QString &text)
{
    return entryNode(key, textNode(text));
}

yaml::Entry flagEntry(const QString &key, bool value)
{
    return entryNode(key, plainNode(value ? QStringLiteral("true") : QStringLiteral("false")));
}

yaml::Entry sqlEntry(const QString &key, const QString &sql)
{
    return entryNode(key, yaml::blockNode(sql));
}

Entries viewEntries(const ViewSpec &spec, const TableName &defaults)
{
    Entries out{textEntry(kName, spec.name), sqlEntry(kQuery, spec.query)};
    const QJsonObject rest = entryOf(spec, defaults);
    for (auto it = rest.begin(); it != rest.end(); ++it) {
        if (it.key() == kTarget)
            out.push_back(textEntry(kTarget, shortName(spec.target, defaults)));
        else if (it.key() != kName && it.key() != kQuery)
            out.push_back(entryNode(it.key(), yaml::nodeOf(it.value())));
    }
    return out;
}

Entries columnEntries(const Column &column)
{
    Entries out{textEntry(kName, column.name),
                textEntry(QStringLiteral("type"), column.type.text())};
    if (!column.nullable)
        out.push_back(flagEntry(QStringLiteral("nullable"), false));
    if (!column.comment.isEmpty())
        out.push_back(textEntry(QStringLiteral("comment"), column.comment));
    return out;
}

yaml::Entry partitioningEntry(const QList<PartitionField> &fields)
{
    QStringList texts;
    for (const auto &field : fields)
        texts.append(field.text());
    return entryNode(QStringLiteral("partitioning"), listNode(texts));
}

yaml::Entry sortedByEntry(const QStringList &columns)
{
    return entryNode(QStringLiteral("sorted_by"), listNode(columns));
}

// The value whose literal it is.
yaml::Node propertyNode(const std::optional<QString> &literal)
{
    if (!literal)
        return {};
    const auto parsed = sql::parseExpression(*literal);
    if (!parsed)
        return textNode(*literal);
    if (const auto *text = sql::as<sql::StringLiteral>(*parsed))
        return textNode(text->value);
    const auto *array = sql::as<sql::ArrayConstructor>(*parsed);
    if (!array)
        return plainNode(*literal);
    QStringList items;
    for (const auto &item : array->items) {
        const auto *text = sql::as<sql::StringLiteral>(item);
        items.append(text ? text->value : QString());
    }
    return listNode(items);
}

yaml::Entry propertiesEntry(const Properties &properties)
{
    yaml::Node map = yaml::mapNode({});
    for (auto it = properties.cbegin(); it != properties.cend(); ++it)
        map.entries.push_back(entryNode(it.key(), propertyNode(it.value())));
    return entryNode(QStringLiteral("properties"), map);
}

Entries createTableEntries(const CreateTable &node, const TableName &defaults)
{
    const TableSpec usual;
    Entries out{textEntry(kName, shortName(node.spec.name, defaults))};
    yaml::Node columns = listNode({});
    for (const auto &column : node.spec.columns)
        columns.items.push_back(yaml::mapNode(columnEntries(column)));
    out.push_back(entryNode(QStringLiteral("columns"), columns));
    if (!node.spec.partitioning.isEmpty())
        out.push_back(partitioningEntry(node.spec.partitioning));
    if (!node.spec.sortedBy.isEmpty())
        out.push_back(sortedByEntry(node.spec.sortedBy));
    if (node.spec.format != usual.format)
        out.push_back(textEntry(QStringLiteral("format"), node.spec.format));
    if (!node.spec.comment.isEmpty())
        out.push_back(textEntry(QStringLiteral("comment"), node.spec.comment));
    if (!node.properties.isEmpty())
        out.push_back(propertiesEntry(node.properties));
    return out;
}

Entries alterColumnEntries(const AlterColumn &node, const QString &table)
{
    Entries out{textEntry(kTable, table), textEntry(kName, node.column)};
    if (node.type)
        out.push_back(textEntry(QStringLiteral("type"), node.type->text()));
    if (node.dropNotNull)
        out.push_back(flagEntry(QStringLiteral("nullable"), true));
    if (node.comment)
        out.push_back(textEntry(QStringLiteral("comment"), *node.comment));
    return out;
}

QString shortSchema(const TableName &name, const TableName &defaults)
{
    const TableName inIt{name.catalog, name.schema, QStringLiteral("t")};
    return shortName(inIt, {defaults.catalog, QString(), QString()}).chopped(2);
}

Entries fromTo(const QString &from, const QString &to)
{
    return {textEntry(QStringLiteral("from"), from), textEntry(QStringLiteral("to"), to)};
}

Entries entriesOf(const Operation &operation, const TableName &defaults)
{
    const auto name = [&](const TableName &table) { return shortName(table, defaults); };
    const auto ofTable = [&](const TableName &table, Entries rest) {
        rest.insert(rest.begin(), textEntry(kTable, name(table)));
        return rest;
    };
    const Overloaded entries{
        [&](const CreateView &node) { return viewEntries(node.spec, defaults); },
        [&](const ReplaceView &node) {
            Entries out = viewEntries(node.spec, defaults);
            if (!node.verify)
                out.push_back(flagEntry(QStringLiteral("verify"), false));
            return out;
        },
        [](const RestoreView &node) { return Entries{textEntry(kName, node.name)}; },
        [](const DropView &node) {
            Entries out{textEntry(kName, node.name)};
            if (node.dropTarget)
                out.push_back(flagEntry(QStringLiteral("drop_target"), true));
            return out;
        },
        [](const RenameView &node) { return fromTo(node.from, node.to); },
        [](const Backfill &node) { return Entries{textEntry(QStringLiteral("view"), node.view)}; },
        [&](const CreateSchema &node) {
            return Entries{textEntry(kName, shortSchema(node.name, defaults))};
        },
        [&](const DropSchema &node) {
            return Entries{textEntry(kName, shortSchema(node.name, defaults))};
        },
        [&](const CreateTable &node) { return createTableEntries(node, defaults); },
        [&](const DropTable &node) { return Entries{textEntry(kName, name(node.name))}; },
        [&](const RenameTable &node) { return fromTo(name(node.from), name(node.to)); },
        [&](const AddColumn &node) { return ofTable(node.table, columnEntries(node.column)); },
        [&](const DropColumn &node) {
            return ofTable(node.table, {textEntry(kName, node.column)});
        },
        [&](const RenameColumn &node) { return ofTable(node.table, fromTo(node.from, node.to)); },
        [&](const AlterColumn &node) { return alterColumnEntries(node, name(node.table)); },
        [&](const SetPartitioning &node) {
            return ofTable(node.table, {partitioningEntry(node.partitioning)});
        },
        [&](const SetSortOrder &node) {
            return ofTable(node.table, {sortedByEntry(node.sortedBy)});
        },
        [&](const SetProperties &node) {
            return ofTable(node.table, {propertiesEntry(node.properties)});
        },
        [](const Sql &node) {
            Entries out{sqlEntry(QStringLiteral("statement"), node.statement)};
            if (!node.undo.isEmpty())
                out.push_back(sqlEntry(QStringLiteral("undo"), node.undo));
            return out;
        }};
    return std::visit(entries, operation);
}

}  // namespace

QString shortName(const TableName &name, const TableName &defaults)
{
    const QString text = name.text();
    if (name.catalog != defaults.catalog)
        return text;
    const bool isInDefault = name.schema == defaults.schema;
    // "catalog.schema." or "catalog." before the rest.
    const TableName inIt{name.catalog, name.schema, QStringLiteral("t")};
    const TableName inCatalog{name.catalog, QStringLiteral("s"), QStringLiteral("t")};
    return text.sliced(isInDefault ? inIt.text().size() - 1 : inCatalog.text().size() - 3);
}

yaml::Node stepNode(const Operation &operation, const TableName &defaults)
{
    return yaml::mapNode(
        {entryNode(operationName(operation), yaml::mapNode(entriesOf(operation, defaults)))});
}

}  // namespace ivm::migrate
