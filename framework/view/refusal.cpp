#include "framework/view/refusal.h"

#include "framework/sql/visit.h"
#include "framework/view/functions.h"

namespace ivm {

namespace {

// ": it would read a, b and c" of a query over several tables; nothing of others.
QString severalTables(const sql::Query &query)
{
    QStringList tables;
    sql::forEachTable(query, [&](const sql::Table &table, const sql::Relation &) {
        QStringList parts;
        for (const auto &part : table.name.parts)
            parts.append(part.value);
        if (const QString name = parts.join(u'.'); !tables.contains(name))
            tables.append(name);
    });
    if (tables.size() < 2)
        return {};
    const QString last = tables.takeLast();
    return QStringLiteral(": it would read %1 and %2").arg(tables.join(QStringLiteral(", ")), last);
}

// Collects the refusal that comes first in the text.
class Refuser {
public:
    explicit Refuser(const sql::Query &query) : m_tables(severalTables(query)) {}

    // "not yet": the form has a meaning that could be kept exact; the reader should know that it is
    // not their mistake.
    void notYet(qsizetype offset, QStringView code, QStringView form, QStringView hint = {})
    {
        add(offset,
            unsupportedError(form + QStringLiteral(" is not supported in a view yet") + m_tables),
            code, hint);
    }
    void never(qsizetype offset, QStringView code, QString message, QStringView hint = {})
    {
        add(offset, unsupportedError(std::move(message)), code, hint);
    }

    std::optional<Refusal> first() && { return std::move(m_first); }

private:
    void add(qsizetype offset, Error error, QStringView code, QStringView hint)
    {
        if (m_first && m_first->offset <= offset)
            return;
        m_first = Refusal{std::move(error).withCode(code).withHint(hint), offset};
    }

    QString m_tables;
    std::optional<Refusal> m_first;
};

void checkQueryClauses(const sql::Query &query, Refuser &refuse)
{
    if (query.with)
        refuse.notYet(
            query.with->span.begin, u"with_clause", u"WITH",
            u"Write the query over the table itself, or make the inner query a view of its own");
    if (query.limit)
        refuse.never(query.limit->span.begin, u"limit",
                     QStringLiteral("LIMIT makes the rows of a view depend on chance"),
                     u"Leave it out, and limit where the view is read");
    if (query.offset)
        refuse.never(query.offsetSpan.begin, u"limit",
                     QStringLiteral("OFFSET makes the rows of a view depend on chance"),
                     u"Leave it out, and skip rows where the view is read");
    if (const auto *operation = std::get_if<sql::SetOperation>(&query.body->node))
        refuse.notYet(operation->rest.front().opSpan.begin, u"set_operation",
                      u"UNION, INTERSECT or EXCEPT", u"Make each side a view of its own");
    else if (!query.select())
        refuse.notYet(query.body->span.begin, u"not_a_select", u"a query other than SELECT");
}

void checkSelect(const sql::Select &select, Refuser &refuse)
{
    if (select.from.empty())
        refuse.never(select.fromSpan.begin, u"no_source",
                     QStringLiteral("the query reads no table"),
                     u"A view is kept over one Iceberg table: add FROM");
    else if (select.from.size() > 1)
        refuse.notYet(select.from[1]->span.begin, u"join", u"a second table in FROM");
    if (!select.windows.empty())
        refuse.notYet(select.windows.front().name.span.begin, u"window", u"WINDOW");
    for (const auto &item : select.items) {
        if (item.star)
            refuse.never(
                item.span.begin, u"star",
                QStringLiteral("* would change the view's columns whenever the source's change"),
                u"Name the columns");
    }
}

void checkGroupBy(const sql::Select &select, Refuser &refuse)
{
    if (!select.groupBy)
        return;
    for (const auto &element : select.groupBy->elements) {
        if (element.kind != sql::GroupingElement::Kind::Simple)
            refuse.notYet(element.span.begin, u"grouping_sets", u"ROLLUP, CUBE or GROUPING SETS",
                          u"Make each grouping a view of its own");
    }
    if (select.groupBy->quantifier == sql::SetQuantifier::Distinct)
        refuse.notYet(select.groupBy->span.begin, u"grouping_sets", u"GROUP BY DISTINCT",
                      u"Leave DISTINCT out");
}

void checkTable(const sql::Table &table, Refuser &refuse)
{
    if (table.period)
        refuse.notYet(table.period->span.begin, u"time_travel", u"FOR VERSION or TIMESTAMP AS OF",
                      u"Leave it out: a refresh reads the snapshot that it has to");
    if (table.name.last().value.contains(u'$'))
        refuse.never(table.name.span.begin, u"metadata_table",
                     QStringLiteral("%1 is a metadata table; it has no snapshots to follow")
                         .arg(table.name.last().value));
}

void checkRelation(const sql::Relation &relation, Refuser &refuse)
{
    const qsizetype at = relation.span.begin;
    if (relation.sample)
        refuse.never(relation.sample->span.begin, u"tablesample",
                     QStringLiteral("TABLESAMPLE makes the rows of a view depend on chance"),
                     u"Leave it out");
    struct {
        Refuser &refuse;
        qsizetype at;
        void operator()(const sql::Table &table) const { checkTable(table, refuse); }
        void operator()(const sql::SubqueryRelation &) const
        {
            refuse.notYet(at, u"subquery", u"a subquery in FROM",
                          u"Make the inner query a view of its own");
        }
        void operator()(const sql::Join &) const { refuse.notYet(at, u"join", u"JOIN"); }
        void operator()(const sql::Unnest &) const { refuse.notYet(at, u"unnest", u"UNNEST"); }
        void operator()(const sql::Lateral &) const { refuse.notYet(at, u"lateral", u"LATERAL"); }
        void operator()(const sql::TableFunction &) const
        {
            refuse.never(
                at, u"table_function",
                QStringLiteral(
                    "a table function is not an Iceberg table; its changes cannot be followed"));
        }
        void operator()(const sql::ParenthesizedRelation &) const
        {
            refuse.notYet(at, u"parenthesized_relation", u"a relation with two aliases",
                          u"Give it one alias");
        }
    } check{refuse, at};
    std::visit(check, relation.node);
}

void checkFunction(const sql::FunctionCall &call, qsizetype at, Refuser &refuse)
{
    const QString name = call.name.last().value.toLower();
    if (functionNature(name) == FunctionNature::Volatile)
        refuse.never(
            at, u"volatile_function",
            QStringLiteral(
                "%1() gives another answer each time; a view's rows must follow from its source's")
                .arg(name));
    if (call.over)
        refuse.notYet(at, u"window", u"a window function (OVER)");
}

sql::Walk checkExpression(const sql::ExprPtr &expr, Refuser &refuse)
{
    const qsizetype at = expr->span.begin;
    const auto isSystemColumn = [](const sql::Identifier &name) {
        return name.value.startsWith(u'$');
    };
    if (const auto *call = sql::as<sql::FunctionCall>(expr)) {
        checkFunction(*call, at, refuse);
    } else if (sql::as<sql::CurrentValue>(expr)) {
        refuse.never(
            at, u"volatile_function",
            QStringLiteral(
                "the current date, time or user is another one at each refresh; a view's rows must "
                "follow from its source's"));
    } else if (const auto *column = sql::as<sql::ColumnReference>(expr);
               column && isSystemColumn(column->name)) {
        refuse.never(at, u"system_column",
                     QStringLiteral("\"%1\" is a system column; compaction changes it")
                         .arg(column->name.value));
    } else if (const auto *field = sql::as<sql::Dereference>(expr);
               field && isSystemColumn(field->field)) {
        refuse.never(at, u"system_column",
                     QStringLiteral("\"%1\" is a system column; compaction changes it")
                         .arg(field->field.value));
    } else if (sql::as<sql::Parameter>(expr)) {
        refuse.never(at, u"parameter",
                     QStringLiteral("a view has no parameters: ? stands for nothing"),
                     u"Write the value");
    } else if (sql::as<sql::SubqueryExpression>(expr) || sql::as<sql::Exists>(expr) ||
               sql::as<sql::InSubquery>(expr) || sql::as<sql::QuantifiedComparison>(expr)) {
        refuse.notYet(at, u"subquery", u"a subquery in an expression");
        return sql::Walk::Skip;
    } else if (sql::as<sql::Grouping>(expr)) {
        refuse.notYet(at, u"grouping_sets", u"GROUPING()");
    }
    return sql::Walk::Into;
}

}  // namespace

std::optional<Refusal> findRefusedForm(const sql::Query &query)
{
    Refuser refuse(query);
    checkQueryClauses(query, refuse);
    if (const auto *select = query.select()) {
        checkSelect(*select, refuse);
        checkGroupBy(*select, refuse);
    }
    sql::Visitor visitor;
    visitor.expression = [&](const sql::ExprPtr &expr) { return checkExpression(expr, refuse); };
    visitor.relation = [&](const sql::Relation &relation) {
        checkRelation(relation, refuse);
        return sql::Walk::Into;
    };
    sql::visit(query, visitor);
    return std::move(refuse).first();
}

}  // namespace ivm
