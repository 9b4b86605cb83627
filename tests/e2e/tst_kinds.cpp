// Views of every kind of key and bucket, through one story of a table, on the engine that ctest
// names (IVM_TEST_ENGINE): after each step every view equals its query.
#include "tests/e2e/each_engine.h"
#include "tests/e2e/view_kinds.h"

#include <QLoggingCategory>
#include <QRegularExpression>

#include <algorithm>

using namespace ivm;
using namespace ivm::test;

namespace {

bool isAny(const View &) { return true; }
bool isRanges(const View &view) { return view.shape.isRanges(); }
bool hasNoGroups(const View &view)
{
    return view.shape.keySource == KeySource::OneRow || view.shape.keySource == KeySource::Declared;
}

// A row of the table that the story is about.
QString row(int id, const char *k, const char *tag, const char *ts, qint64 e, const char *x,
            const char *l, const char *r)
{
    const QString time = *ts ? QStringLiteral("TIMESTAMP '%1 UTC'").arg(QLatin1StringView(ts))
                             : QStringLiteral("NULL");
    return QStringLiteral("SELECT %1, %2, %3, %4, %5, %6, %7, %8")
        .arg(QString::number(id), QLatin1StringView(k), QLatin1StringView(tag), time,
             QString::number(e), QLatin1StringView(x), QLatin1StringView(l), QLatin1StringView(r));
}

QString insert(const QStringList &rows)
{
    return QStringLiteral("INSERT INTO @.ev ") + rows.join(QStringLiteral(" UNION ALL "));
}

// Both sides of a comparison in one statement, as a cluster takes its time for each.
QString bothSides(const View &view)
{
    return QStringLiteral("SELECT 'query' AS side, * FROM (%1) UNION ALL SELECT 'table', * FROM %2")
        .arg(view.shape.query, view.spec.target.quoted());
}

// A row as text without what a stored type adds; 0.0 and -0.0 are one key.
QString normalized(const QString &row)
{
    static const QRegularExpression kZeros(QStringLiteral("\\.0+(?= UTC|$)"));
    QStringList values = row.split(u'|');
    for (auto &value : values) {
        if (value == u"-0")
            value = QStringLiteral("0");
        value.remove(kZeros);
    }
    return values.join(u'|');
}

}  // namespace

class tst_Kinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void staysExactThroughAStory();
    void refusesAKeyThatTheTableWouldNarrow();

private:
    using Filter = bool (*)(const View &);

    void addViews();
    QStringList damage() const;
    QList<RefreshOutcome> refresh(const QList<View> &views) const;
    // Views that `concerns` names are refreshed; on the embedded engine, which takes no time, all.
    QList<View> concerned(Filter concerns) const;
    void refreshAll(const QString &action = {}, Filter concerns = isAny) const;
    void compare(const View &view) const;
    void verifyAll() const;
    void refuseDuplicates() const;
    QStringList stored(const QString &view) const
    {
        return m_scenario->rows(QStringLiteral("SELECT * FROM @.%1 ORDER BY 1").arg(view));
    }

    std::unique_ptr<Scenario> m_scenario;
    QList<View> m_views;
};

void tst_Kinds::addViews()
{
    m_views.clear();
    for (const auto &kind : kViewKinds) {
        if (kIsTrino && !kind.isOnCluster)
            continue;
        const auto view =
            m_scenario->view(QString::fromLatin1(kind.name), QString::fromLatin1(kind.query),
                             QString::fromLatin1(kind.keys).split(u',', Qt::SkipEmptyParts));
        QVERIFY2(view.shape.isRanges() == kind.isIncremental, kind.name);
        m_views.append(view);
    }
}

QStringList tst_Kinds::damage() const
{
    QStringList statements;
    for (const auto &view : m_views)
        statements.append(
            QStringLiteral("INSERT INTO @.%1 SELECT * FROM @.%1").arg(view.spec.name));
    return statements;
}

void tst_Kinds::staysExactThroughAStory()
{
    addViews();
    m_scenario->run(
        {QStringLiteral("CREATE TABLE @.ev (id bigint, k varchar, tag varchar, ts timestamp(6) "
                        "with time zone, e bigint, x double, l array(bigint), r row(a bigint, "
                        "b varchar))"),
         insert({row(1, "'a'", "'one'", "2024-03-10 07:59:59", -1, "1.5e0", "ARRAY[1, NULL]",
                     "ROW(1, NULL)"),
                 row(2, "'a'", "'one'", "2024-03-10 08:00:00", 0, "nan()", "ARRAY[]",
                     "ROW(NULL, NULL)"),
                 row(3, "'b'", "NULL", "2024-11-03 06:30:00", 299, "-0e0", "NULL", "NULL"),
                 row(4, "NULL", "'two'", "", 300, "0e0", "ARRAY[1, NULL]", "ROW(1, NULL)")})});
    refreshAll(QStringLiteral("rebuild"));

    m_scenario->run(insert({row(5, "'b'", "'tw'", "2024-03-10 08:04:59.999999", -301, "2.5e0",
                                "ARRAY[NULL]", "ROW(NULL, 'x')")}));
    refreshAll(QStringLiteral("incremental"), isRanges);

    m_scenario->run(
        {insert({row(6, "NULL", "NULL", "", 86'400, "NULL", "NULL", "NULL"),
                 row(7, "'abc'", "'o'", "2024-11-03 07:30:00", 86'399, "infinity()", "ARRAY[]",
                     "ROW(NULL, NULL)"),
                 row(8, "'c'", "'one'", "1969-12-31 23:59:59.999999", -86'400, "1e0",
                     "ARRAY[NULL, 2]", "ROW(2, 'y')")}),
         QStringLiteral("UPDATE @.ev SET ts = TIMESTAMP '2024-11-03 05:59:59 UTC', e = 7 WHERE id "
                        "= 1"),
         QStringLiteral("DELETE FROM @.ev WHERE k = 'b'")});
    if (!kIsTrino)
        refreshAll();
    m_scenario->run(damage());
    refreshAll();
    verifyAll();

    refuseDuplicates();
    m_scenario->run(QStringLiteral("DELETE FROM @.ev"));
    refreshAll({}, hasNoGroups);
}

// Two rows of one declared key: the view is refused by name and stays as it was, others go on.
void tst_Kinds::refuseDuplicates() const
{
    const auto mayFail = [](const View &view) {
        return view.shape.keySource == KeySource::Declared && view.shape.columns[0].name == u"id";
    };
    QMap<QString, QStringList> before;
    for (const auto &view : m_views) {
        if (mayFail(view))
            before.insert(view.spec.name, stored(view.spec.name));
    }
    QVERIFY(!before.isEmpty());
    // The hours of the two rows are the same.
    m_scenario->run(
        {QStringLiteral("DELETE FROM @.ev"),
         insert({row(9, "'a'", "'n'", "2026-04-04 15:10:00", 1, "1e0", "NULL", "NULL"),
                 row(9, "'z'", "'n'", "2026-04-04 15:20:00", 1, "1e0", "NULL", "NULL")})});
    QStringList refused;
    for (const auto &outcome : refresh(concerned(hasNoGroups))) {
        if (!outcome.error)
            continue;
        QVERIFY2(before.contains(outcome.view) && outcome.error->code == u"duplicate_key" &&
                     outcome.error->message.contains(outcome.view),
                 qPrintable(outcome.error->text()));
        refused.append(outcome.view);
    }
    QVERIFY2(refused.size() == before.size(), qPrintable(refused.join(u' ')));
    for (const auto &[view, rows] : before.asKeyValueRange())
        QCOMPARE(stored(view), rows);
}

void tst_Kinds::refusesAKeyThatTheTableWouldNarrow()
{
    m_scenario->run(QStringLiteral("CREATE TABLE @.ev (k varchar, ts timestamp(6))"));
    const auto view = m_scenario->view(
        QStringLiteral("narrowed"),
        QStringLiteral("SELECT k,\n  CAST(ts AS timestamp(9)) AS t,\n  count(*) AS n FROM @.ev "
                       "GROUP BY 1, 2"));
    const auto error = refresh({view}).front().error;
    QVERIFY(error);
    QVERIFY2(error->kind == ErrorKind::Unsupported && error->message.contains(u"narrowed"),
             qPrintable(error->text()));
    if (kIsTrino)
        QVERIFY2(error->code == u"unstorable_type" && !error->hint.isEmpty(),
                 qPrintable(error->text()));
    QVERIFY(m_scenario->rows(QStringLiteral("SELECT * FROM @.narrowed"))
                .join(u' ')
                .contains(u"narrowed"));  // there is no such table
}

QList<RefreshOutcome> tst_Kinds::refresh(const QList<View> &views) const
{
    const auto outcomes =
        Refresher(m_scenario->services()).refresh(views, RefreshMode::IfChanged, {});
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return *outcomes;
}

QList<View> tst_Kinds::concerned(Filter concerns) const
{
    QList<View> views;
    std::ranges::copy_if(m_views, std::back_inserter(views), kIsTrino ? concerns : isAny);
    return views;
}

// `action` is that of views whose rows the step touches in part; empty: any.
void tst_Kinds::refreshAll(const QString &action, Filter concerns) const
{
    const auto views = concerned(concerns);
    const auto outcomes = refresh(views);
    for (qsizetype i = 0; i < views.size(); ++i) {
        const auto &outcome = outcomes[i];
        QVERIFY2(!outcome.error, outcome.error ? qPrintable(outcome.error->text()) : "");
        const bool isTold = isRanges(views[i]) && !action.isEmpty();
        QVERIFY2(!isTold || actionName(outcome.action) == action,
                 qPrintable(outcome.view + u' ' + outcome.reason));
        compare(views[i]);
    }
}

void tst_Kinds::compare(const View &view) const
{
    QStringList wanted;
    QStringList found;
    for (const auto &line : m_scenario->rows(bothSides(view))) {
        const QString side = line.section(u'|', 0, 0);
        QVERIFY2(side == u"query" || side == u"table", qPrintable(line));
        (side == u"query" ? wanted : found).append(normalized(line.section(u'|', 1)));
    }
    wanted.sort();
    found.sort();
    QVERIFY2(wanted == found,
             qPrintable(QStringLiteral("view %1 has\n%2\ninstead of\n%3")
                            .arg(view.spec.name, found.join(u'\n'), wanted.join(u'\n'))));
}

void tst_Kinds::verifyAll() const
{
    auto services = m_scenario->services();
    for (const auto &view : m_views) {
        const bool isNumber = isRanges(view) && view.shape.bucket->function.keyDomain ==
                                                    BucketFunction::Domain::Number;
        // "9" is before "1000".
        const VerifyRange range =
            isNumber ? VerifyRange{QStringLiteral("9"), QStringLiteral("1000")} : VerifyRange{};
        const auto verified = verifyView(services, view, range, {});
        QVERIFY2(verified, verified ? "" : qPrintable(verified.error().text()));
        QVERIFY2(verified->equal, qPrintable(view.spec.name));
    }
}

QTEST_GUILESS_MAIN(tst_Kinds)
#include "tst_kinds.moc"
