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

#define IVM_SUBSTR_FROM(name)                                                                      \
    {name, u"varchar(n), bigint", u"varchar(n)",                                                   \
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) THEN '' "                    \
     u"ELSE substring({0}, " IVM_SUBSTR_START u") END"}
#define IVM_SUBSTR_OF_LENGTH(name)                                                                 \
    {name, u"varchar(n), bigint, bigint", u"varchar(n)",                                           \
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) OR {2} <= 0 THEN '' "        \
     u"ELSE substring({0}, " IVM_SUBSTR_START u", {2}) END"}

// One text a code point; DuckDB's own functions keep what belongs to one letter together.
#define IVM_CHARACTERS                                                                             \
    u"list_transform(generate_series(1, length({0})), lambda i: substring({0}, i, 1))"

// What Java takes for white space.
#define IVM_WHITESPACE                                                                             \
    u"chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(28) || chr(29) || chr(30) || "     \
    u"chr(31) || ' \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200A"             \
    u"\u2028\u2029\u205F\u3000'"

#define IVM_PADDED(name)                                                                           \
    u"CASE WHEN {nulls} THEN NULL WHEN {1} < 0 OR {1} > 2147483647 OR {2} = '' "                   \
    u"THEN error('" name u" takes a length from 0 and a text to fill it with') "                   \
    u"ELSE " name u"({0}, CAST({1} AS INTEGER), {2}) END"

// DuckDB compares bytes.
#define IVM_ASCII_ONLY(value)                                                                      \
    u"CASE WHEN length({0}) = strlen({0}) AND length({1}) = strlen({1}) THEN " value u" "          \
    u"WHEN {nulls} THEN NULL "                                                                     \
    u"ELSE error('distances of texts beyond ASCII are not in the embedded engine') END"

constexpr FunctionRow kRows[] = {
    {u"lower", u"varchar(n)", u"varchar(n)",
     u"lower(translate({0}, '" IVM_NEW_CAPITALS u"', '" IVM_NEW_SMALL u"'))"},
    // The sharp s stays as it is.
    {u"upper", u"varchar(n)", u"varchar(n)",
     u"CASE WHEN contains({0}, '\u00DF') THEN array_to_string(list_transform(string_split("
     IVM_CAPITALS_KNOWN u", '\u00DF'), lambda s: upper(s)), '\u00DF') ELSE upper("
     IVM_CAPITALS_KNOWN u") END"},
    {u"length", u"varchar(n)", u"bigint", u"length({0})"},
    {u"length", u"varbinary", u"bigint", u"octet_length({0})"},
    {u"concat", u"varchar, varchar, varchar...", u"varchar", u"({join: || })"},
    {u"concat", u"varchar, varchar", u"varchar", u"({join: || })"},
    {u"concat_ws", u"varchar, varchar...", u"varchar", u"concat_ws({*})"},
    IVM_SUBSTR_FROM(u"substr"),
    IVM_SUBSTR_FROM(u"substring"),
    IVM_SUBSTR_OF_LENGTH(u"substr"),
    IVM_SUBSTR_OF_LENGTH(u"substring"),
    {u"strpos", u"varchar(n), varchar(m)", u"bigint", u"strpos({0}, {1})"},
    {u"starts_with", u"varchar(n), varchar(m)", u"boolean", u"starts_with({0}, {1})"},
    {u"replace", u"varchar(n), varchar(m)", u"varchar(n)", u"replace({0}, {1}, '')"},
    {u"replace", u"varchar(x), varchar(y), varchar(z)", u"varchar(min(2147483647,x+z*(x+1)))",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = '' THEN {2} || array_to_string(list_transform("
     IVM_CHARACTERS u", lambda c: c || {2}), '') ELSE replace({0}, {1}, {2}) END"},
    {u"reverse", u"varchar(n)", u"varchar(n)",
     u"array_to_string(list_reverse(" IVM_CHARACTERS u"), '')"},
    {u"translate", u"varchar(n), varchar(m), varchar(k)", u"varchar", u"translate({0}, {1}, {2})"},
    {u"split_part", u"varchar(n), varchar(m), bigint", u"varchar(n)",
     u"CASE WHEN {nulls} THEN NULL WHEN {2} <= 0 THEN error('split_part counts from 1') "
     u"WHEN {1} = '' THEN (" IVM_CHARACTERS u")[{2}] ELSE string_split({0}, {1})[{2}] END"},
    {u"split", u"varchar(n), varchar(m)", u"array(varchar(n))",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = '' THEN error('split needs a delimiter') "
     u"ELSE string_split({0}, {1}) END"},
    {u"lpad", u"varchar(n), bigint, varchar(m)", u"varchar", IVM_PADDED(u"lpad")},
    {u"rpad", u"varchar(n), bigint, varchar(m)", u"varchar", IVM_PADDED(u"rpad")},
    {u"trim", u"varchar(n)", u"varchar(n)", u"trim({0}, " IVM_WHITESPACE u")"},
    {u"ltrim", u"varchar(n)", u"varchar(n)", u"ltrim({0}, " IVM_WHITESPACE u")"},
    {u"rtrim", u"varchar(n)", u"varchar(n)", u"rtrim({0}, " IVM_WHITESPACE u")"},
    {u"trim", u"varchar(n), varchar(m)", u"varchar(n)", u"trim({0}, {1})"},
    {u"ltrim", u"varchar(n), varchar(m)", u"varchar(n)", u"ltrim({0}, {1})"},
    {u"rtrim", u"varchar(n), varchar(m)", u"varchar(n)", u"rtrim({0}, {1})"},
    {u"chr", u"bigint", u"varchar(1)",
     u"CASE WHEN {0} < 0 OR {0} > 1114111 OR ({0} >= 55296 AND {0} <= 57343) "
     u"THEN error('chr takes a code point') ELSE chr(CAST({0} AS INTEGER)) END"},
    {u"codepoint", u"varchar(n)", u"integer", u"unicode({0})", kScalar, kExact,
     u"n >= 1 and n <= 1"},
    {u"levenshtein_distance", u"varchar(n), varchar(m)", u"bigint",
     IVM_ASCII_ONLY(u"levenshtein({0}, {1})")},
    {u"hamming_distance", u"varchar(n), varchar(m)", u"bigint",
     u"CASE WHEN length({0}) <> length({1}) "
     u"THEN error('hamming_distance takes texts of one length') "
     u"WHEN {0} = '' THEN 0 ELSE " IVM_ASCII_ONLY(u"hamming({0}, {1})") u" END"},

    {u"to_utf8", u"varchar(n)", u"varbinary", u"encode({0})"},
    {u"from_utf8", u"varbinary", u"varchar",
     u"CASE WHEN {0} IS NOT NULL AND TRY(decode({0})) IS NULL "
     u"THEN error('bytes that are not UTF-8 cannot be read as text by the embedded engine') "
     u"ELSE decode({0}) END"},
    {u"to_hex", u"varbinary", u"varchar", u"hex({0})"},
    {u"from_hex", u"varchar(n)", u"varbinary",
     u"CASE WHEN length({0}) % 2 = 1 THEN error('from_hex takes pairs of digits') "
     u"ELSE unhex({0}) END"},
    {u"to_base64", u"varbinary", u"varchar", u"to_base64({0})"},
    {u"from_base64", u"varchar(n)", u"varbinary",
     u"from_base64({0} || CASE WHEN {0} LIKE '%=' THEN '' "
     u"ELSE repeat('=', (4 - length({0}) % 4) % 4) END)"},
    {u"md5", u"varbinary", u"varbinary", u"unhex(md5({0}))"},
    {u"sha1", u"varbinary", u"varbinary", u"unhex(sha1({0}))"},
    {u"sha256", u"varbinary", u"varbinary", u"unhex(sha256({0}))"},

    {u"regexp_like", u"varchar(n), regex", u"boolean", u"regexp_matches({0}, {1})"},
    {u"regexp_extract", u"varchar(n), extraction regex", u"varchar(n)",
     u"CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}) END"},
    {u"regexp_extract", u"varchar(n), regex, group k", u"varchar(n)",
     u"CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}, {=k}) END"},
    {u"regexp_extract_all", u"varchar(n), nonempty regex", u"array(varchar(n))",
     u"regexp_extract_all({0}, {1})"},
    {u"regexp_count", u"varchar(n), nonempty regex", u"bigint",
     u"len(regexp_extract_all({0}, {1}))"},
    {u"regexp_replace", u"varchar(n), nonempty regex", u"varchar(n)",
     u"regexp_replace({0}, {1}, '', 'g')"},
    {u"regexp_replace", u"varchar(x), nonempty regex, replacement",
     u"varchar(min(2147483647,x+max(x*r/2,r)*(x+1)))", u"regexp_replace({0}, {1}, {2}, 'g')"},
    {u"regexp_split", u"varchar(n), splitting regex", u"array(varchar(n))",
     u"string_split_regex({0}, {1})"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> stringFunctions() { return kRows; }

}  // namespace ivm::duckdb
