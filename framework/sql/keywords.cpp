#include "framework/sql/keywords.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ivm::sql {

namespace {

// All keywords of SqlBase.g4 that its rule `nonReserved` does not list; sorted.
constexpr std::array<std::u16string_view, 82> kReserved = {u"ALTER",
                                                           u"AND",
                                                           u"AS",
                                                           u"AUTO",
                                                           u"BETWEEN",
                                                           u"BY",
                                                           u"CASE",
                                                           u"CAST",
                                                           u"CONSTRAINT",
                                                           u"CREATE",
                                                           u"CROSS",
                                                           u"CUBE",
                                                           u"CURRENT_CATALOG",
                                                           u"CURRENT_DATE",
                                                           u"CURRENT_PATH",
                                                           u"CURRENT_ROLE",
                                                           u"CURRENT_SCHEMA",
                                                           u"CURRENT_TIME",
                                                           u"CURRENT_TIMESTAMP",
                                                           u"CURRENT_USER",
                                                           u"DEALLOCATE",
                                                           u"DELETE",
                                                           u"DESCRIBE",
                                                           u"DISTINCT",
                                                           u"DROP",
                                                           u"ELSE",
                                                           u"END",
                                                           u"ESCAPE",
                                                           u"EXCEPT",
                                                           u"EXISTS",
                                                           u"EXTRACT",
                                                           u"FALSE",
                                                           u"FOR",
                                                           u"FROM",
                                                           u"FULL",
                                                           u"GROUP",
                                                           u"GROUPING",
                                                           u"HAVING",
                                                           u"IN",
                                                           u"INNER",
                                                           u"INSERT",
                                                           u"INTERSECT",
                                                           u"INTO",
                                                           u"IS",
                                                           u"JOIN",
                                                           u"JSON_ARRAY",
                                                           u"JSON_EXISTS",
                                                           u"JSON_OBJECT",
                                                           u"JSON_QUERY",
                                                           u"JSON_TABLE",
                                                           u"JSON_VALUE",
                                                           u"LEFT",
                                                           u"LIKE",
                                                           u"LISTAGG",
                                                           u"LOCALTIME",
                                                           u"LOCALTIMESTAMP",
                                                           u"NATURAL",
                                                           u"NORMALIZE",
                                                           u"NOT",
                                                           u"NULL",
                                                           u"ON",
                                                           u"OR",
                                                           u"ORDER",
                                                           u"OUTER",
                                                           u"PREPARE",
                                                           u"RECURSIVE",
                                                           u"RIGHT",
                                                           u"ROLLUP",
                                                           u"SELECT",
                                                           u"SKIP",
                                                           u"TABLE",
                                                           u"THEN",
                                                           u"TRIM",
                                                           u"TRUE",
                                                           u"UESCAPE",
                                                           u"UNION",
                                                           u"UNNEST",
                                                           u"USING",
                                                           u"VALUES",
                                                           u"WHEN",
                                                           u"WHERE",
                                                           u"WITH"};
static_assert(std::ranges::is_sorted(kReserved));

constexpr size_t kLongest = std::ranges::max(kReserved, {}, &std::u16string_view::size).size();

char16_t upper(QChar c)
{
    const char16_t unit = c.unicode();
    return unit >= u'a' && unit <= u'z' ? static_cast<char16_t>(unit - u'a' + u'A') : unit;
}

}  // namespace

bool isReserved(QStringView word)
{
    const auto size = static_cast<size_t>(word.size());
    if (size > kLongest)
        return false;
    std::array<char16_t, kLongest> buffer{};
    std::ranges::transform(word, buffer.begin(), upper);
    return std::ranges::binary_search(kReserved, std::u16string_view(buffer.data(), size));
}

bool sameWord(QStringView a, QStringView b)
{
    return a.size() == b.size() && std::ranges::equal(a, b, {}, upper, upper);
}

}  // namespace ivm::sql
