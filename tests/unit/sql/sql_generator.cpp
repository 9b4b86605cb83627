#include "tests/unit/sql/sql_generator.h"

#include <QRegularExpression>

namespace ivm::test {

namespace {

QStringList lines(const char *text)
{
    return QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts);
}

QStringList words(const char *text) { return QString::fromUtf8(text).simplified().split(u' '); }

// What everything ends with when it gets too deep.
const QStringList &leaves()
{
    static const QStringList kLeaves = lines(R"(
a
b
t.c
1
'x'
"Q q"
NULL
)");
    return kLeaves;
}

const QStringList &names()
{
    // Keywords that may be names are where a parser errs.
    static const QStringList kNames = words(R"(
a b C t x "q" "sel""x" "select" all any some limit offset fetch filter over date time
timestamp interval position row map at zone first count year day partition range rows window
leading both current unbounded no set if text user version substring nulls ignore lateral
tablesample desc asc to precision double json data only ordinality within default nfc
pattern final running keep prune empty array execute
)");
    return kNames;
}

const QStringList &literals()
{
    static const QStringList kLiterals = lines(R"(
1
0
42
-1
1.5
.5
1.
1e3
-1.5e-3
0x1f
1_000
'x'
'it''s'
''
U&'\0041b'
X'00ff'
TRUE
FALSE
NULL
?
DATE '2024-01-01'
TIMESTAMP 'x'
DOUBLE PRECISION '1'
"my type" 'x'
INTERVAL '1' DAY
INTERVAL -'1-2' YEAR TO MONTH
)");
    return kLiterals;
}

const QStringList &expressions()
{
    static const QStringList kTemplates = lines(R"(
%v
%v
%v
%v
NOT %v
(%e)
%v AND %v AND NOT %v
%v OR %v
%v AND (%e OR %v)
%v = %v
%v <> %v
%v <= %v
%v BETWEEN %v AND %v
%v NOT BETWEEN %v AND %v
%v IN (%e, %e)
%v NOT IN (%e)
%v IN (%s)
%v LIKE %v
%v NOT LIKE %v ESCAPE %v
%v IS NULL
%v IS NOT NULL
%v IS DISTINCT FROM %v
%v IS NOT DISTINCT FROM %v
%v = ALL (%s)
%v > ANY (%s)
%n -> %e
(%n, %n) -> %e
() -> %e
)");
    return kTemplates;
}

const QStringList &values()
{
    static const QStringList kTemplates = lines(R"(
%n
%n
%q
%q
%l
%l
(%v)
(%e)
%v + %v
%v - %v
%v * %v
%v / %v
%v % %v
%v || %v
-(%v)
- %v
+%v
%n AT TIME ZONE 'UTC'
(%v) AT TIME ZONE INTERVAL '1' HOUR
%n[%v]
(%e).%n
(%v)[%v]
f(%e)
%q(%e, %e)
count(*)
f()
sum(DISTINCT %e)
f(ALL %n)
array_agg(%e ORDER BY %o, %o)
f(%e) FILTER (WHERE %e)
f(%e) OVER (PARTITION BY %e ORDER BY %o)
lag(%e) IGNORE NULLS OVER (%n ORDER BY %o ROWS BETWEEN %v PRECEDING AND CURRENT ROW)
f(%e) OVER (RANGE UNBOUNDED PRECEDING)
f(%e) OVER %n
ROW(%e)
(%e, %e)
ARRAY[%e, %e]
[]
(%s)
((%s))
EXISTS (%s)
CASE WHEN %e THEN %e END
CASE %e WHEN %e THEN %e ELSE %e END
CAST(%e AS %t)
TRY_CAST(%e AS %t)
EXTRACT(DAY FROM %v)
POSITION(%v IN %v)
SUBSTRING(%v FROM %v)
SUBSTRING(%v FROM %v FOR %v)
substring(%v, %e)
TRIM(%n)
TRIM(BOTH 'x' FROM %v)
TRIM(LEADING FROM (%v))
NORMALIZE(%v, NFD)
LISTAGG(%e, ',') WITHIN GROUP (ORDER BY %o)
GROUPING(%q, %n)
current_timestamp(3)
current_date
localtime
f(%n -> %e, %e)
)");
    return kTemplates;
}

const QStringList &types()
{
    static const QStringList kTemplates = lines(R"(
bigint
varchar(10)
decimal(10, 2)
%n
timestamp(3) with time zone
time
timestamp without time zone
array(%t)
array<%t>
map(%t, %t)
%t array
row(%t)
row(%n %t, %n %t)
double precision
interval day to second
"my type"
)");
    return kTemplates;
}

const QStringList &relations()
{
    static const QStringList kTemplates = lines(R"(
%q
%q
%q AS %n
%q x (a, %n)
%q FOR VERSION AS OF %v
%q FOR TIMESTAMP AS OF %v AS %n
(%s)
((%s)) AS x
%r JOIN %r ON %e
%r LEFT JOIN %r USING (a, b)
%r CROSS JOIN %q
%r NATURAL FULL JOIN %q
(%r)
(%r) AS x
(%r JOIN %r ON %e) x
UNNEST(%e, %e) WITH ORDINALITY
LATERAL (%s) AS x
%q TABLESAMPLE BERNOULLI (%e)
(%r) TABLESAMPLE SYSTEM (10)
TABLE(f(%e, x => TABLE(%q) AS y PARTITION BY %e, DESCRIPTOR(%n, b %t)))
)");
    return kTemplates;
}

const QStringList &queries()
{
    static const QStringList kTemplates = lines(R"(
SELECT %e
SELECT %e AS %n, *, %n.* FROM %r
SELECT DISTINCT %e FROM %r, %r WHERE %e
SELECT %n, %e x FROM %q WHERE %e GROUP BY %g, %g HAVING %e
SELECT ALL %e FROM %q GROUP BY ROLLUP (%g, %g), CUBE (%e)
SELECT 1 FROM %q GROUP BY DISTINCT GROUPING SETS (%g, %g)
SELECT f(%e) OVER w FROM %q WINDOW w AS (PARTITION BY %e)
SELECT %e FROM %r UNION ALL SELECT %e WHERE %e
SELECT %e UNION SELECT %e INTERSECT SELECT %e
(%k) EXCEPT (%k)
(SELECT %e) UNION (SELECT %e)
(SELECT %e LIMIT 1) UNION SELECT %e
VALUES %e, (%e, %e)
TABLE %q
SELECT %e FROM %r ORDER BY %o, %o LIMIT 5
SELECT %e OFFSET 2 FETCH FIRST 3 ROWS WITH TIES
WITH %n AS (%s), x (%n) AS (%s) SELECT %e FROM %r
(%k)
WITH RECURSIVE %n AS (%s) (SELECT %e ORDER BY %o)
)");
    return kTemplates;
}

// Queries that may stand in parentheses within a set operation.
const QStringList &plainQueries()
{
    static const QStringList kTemplates = lines(R"(
SELECT %e FROM %q
SELECT %e ORDER BY %o LIMIT 1
(SELECT %e)
VALUES %e
SELECT %e EXCEPT ALL SELECT %e
)");
    return kTemplates;
}

const QStringList &statements()
{
    static const QStringList kTemplates = lines(R"(
%s
INSERT INTO %q %s
INSERT INTO %q (%n, b) %s
DELETE FROM %q WHERE %e
UPDATE %q SET %n = %e, b = %e WHERE %e
MERGE INTO %q AS %n USING %r ON %e WHEN MATCHED AND %e THEN DELETE
MERGE INTO %q USING %r ON %e WHEN MATCHED THEN UPDATE SET %n = %e, b = %e
MERGE INTO %q USING %r ON %e WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (%e)
CREATE TABLE IF NOT EXISTS %q (a %t NOT NULL COMMENT 'x', %n %t) WITH (%n = %e)
CREATE OR REPLACE TABLE %q (%n) AS %s WITH NO DATA
ALTER TABLE %q ADD COLUMN %n %t
ALTER TABLE %q ADD COLUMN %q %t AFTER %n
COMMENT ON COLUMN s.%n IS NULL
ALTER TABLE %q ALTER COLUMN %q SET DATA TYPE %t
ALTER TABLE %q EXECUTE %n(%n => %e, %e) WHERE %e
ALTER TABLE %q SET PROPERTIES %n = %e, b = DEFAULT
CREATE SCHEMA %q WITH (%n = %e)
DROP TABLE IF EXISTS %q
SHOW TABLES FROM %q LIKE 'x'
DESCRIBE %q
TRUNCATE TABLE %q
)");
    return kTemplates;
}

const QStringList &signs()
{
    static const QStringList kSigns = lines(R"(
(
)
((
))
,
.
;
?
*
-
->
=>
=
<
[
]
SELECT
FROM
AS
AND
OR
NOT
IN
IS
NULL
LIMIT
ALL
BY
ORDER
GROUP
ON
JOIN
WITH
VALUES
TABLE
CASE
WHEN
THEN
END
INTERVAL
AT TIME ZONE
ROW
ARRAY
UNION
EXISTS
CAST
'
"
/*
*/
--
U&'
X'0'
1e
0x
1a
:
`
)");
    return kSigns;
}

}  // namespace

class SqlGenerator::Level {
public:
    explicit Level(int &depth) : m_depth(depth) { ++m_depth; }
    ~Level() { --m_depth; }
    Q_DISABLE_COPY_MOVE(Level)

private:
    int &m_depth;
};

QString SqlGenerator::filled(const QStringList &templates)
{
    const QString form = templates[below(templates.size())];
    QString out;
    for (qsizetype i = 0; i < form.size(); ++i) {
        const bool slot = form[i] == u'%' && i + 1 < form.size() && form[i + 1].isLetter();
        if (slot)
            out += part(form[++i]);
        else
            out += form[i];
    }
    return out;
}

QString SqlGenerator::part(QChar kind)
{
    constexpr int kDeepest = 5;
    const Level level(m_depth);
    const bool deep = m_depth > kDeepest;
    switch (kind.unicode()) {
    case u'e': return filled(deep ? leaves() : expressions());
    case u'v': return filled(deep ? leaves() : values());
    case u'n': return names()[below(names().size())];
    case u'q': return chance(3) ? QString(u"s." + part(u'n')) : part(u'n');
    case u'l': return literals()[below(literals().size())];
    case u't': return deep ? QStringLiteral("bigint") : filled(types());
    case u's': return deep ? QStringLiteral("SELECT 1") : filled(queries());
    case u'k': return deep ? QStringLiteral("SELECT 1") : filled(plainQueries());
    case u'r': return deep ? QStringLiteral("t") : filled(relations());
    case u'o':
        return filled(lines(R"(
%e
%e DESC
%e ASC NULLS FIRST
%e NULLS LAST
)"));
    case u'g':
        return filled(lines(R"(
%e
(%e)
(%e, %e)
()
)"));
    default: Q_UNREACHABLE();
    }
}

QString SqlGenerator::expression() { return filled(expressions()); }
QString SqlGenerator::query() { return filled(queries()); }
QString SqlGenerator::statement() { return filled(statements()); }

QString SqlGenerator::mutated(const QString &text)
{
    static const QRegularExpression kToken(
        QStringLiteral("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\\w+|\\s+|."),
        QRegularExpression::DotMatchesEverythingOption);
    QStringList all;
    for (auto it = kToken.globalMatch(text); it.hasNext();)
        all.append(it.next().captured());
    for (int i = below(3); i >= 0 && !all.isEmpty(); --i) {
        const int at = below(all.size());
        switch (below(4)) {
        case 0: all[at].clear(); break;
        case 1: all[at] += QString(u' ' + all[at]); break;
        case 2: all.swapItemsAt(at, below(all.size())); break;
        default: all[at] = QString(u' ' + signs()[below(signs().size())] + u' '); break;
        }
    }
    return all.join(QString());
}

QString SqlGenerator::tokens()
{
    QString text;
    for (int i = below(30); i >= 0; --i) {
        const QStringList &from = chance(2) ? signs() : chance(2) ? names() : literals();
        text += from[below(from.size())];
        if (!chance(4))
            text += u' ';
    }
    return text;
}

QString SqlGenerator::units()
{
    QString text;
    for (int i = below(40); i >= 0; --i)
        text += QChar(static_cast<char16_t>(below(chance(2) ? 128 : 0x10000)));
    return text;
}

}  // namespace ivm::test
