// Text and bytes.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

// Letters of Unicode 16, which DuckDB's tables do not know: capitals and their small letters.
#define IVM_NEW_CAPITALS                                                                           \
    u"\u1C89\uA7CB\uA7CC\uA7DA\uA7DC"                                                              \
    u"\U00010D50\U00010D51\U00010D52\U00010D53\U00010D54\U00010D55\U00010D56\U00010D57"            \
    u"\U00010D58\U00010D59\U00010D5A\U00010D5B\U00010D5C\U00010D5D\U00010D5E\U00010D5F"            \
    u"\U00010D60\U00010D61\U00010D62\U00010D63\U00010D64\U00010D65"
#define IVM_NEW_SMALL                                                                              \
    u"\u1C8A\u0264\uA7CD\uA7DB\u019B"                                                              \
    u"\U00010D70\U00010D71\U00010D72\U00010D73\U00010D74\U00010D75\U00010D76\U00010D77"            \
    u"\U00010D78\U00010D79\U00010D7A\U00010D7B\U00010D7C\U00010D7D\U00010D7E\U00010D7F"            \
    u"\U00010D80\U00010D81\U00010D82\U00010D83\U00010D84\U00010D85"
#define IVM_CAPITALS_KNOWN u"translate({0}, '" IVM_NEW_SMALL u"', '" IVM_NEW_CAPITALS u"')"

// DuckDB counts from the end differently, and from position 0.
#define IVM_SUBSTR_START u"CASE WHEN {1} < 0 THEN length({0}) + {1} + 1 ELSE {1} END"

constexpr FunctionRow kRows[] = {
    {u"lower", u"varchar(n)", u"varchar(n)",
     u"lower(translate({0}, '" IVM_NEW_CAPITALS u"', '" IVM_NEW_SMALL u"'))"},
    // The sharp s stays as it is.
    {u"upper", u"varchar(n)", u"varchar(n)",
     u"CASE WHEN contains({0}, '\u00DF') THEN array_to_string(list_transform(string_split("
     IVM_CAPITALS_KNOWN u", '\u00DF'), lambda s: upper(s)), '\u00DF') ELSE upper("
     IVM_CAPITALS_KNOWN u") END"},
    {u"length", u"varchar(n)", u"bigint", u"length({0})"},
    {u"concat", u"varchar, varchar, varchar...", u"varchar", u"({join: || })"},
    {u"concat", u"varchar, varchar", u"varchar", u"({join: || })"},
    {u"substr", u"varchar(n), bigint", u"varchar(n)",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) THEN '' "
     u"ELSE substring({0}, " IVM_SUBSTR_START u") END"},
    {u"substr", u"varchar(n), bigint, bigint", u"varchar(n)",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) OR {2} <= 0 THEN '' "
     u"ELSE substring({0}, " IVM_SUBSTR_START u", {2}) END"},
    {u"strpos", u"varchar(n), varchar(m)", u"bigint", u"strpos({0}, {1})"},
    {u"starts_with", u"varchar(n), varchar(m)", u"boolean", u"starts_with({0}, {1})"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> stringFunctions() { return kRows; }

}  // namespace ivm::duckdb
