// What stands in FROM.
#include "framework/sql/power.h"
#include "framework/sql/printer_core.h"

#include <array>

namespace ivm::sql {

void Printer::relation(const Relation &relation)
{
    const bool parentheses =
        std::holds_alternative<Join>(relation.node) && (relation.alias || relation.sample);
    if (parentheses)
        write(u"(");
    std::visit([this](const auto &one) { node(one); }, relation.node);
    if (parentheses)
        write(u")");
    if (relation.alias)
        alias(*relation.alias);
    if (relation.sample) {
        write(relation.sample->method == Sample::Method::System ? u" TABLESAMPLE SYSTEM ("
                                                                : u" TABLESAMPLE BERNOULLI (");
        expression(*relation.sample->percentage);
        write(u")");
    }
}

void Printer::alias(const Alias &alias)
{
    write(u" AS ");
    name(alias.name);
    if (!alias.columns.empty())
        names(alias.columns);
}

void Printer::node(const Table &one)
{
    name(one.name);
    if (!one.period)
        return;
    write(one.period->kind == QueryPeriod::Kind::Version ? u" FOR VERSION AS OF "
                                                         : u" FOR TIMESTAMP AS OF ");
    expression(*one.period->end, power::kConcat);
}

void Printer::node(const Lateral &one)
{
    write(u"LATERAL ");
    subquery(*one.query);
}

void Printer::node(const Unnest &one)
{
    write(u"UNNEST(");
    expressions(one.expressions);
    write(one.withOrdinality ? u") WITH ORDINALITY" : u")");
}

void Printer::node(const ParenthesizedRelation &one)
{
    write(u"(");
    relation(*one.relation);
    write(u")");
}

void Printer::node(const Join &one)
{
    static constexpr std::array<QStringView, 5> kWords = {u"CROSS JOIN ", u"JOIN ", u"LEFT JOIN ",
                                                          u"RIGHT JOIN ", u"FULL JOIN "};
    relation(*one.left);
    write(std::holds_alternative<Join::Natural>(one.criteria) ? u" NATURAL " : u" ");
    write(kWords[static_cast<size_t>(one.kind)]);
    const bool nested =
        std::holds_alternative<Join>(one.right->node) && !one.right->alias && !one.right->sample;
    write(nested ? u"(" : u"");
    relation(*one.right);
    write(nested ? u")" : u"");
    if (const auto *on = std::get_if<Join::On>(&one.criteria)) {
        write(u" ON ");
        expression(*on->condition);
    } else if (const auto *with = std::get_if<Join::Using>(&one.criteria)) {
        write(u" USING ");
        names(with->columns);
    }
}

void Printer::node(const TableFunction &one)
{
    write(u"TABLE(");
    bareName(one.name);
    write(u"(");
    list(one.arguments, [this](const TableFunctionArgument &each) { argument(each); });
    if (!one.copartitions.empty()) {
        write(u" COPARTITION ");
        list(one.copartitions, [this](const std::vector<QualifiedName> &tables) {
            write(u"(");
            list(tables, [this](const QualifiedName &table) { name(table); });
            write(u")");
        });
    }
    write(u"))");
}

void Printer::argument(const TableFunctionArgument &argument)
{
    if (argument.name) {
        name(*argument.name);
        write(u" => ");
    }
    if (const auto *value = std::get_if<ExprPtr>(&argument.value))
        expression(**value);
    else if (const auto *table = std::get_if<TableArgument>(&argument.value))
        tableArgument(*table);
    else
        descriptor(std::get<DescriptorArgument>(argument.value));
}

void Printer::tableArgument(const TableArgument &argument)
{
    write(u"TABLE(");
    if (const auto *inner = as<SubqueryRelation>(argument.relation))
        query(*inner->query);
    else
        name(std::get<Table>(argument.relation->node).name);
    write(u")");
    if (argument.relation->alias)
        alias(*argument.relation->alias);
    if (argument.partitionBy) {
        write(u" PARTITION BY (");
        expressions(*argument.partitionBy);
        write(u")");
    }
    if (argument.whenEmpty != TableArgument::Empty::Unsaid)
        write(argument.whenEmpty == TableArgument::Empty::Prune ? u" PRUNE WHEN EMPTY"
                                                                : u" KEEP WHEN EMPTY");
    if (!argument.orderBy.empty()) {
        write(u" ORDER BY (");
        sortItems(argument.orderBy);
        write(u")");
    }
}

void Printer::descriptor(const DescriptorArgument &descriptor)
{
    if (descriptor.descriptorFields.empty()) {
        write(u"CAST(NULL AS DESCRIPTOR)");
        return;
    }
    write(u"DESCRIPTOR(");
    list(descriptor.descriptorFields, [this](const DescriptorField &field) {
        name(field.name);
        if (field.type) {
            write(u" ");
            type(*field.type);
        }
    });
    write(u")");
}

}  // namespace ivm::sql
