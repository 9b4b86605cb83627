// Which condition restricts which mention of a table.
#include "plugins/executor_duckdb/table/prune.h"

#include "framework/sql/visit.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

void addTables(const sql::RelationPtr &relation, QList<QPair<const sql::Table *, QString>> &tables)
{
    if (const auto *join = sql::as<sql::Join>(relation)) {
        const bool keepsLeft =
            join->kind != sql::Join::Kind::Right && join->kind != sql::Join::Kind::Full;
        const bool keepsRight =
            join->kind != sql::Join::Kind::Left && join->kind != sql::Join::Kind::Full;
        if (keepsLeft)
            addTables(join->left, tables);
        if (keepsRight)
            addTables(join->right, tables);
    } else if (const auto *table = sql::as<sql::Table>(relation)) {
        tables.append(
            {table, relation->alias ? relation->alias->name.value : table->name.last().value});
    }
}

void addRestrictions(const sql::Select &select, QHash<qsizetype, Restriction> &found)
{
    if (!select.where)
        return;
    QList<QPair<const sql::Table *, QString>> tables;
    for (const auto &relation : select.from)
        addTables(relation, tables);
    const bool single = select.from.size() == 1 && sql::as<sql::Table>(select.from.front());
    for (const auto &[table, qualifier] : tables) {
        // With aliases for its columns a table's own names mean something else or nothing.
        if (single && select.from.front()->alias && !select.from.front()->alias->columns.empty())
            continue;
        const bool unique = std::ranges::count_if(tables, [&](const auto &other) {
                                return sql::sameName(other.second, qualifier);
                            }) == 1;
        if (unique)
            found.insert(table->name.span.begin, {{qualifier, single}, select.where});
    }
}

void addRestrictions(const sql::QueryBodyPtr &body, QHash<qsizetype, Restriction> &found)
{
    if (!body)
        return;
    if (const auto *select = std::get_if<sql::Select>(&body->node)) {
        addRestrictions(*select, found);
    } else if (const auto *operation = std::get_if<sql::SetOperation>(&body->node)) {
        addRestrictions(operation->first, found);
        for (const auto &step : operation->rest)
            addRestrictions(step.operand, found);
    }
}

}  // namespace

QHash<qsizetype, Restriction> restrictionsOf(const sql::Query &query)
{
    QHash<qsizetype, Restriction> found;
    sql::Visitor visitor;
    visitor.query = [&](const sql::Query &inner) {
        addRestrictions(inner.body, found);
        return sql::Walk::Into;
    };
    sql::visit(query, visitor);
    return found;
}

}  // namespace ivm::duckdb
