#include "framework/view/same_definition.h"

#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/view/view_entry.h"

namespace ivm {

namespace {

// The select item that a number stands for; itself where it stands for none.
sql::ExprPtr withoutOrdinal(const sql::ExprPtr &key, const sql::Select &select)
{
    const auto *ordinal = sql::as<sql::IntegerLiteral>(key);
    if (!ordinal || ordinal->value < 1 || ordinal->value > qint64(select.items.size()))
        return key;
    const auto &item = select.items[size_t(ordinal->value - 1)];
    return item.star ? key : item.expression;
}

sql::Query withoutOrdinals(sql::Query query)
{
    const sql::Select *select = query.select();
    if (!select || !select->groupBy)
        return query;
    sql::QueryBody body = *query.body;
    auto &copy = std::get<sql::Select>(body.node);
    for (auto &element : copy.groupBy->elements) {
        for (auto &set : element.sets) {
            for (auto &key : set.expressions)
                key = withoutOrdinal(key, *select);
        }
    }
    query.body = std::make_shared<const sql::QueryBody>(std::move(body));
    return query;
}

QJsonObject withoutQuery(const ViewSpec &spec, const TableName &defaults)
{
    QJsonObject entry = entryOf(spec, defaults);
    entry.remove(u"query");
    return entry;
}

}  // namespace

bool sameQuery(const QString &left, const QString &right)
{
    if (left == right)
        return true;
    const auto first = sql::parseQuery(left);
    const auto second = sql::parseQuery(right);
    return first && second && sql::equal(withoutOrdinals(*first), withoutOrdinals(*second));
}

bool sameTable(const ViewSpec &left, const ViewSpec &right)
{
    return left.target == right.target && left.keys == right.keys &&
           left.targetPartitioning == right.targetPartitioning && left.sortedBy == right.sortedBy &&
           left.format == right.format && left.comment == right.comment &&
           sameQuery(left.query, right.query);
}

bool sameDefinition(const ViewSpec &left, const ViewSpec &right, const TableName &defaults)
{
    return withoutQuery(left, defaults) == withoutQuery(right, defaults) &&
           sameQuery(left.query, right.query);
}

}  // namespace ivm
