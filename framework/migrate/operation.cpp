#include "framework/migrate/operation.h"

#include "framework/base/overloaded.h"
#include "framework/sql/parser.h"
#include "framework/sqlexec/ddl.h"
#include "framework/sqlexec/type_sql.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

QString alterTable(const TableName &table)
{
    return QStringLiteral("ALTER TABLE ") + table.quoted() + u' ';
}

QString schemaSql(const TableName &name)
{
    return quotedIdentifier(name.catalog) + u'.' + quotedIdentifier(name.schema);
}

QString schemaText(const TableName &name)
{
    return TableName{name.catalog, name.schema, QStringLiteral("t")}.text().chopped(2);
}

QString setProperties(const TableName &table, const Properties &properties)
{
    QStringList assignments;
    for (auto it = properties.cbegin(); it != properties.cend(); ++it)
        assignments.append(QString(quotedIdentifier(it.key()) + QStringLiteral(" = ") +
                                   it.value().value_or(QStringLiteral("DEFAULT"))));
    return alterTable(table) + QStringLiteral("SET PROPERTIES ") +
           assignments.join(QStringLiteral(", "));
}

Result<QStringList> createTable(const CreateTable &node)
{
    QMap<QString, QString> properties;
    for (auto it = node.properties.cbegin(); it != node.properties.cend(); ++it) {
        if (*it)
            properties.insert(it.key(), **it);
    }
    IVM_TRY(const QString create, createTableSql(node.spec, properties));
    return QStringList{create};
}

Result<QStringList> addColumn(const AddColumn &node)
{
    IVM_TRY(const Type type, columnType(node.column.type));
    QString sql = alterTable(node.table) + QStringLiteral("ADD COLUMN ") +
                  quotedIdentifier(node.column.name) + u' ' + typeSql(type);
    if (!node.column.nullable)
        sql += QStringLiteral(" NOT NULL");
    if (!node.column.comment.isEmpty())
        sql += QStringLiteral(" COMMENT ") + quotedLiteral(node.column.comment);
    return QStringList{sql};
}

Result<QStringList> alterColumn(const AlterColumn &node)
{
    const QString alter =
        alterTable(node.table) + QStringLiteral("ALTER COLUMN ") + quotedIdentifier(node.column);
    QStringList out;
    if (node.type) {
        IVM_TRY(const Type type, columnType(*node.type));
        out.append(QString(alter + QStringLiteral(" SET DATA TYPE ") + typeSql(type)));
    }
    if (node.dropNotNull)
        out.append(QString(alter + QStringLiteral(" DROP NOT NULL")));
    if (node.comment) {
        const QString text =
            node.comment->isEmpty() ? QStringLiteral("NULL") : quotedLiteral(*node.comment);
        out.append(QString(QStringLiteral("COMMENT ON COLUMN ") + node.table.quoted() + u'.' +
                           quotedIdentifier(node.column) + QStringLiteral(" IS ") + text));
    }
    return out;
}

QStringList partitioningTexts(const QList<PartitionField> &fields)
{
    QStringList out;
    for (const auto &field : fields)
        out.append(field.text());
    return out;
}

}  // namespace

QString operationName(const Operation &operation)
{
    static const QStringList names{QStringLiteral("create_view"),
                                   QStringLiteral("replace_view"),
                                   QStringLiteral("restore_view"),
                                   QStringLiteral("drop_view"),
                                   QStringLiteral("rename_view"),
                                   QStringLiteral("backfill"),
                                   QStringLiteral("create_schema"),
                                   QStringLiteral("drop_schema"),
                                   QStringLiteral("create_table"),
                                   QStringLiteral("drop_table"),
                                   QStringLiteral("rename_table"),
                                   QStringLiteral("add_column"),
                                   QStringLiteral("drop_column"),
                                   QStringLiteral("rename_column"),
                                   QStringLiteral("alter_column"),
                                   QStringLiteral("set_partitioning"),
                                   QStringLiteral("set_sort_order"),
                                   QStringLiteral("set_properties"),
                                   QStringLiteral("sql")};
    return names.at(qsizetype(operation.index()));
}

QString operationText(const Operation &operation)
{
    const Overloaded about{
        [](const CreateView &node) { return node.spec.name; },
        [](const ReplaceView &node) { return node.spec.name; },
        [](const RestoreView &node) { return node.name; },
        [](const DropView &node) { return node.name; },
        [](const RenameView &node) { return QString(node.from + u" -> " + node.to); },
        [](const Backfill &node) { return node.view; },
        [](const CreateSchema &node) { return schemaText(node.name); },
        [](const DropSchema &node) { return schemaText(node.name); },
        [](const CreateTable &node) { return node.spec.name.text(); },
        [](const DropTable &node) { return node.name.text(); },
        [](const RenameTable &node) {
            return QString(node.from.text() + u" -> " + node.to.text());
        },
        [](const AddColumn &node) {
            return QString(node.table.text() + u' ' + node.column.name + u' ' +
                           node.column.type.text());
        },
        [](const DropColumn &node) { return QString(node.table.text() + u' ' + node.column); },
        [](const RenameColumn &node) {
            return QString(node.table.text() + u' ' + node.from + u" -> " + node.to);
        },
        [](const AlterColumn &node) { return QString(node.table.text() + u' ' + node.column); },
        [](const SetPartitioning &node) { return node.table.text(); },
        [](const SetSortOrder &node) { return node.table.text(); },
        [](const SetProperties &node) { return node.table.text(); },
        [](const Sql &node) {
            constexpr qsizetype kShown = 60;
            const QString line = node.statement.simplified();
            return line.size() > kShown ? QString(line.first(kShown) + u'…') : line;
        }};
    return operationName(operation) + u' ' + std::visit(about, operation);
}

Result<QStringList> statementsOf(const Operation &operation)
{
    using Out = Result<QStringList>;
    const Overloaded sql{
        [](const CreateView &node) -> Out { return QStringList{node.spec.query}; },
        [](const ReplaceView &node) -> Out { return QStringList{node.spec.query}; },
        [](const RestoreView &) -> Out { return QStringList(); },
        [](const DropView &) -> Out { return QStringList(); },
        [](const RenameView &) -> Out { return QStringList(); },
        [](const Backfill &) -> Out { return QStringList(); },
        [](const CreateSchema &node) -> Out { return QStringList{createSchemaSql(node.name)}; },
        [](const DropSchema &node) -> Out {
            return QStringList{QStringLiteral("DROP SCHEMA ") + schemaSql(node.name)};
        },
        [](const CreateTable &node) -> Out { return createTable(node); },
        [](const DropTable &node) -> Out { return QStringList{dropTableSql(node.name)}; },
        [](const RenameTable &node) -> Out {
            return QStringList{renameTableSql(node.from, node.to)};
        },
        [](const AddColumn &node) -> Out { return addColumn(node); },
        [](const DropColumn &node) -> Out {
            return QStringList{alterTable(node.table) + QStringLiteral("DROP COLUMN ") +
                               quotedIdentifier(node.column)};
        },
        [](const RenameColumn &node) -> Out {
            return QStringList{alterTable(node.table) + QStringLiteral("RENAME COLUMN ") +
                               quotedIdentifier(node.from) + QStringLiteral(" TO ") +
                               quotedIdentifier(node.to)};
        },
        [](const AlterColumn &node) -> Out { return alterColumn(node); },
        [](const SetPartitioning &node) -> Out {
            return QStringList{alterTable(node.table) +
                               QStringLiteral("SET PROPERTIES partitioning = ") +
                               arraySql(partitioningTexts(node.partitioning))};
        },
        [](const SetSortOrder &node) -> Out {
            return QStringList{alterTable(node.table) +
                               QStringLiteral("SET PROPERTIES sorted_by = ") +
                               arraySql(node.sortedBy)};
        },
        [](const SetProperties &node) -> Out {
            return QStringList{setProperties(node.table, node.properties)};
        },
        [](const Sql &node) -> Out { return QStringList{node.statement}; }};
    return std::visit(sql, operation);
}

std::optional<QList<Operation>> inverseOf(const Operation &operation)
{
    using Out = std::optional<QList<Operation>>;
    const auto one = [](Operation inverse) -> Out { return QList<Operation>{std::move(inverse)}; };
    const Overloaded inverse{
        [&](const CreateView &node) { return one(DropView{node.spec.name, true}); },
        [&](const ReplaceView &node) { return one(RestoreView{node.spec.name}); },
        [&](const RenameView &node) { return one(RenameView{node.to, node.from}); },
        [](const Backfill &) -> Out { return QList<Operation>(); },
        [&](const CreateSchema &node) { return one(DropSchema{node.name}); },
        [&](const DropSchema &node) { return one(CreateSchema{node.name}); },
        [&](const CreateTable &node) { return one(DropTable{node.spec.name}); },
        [&](const RenameTable &node) { return one(RenameTable{node.to, node.from}); },
        [&](const AddColumn &node) { return one(DropColumn{node.table, node.column.name}); },
        [&](const RenameColumn &node) { return one(RenameColumn{node.table, node.to, node.from}); },
        [&](const Sql &node) -> Out {
            return node.undo.isEmpty() ? std::nullopt : one(Sql{node.undo, node.statement});
        },
        [](const auto &) -> Out { return std::nullopt; }};
    return std::visit(inverse, operation);
}

bool keepsRows(const QString &procedure)
{
    static const QStringList known{QStringLiteral("optimize"), QStringLiteral("optimize_manifests"),
                                   QStringLiteral("expire_snapshots"),
                                   QStringLiteral("remove_orphan_files")};
    return known.contains(procedure.toLower());
}

QString lossOf(const Operation &operation)
{
    const Overloaded loss{
        [](const DropView &node) {
            return node.dropTarget ? QStringLiteral("the view's table and its rows are dropped")
                                   : QString();
        },
        [](const DropSchema &) { return QStringLiteral("the schema is dropped"); },
        [](const DropTable &) { return QStringLiteral("the table and its rows are dropped"); },
        [](const DropColumn &) { return QStringLiteral("the column and its values are dropped"); },
        // What nobody here can read may do anything.
        [](const Sql &node) {
            const auto parsed = sql::parseStatement(node.statement);
            if (!parsed)
                return QStringLiteral("nobody here knows what the statement does");
            const auto &statement = parsed->node;
            const auto *merge = std::get_if<sql::Merge>(&statement);
            const auto merges = [&](const auto &is) {
                return merge && std::ranges::any_of(merge->cases, is, &sql::MergeCase::action);
            };
            const bool drops = std::holds_alternative<sql::DropTable>(statement) ||
                               std::holds_alternative<sql::DropSchema>(statement) ||
                               std::holds_alternative<sql::DropColumn>(statement) ||
                               std::holds_alternative<sql::TruncateTable>(statement) ||
                               std::holds_alternative<sql::Delete>(statement);
            const auto *create = std::get_if<sql::CreateTable>(&statement);
            const auto *createAs = std::get_if<sql::CreateTableAs>(&statement);
            const bool replaces = (create && create->whenExists == sql::WhenExists::Replace) ||
                                  (createAs && createAs->whenExists == sql::WhenExists::Replace);
            const bool deletes = merges([](const auto &action) {
                return std::holds_alternative<sql::MergeDelete>(action);
            });
            const bool overwrites =
                std::holds_alternative<sql::Update>(statement) || merges([](const auto &action) {
                    return std::holds_alternative<sql::MergeUpdate>(action);
                });
            if (drops || replaces || deletes)
                return QStringLiteral("rows are deleted");
            const auto *execute = std::get_if<sql::TableExecute>(&statement);
            if (execute && !keepsRows(execute->procedure.value))
                return QStringLiteral("the table may get other rows");
            return overwrites ? QStringLiteral("values are overwritten") : QString();
        },
        [](const auto &) { return QString(); }};
    return std::visit(loss, operation);
}

std::optional<TableName> changedBy(const Operation &operation)
{
    using Out = std::optional<TableName>;
    const Overloaded touched{[](const CreateView &node) { return Out(node.spec.target); },
                             [](const ReplaceView &node) { return Out(node.spec.target); },
                             [](const CreateTable &node) { return Out(node.spec.name); },
                             [](const DropTable &node) { return Out(node.name); },
                             [](const RenameTable &node) { return Out(node.from); },
                             [](const AddColumn &node) { return Out(node.table); },
                             [](const DropColumn &node) { return Out(node.table); },
                             [](const RenameColumn &node) { return Out(node.table); },
                             [](const AlterColumn &node) { return Out(node.table); },
                             [](const SetPartitioning &node) { return Out(node.table); },
                             [](const SetSortOrder &node) { return Out(node.table); },
                             [](const SetProperties &node) { return Out(node.table); },
                             [](const auto &) { return Out(); }};
    return std::visit(touched, operation);
}

std::optional<QString> viewAfter(const Operation &operation)
{
    using Out = std::optional<QString>;
    const Overloaded name{[](const CreateView &node) { return Out(node.spec.name); },
                          [](const ReplaceView &node) { return Out(node.spec.name); },
                          [](const RestoreView &node) { return Out(node.name); },
                          [](const RenameView &node) { return Out(node.to); },
                          [](const Backfill &node) { return Out(node.view); },
                          [](const auto &) { return Out(); }};
    return std::visit(name, operation);
}

bool isOnView(const Operation &operation)
{
    return viewAfter(operation) || std::holds_alternative<DropView>(operation);
}

}  // namespace ivm::migrate
