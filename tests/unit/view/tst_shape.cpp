#include "framework/view/shape.h"

#include "framework/view/meaning.h"
#include "framework/view/rewrite.h"
#include "tests/support/golden.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};

ViewSpec specOf(const QString &query)
{
    ViewSpec spec;
    spec.name = QStringLiteral("v");
    spec.query = query;
    spec.queryPlace = {QStringLiteral("views.yaml"), 4, 7};
    spec.queryIndent = 6;
    spec.target = {QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("v")};
    return spec;
}

QString describe(const View &view)
{
    const auto &shape = view.shape;
    QString text;
    for (const auto &source : shape.sources)
        text += QStringLiteral("reads %1 (%2)\n")
                    .arg(source.table.text(), source.columns.join(QStringLiteral(", ")));
    for (const auto &line : meaningOf(view))
        text += QStringLiteral("%1: %2\n").arg(line.name, line.text);
    if (!shape.bucket)
        return text + pinnedQuery(shape, {{shape.sources.front().table, 7}});
    const auto &function = shape.bucket->function;
    const bool isNumber = function.columnDomain == BucketFunction::Domain::Number;
    const Type type = isNumber ? Type{.kind = TypeKind::Bigint}
                               : Type{.kind = TypeKind::Timestamp, .precision = 6};
    const auto key = shape.bucket->expression.of(shape.query);
    const bool isDate = key.startsWith(u"date(") || key.endsWith(u"AS date)");
    const bool isNumberKey = function.keyDomain == BucketFunction::Domain::Number;
    const Type keyType = isNumberKey ? Type{.kind = TypeKind::Bigint}
                         : isDate    ? Type{.kind = TypeKind::Date}
                                     : Type{.kind = TypeKind::Timestamp, .precision = 6};
    RangeSet ranges;
    const qint64 at = isNumber ? 1'000'000'000 : 1'000'000'000 * kMicrosPerSecond;
    ranges.add(function.bucketsOf(at, at));
    return text + rangeQuery(shape, {{shape.sources.front().table, 7}}, ranges, {type, keyType});
}

QString outputOf(const QString &query)
{
    auto spec = specOf(query);
    // A first line may say what the view declares beside its query.
    static const QString declaration = QStringLiteral("keys: ");
    if (query.startsWith(declaration)) {
        const QString first = query.section(u'\n', 0, 0);
        spec.keys = first.sliced(declaration.size()).split(QStringLiteral(", "));
        spec.query = query.sliced(first.size() + 1);
    }
    const auto shape = shapeOf(spec, kDefaults);
    if (!shape)
        return QStringLiteral("[%1] %2").arg(shape.error().code, shape.error().text());
    return describe({spec, *shape});
}

}  // namespace

class tst_Shape : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::updateGolden(QStringLiteral("shape"), outputOf); }
    void meansWhatTheFileSays_data() { test::addGoldenRows(QStringLiteral("shape")); }
    void meansWhatTheFileSays();
    void usesColumns_data();
    void usesColumns();
    void checksTheOptions_data();
    void checksTheOptions();
    void survivesAnyText();
};

void tst_Shape::meansWhatTheFileSays()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QVERIFY(!expected.isEmpty());
    QCOMPARE(outputOf(input), expected);
}

void tst_Shape::usesColumns_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("columns");
    const auto row = [](const char *name, const char *query, const char *columns) {
        QTest::newRow(name) << QString::fromUtf8(query) << QString::fromUtf8(columns);
    };
    row("qualified, and in other letters",
        "SELECT e.K, count(A) AS m FROM ev AS e WHERE b > 1 GROUP BY 1", "a b k");
    row("ORDER BY names an output", "SELECT k, count(*) AS n FROM ev GROUP BY 1 ORDER BY n", "k");
    row("an aggregate's ORDER BY", "SELECT k, array_agg(a ORDER BY b) AS m FROM ev GROUP BY 1",
        "a b k");
    row("parameters are none",
        "SELECT k, max(reduce(a, 0, (s, x) -> s + x.y + b, S -> s)) AS m FROM ev "
        "GROUP BY 1",
        "a b k");
    row("behind a lambda they are columns again",
        "SELECT k, max(any_match(a, x -> x > 1) AND x) AS m FROM ev GROUP BY 1", "a k x");
    row("a qualified column of a parameter's name",
        "SELECT k, count_if(any_match(a, x -> x = t.x)) AS m FROM ev AS t GROUP BY 1", "a k x");
    row("a parameter of the table's name",
        "SELECT k, count_if(any_match(a, t -> t.x = 1)) AS m FROM ev AS t GROUP BY 1", "a k");
}

void tst_Shape::usesColumns()
{
    QFETCH(QString, query);
    const auto shape = shapeOf(specOf(query), kDefaults);
    QVERIFY2(shape, shape ? "" : qPrintable(shape.error().text()));
    QTEST(shape->sources.front().columns.join(u' '), "columns");
}

void tst_Shape::checksTheOptions_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("problem");
    QTest::newRow("partitioning over a key") << "partitioning" << "day(d)" << "";
    QTest::newRow("partitioning over a measure")
        << "partitioning" << "n"
        << "view 'v': target_partitioning names 'n', which is not a key; two refreshes at once "
           "could then write a row twice";
    QTest::newRow("partitioning over nothing")
        << "partitioning" << "x"
        << "view 'v': target_partitioning names 'x', which is no column of the view";
    QTest::newRow("sorted by a column") << "sorted" << "n DESC" << "";
    QTest::newRow("sorted by nothing")
        << "sorted" << "x" << "view 'v': sorted_by names 'x', which is no column of the view";
    QTest::newRow("the right keys") << "keys" << "D,symbol" << "";
    QTest::newRow("wrong keys")
        << "keys" << "symbol"
        << "view 'v': keys are declared as symbol, but GROUP BY makes them d, symbol";
    QTest::newRow("incremental with a bucket") << "incremental" << "" << "";
}

void tst_Shape::checksTheOptions()
{
    QFETCH(QString, option);
    QFETCH(QString, value);
    QFETCH(QString, problem);
    auto spec = specOf(QStringLiteral(
        "SELECT symbol, date_trunc('day', ts) AS d, count(*) AS n FROM t GROUP BY 1, 2"));
    if (option == u"partitioning")
        spec.targetPartitioning = {*parsePartitionField(value)};
    else if (option == u"sorted")
        spec.sortedBy = QStringList{value};
    else if (option == u"keys")
        spec.keys = value.split(u',');
    else
        spec.incremental = Incremental::Required;
    const auto shape = shapeOf(spec, kDefaults);
    QCOMPARE(shape ? QString() : shape.error().message, problem);
    spec.query = QStringLiteral("SELECT symbol, count(*) AS n FROM t GROUP BY 1");
    if (option == u"incremental")
        QCOMPARE(shapeOf(spec, kDefaults).error().code, QStringLiteral("not_incremental"));
}

// Cuts and splices of real queries: an answer or a refusal, never a crash.
void tst_Shape::survivesAnyText()
{
    QList<test::GoldenCase> cases;
    for (const char *name : {"accepted", "buckets", "time_bucket"})
        cases += test::readGolden(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/shape/%1.txt")
                                      .arg(QLatin1StringView(name)));
    int refused = 0;
    for (qsizetype i = 0; i < cases.size(); ++i) {
        const QString &text = cases[i].input;
        const QString &other = cases[(i + 1) % cases.size()].input;
        for (qsizetype cut = 0; cut < text.size(); cut += 7) {
            refused += shapeOf(specOf(text.first(cut)), kDefaults) ? 0 : 1;
            const QString spliced = text.first(cut) + other.sliced(std::min(cut, other.size()));
            (void)shapeOf(specOf(spliced), kDefaults);
        }
    }
    QVERIFY(refused > 0);
    // Thousands of steps are given up, not followed.
    const QString much = QStringLiteral(" - INTERVAL '1' DAY").repeated(20'000);
    const auto shape = shapeOf(
        specOf(QStringLiteral("SELECT date(ts)%1 AS d, count(*) AS n FROM t GROUP BY 1").arg(much)),
        kDefaults);
    QVERIFY(shape && !shape->isRanges());
}

QTEST_GUILESS_MAIN(tst_Shape)
#include "tst_shape.moc"
