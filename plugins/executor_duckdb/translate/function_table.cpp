#include "plugins/executor_duckdb/translate/functions/families.h"

#include <vector>

namespace ivm::duckdb {

std::span<const FunctionFamily> functionFamilies()
{
    static const FunctionFamily families[] = {
        {u"Aggregates", aggregateFunctions()},
        {u"Window functions", windowFunctions()},
        {u"Conditional", conditionalFunctions()},
        {u"Mathematical", mathFunctions()},
        {u"Strings and bytes", stringFunctions()},
        {u"Dates and times", timeFunctions()},
        {u"Arrays", arrayFunctions()},
        {u"Maps", mapFunctions()},
    };
    return families;
}

std::span<const FunctionRow> functionTable()
{
    static const std::vector<FunctionRow> all = [] {
        std::vector<FunctionRow> rows;
        for (const auto &family : functionFamilies())
            rows.insert(rows.end(), family.rows.begin(), family.rows.end());
        return rows;
    }();
    return all;
}

}  // namespace ivm::duckdb
