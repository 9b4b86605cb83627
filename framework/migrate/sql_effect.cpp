#include "framework/migrate/sql_effect.h"

#include "framework/base/overloaded.h"
#include "framework/sql/parser.h"

namespace ivm::migrate {

namespace {

Result<TableName> nameOf(const sql::QualifiedName &name, const TableName &defaults)
{
    QStringList parts;
    for (const auto &part : name.parts)
        parts.append(quotedIdentifier(part.value));
    return parseTableName(parts.join(u'.'), defaults);
}

Result<TableName> schemaOf(const sql::QualifiedName &name, const TableName &defaults)
{
    sql::QualifiedName table = name;
    table.parts.push_back(sql::Identifier{QStringLiteral("t"), false, {}});
    IVM_TRY(TableName out, nameOf(table, defaults));
    out.table.clear();
    return out;
}

// A field of a row goes with the column that holds it: what a view reads of it is not known.
QString columnOf(const sql::QualifiedName &column) { return column.parts.front().value.toLower(); }

class Reader {
public:
    explicit Reader(const TableName &defaults) : m_defaults(defaults) {}

    SqlEffect operator()(const sql::DropTable &node) const { return one<DropTable>(node.name); }
    SqlEffect operator()(const sql::RenameTable &node) const
    {
        const auto from = nameOf(node.table, m_defaults);
        const auto to = nameOf(node.to, m_defaults);
        return from && to ? SqlEffect(Operation(RenameTable{*from, *to})) : SqlEffect();
    }
    SqlEffect operator()(const sql::DropColumn &node) const
    {
        const auto table = nameOf(node.table, m_defaults);
        return table ? SqlEffect(Operation(DropColumn{*table, columnOf(node.column)}))
                     : SqlEffect();
    }
    SqlEffect operator()(const sql::RenameColumn &node) const
    {
        const auto table = nameOf(node.table, m_defaults);
        return table ? SqlEffect(Operation(
                           RenameColumn{*table, columnOf(node.column), node.to.value.toLower()}))
                     : SqlEffect();
    }
    SqlEffect operator()(const sql::CreateTable &node) const
    {
        return node.whenExists == sql::WhenExists::Replace ? one<TableReplaced>(node.name)
                                                           : SqlEffect();
    }
    SqlEffect operator()(const sql::CreateTableAs &node) const
    {
        return node.whenExists == sql::WhenExists::Replace ? one<TableReplaced>(node.name)
                                                           : SqlEffect();
    }
    SqlEffect operator()(const sql::DropSchema &node) const
    {
        const auto schema = schemaOf(node.name, m_defaults);
        return node.cascade && schema ? SqlEffect(SchemaDropped{*schema}) : SqlEffect();
    }
    SqlEffect operator()(const sql::Insert &node) const { return one<RowsWritten>(node.table); }
    SqlEffect operator()(const sql::Update &node) const { return one<RowsWritten>(node.table); }
    SqlEffect operator()(const sql::Delete &node) const { return one<RowsWritten>(node.table); }
    SqlEffect operator()(const sql::Merge &node) const { return one<RowsWritten>(node.table); }
    SqlEffect operator()(const sql::TruncateTable &node) const
    {
        return one<RowsWritten>(node.name);
    }
    // A procedure that is not known to keep the rows may write them, as a rollback does.
    SqlEffect operator()(const sql::TableExecute &node) const
    {
        return keepsRows(node.procedure.value) ? SqlEffect() : one<RowsWritten>(node.table);
    }
    SqlEffect operator()(const auto &) const { return {}; }

private:
    template <typename T>
    SqlEffect one(const sql::QualifiedName &name) const
    {
        const auto table = nameOf(name, m_defaults);
        if (!table)
            return {};
        if constexpr (std::is_same_v<T, DropTable>)
            return Operation(DropTable{*table});
        else
            return T{*table};
    }

    const TableName &m_defaults;
};

}  // namespace

SqlEffect effectOf(const Sql &node, const TableName &defaults)
{
    const auto parsed = sql::parseStatement(node.statement);
    return parsed ? std::visit(Reader(defaults), parsed->node) : SqlEffect();
}

}  // namespace ivm::migrate
