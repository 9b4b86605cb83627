// What happens to a view's source and to its table, one thing at a time, on the engine that ctest
// names (IVM_TEST_ENGINE): which buckets are recomputed, and that the view equals its query. Files
// are wide: each spans months, and a row of it says little about where the others are.
#include "tests/e2e/each_engine.h"

#include <QLoggingCategory>

using namespace ivm;
using namespace ivm::test;

namespace {

const auto kHourly = QStringLiteral(
    "SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) AS total FROM @.ev GROUP BY 1, "
    "2");

const int kFiles = kIsTrino ? 6 : 10;
constexpr int kRowsOfFile = 200;
constexpr int kDays = 180;

// File f has its rows at hour f of the days of half a year; rows 0 to 19 share their hours with
// rows 180 to 199.
QString wideFile(int file)
{
    QStringList rows;
    for (int row = 0; row < kRowsOfFile; ++row) {
        const QDateTime at(QDate(2024, 1, 1).addDays(row % kDays), QTime(file, row / kDays),
                           Qt::UTC);
        rows.append(QStringLiteral("(%1, TIMESTAMP '%2', '%3', %4)")
                        .arg(1000 * file + row)
                        .arg(at.toString(QStringLiteral("yyyy-MM-dd hh:mm:ss")),
                             row % 3 == 0 ? QStringLiteral("a") : QStringLiteral("b"))
                        .arg(row));
    }
    return QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", "));
}

QString rollback(const QString &table, const TableHead &head)
{
    return QStringLiteral("ALTER TABLE @.%1 EXECUTE rollback_to_snapshot(%2)")
        .arg(table)
        .arg(*head.snapshot);
}

// "2024-01-01 05 to 2024-01-01 06" for hours, without what is the same everywhere.
QString shown(const RefreshOutcome &outcome)
{
    QStringList out;
    for (const auto &range : outcome.ranges) {
        const auto text = [](const std::optional<QString> &bound) {
            return bound ? bound->chopped(6) : QStringLiteral("open");
        };
        out.append(text(range.from) + QStringLiteral(" to ") + text(range.to));
    }
    if (outcome.nullBucket)
        out.append(QStringLiteral("NULL"));
    return out.join(QStringLiteral(", "));
}

}  // namespace

class tst_Probes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void rowsOfWideFiles();
    void deletesThatLookTheSame();
    void compactionsInBetween();
    void valuesThatAreEqualAndAreNot();
    void aColumnOfOurName();
    void theSourceIsEmptied();
    void theTargetIsTouchedByHand();
    void theTargetIsSomebodyElses();
    void namesOfAllKinds();
    void aChainOfThree();
    void badViewsInOneFile();

private:
    void run(const QStringList &statements) { m_scenario->run(statements); }
    void run(const QString &statement) { m_scenario->run(statement); }
    View hourly() const { return m_scenario->view(QStringLiteral("hourly"), kHourly); }
    void makeWideFiles(const QStringList &between = {});
    // What the refresh after the statements recomputes; or what is wrong then.
    QString touched(const QStringList &statements) { return touched(hourly(), statements); }
    QString touched(const View &view, const QStringList &statements);

    std::unique_ptr<Scenario> m_scenario;
};

void tst_Probes::makeWideFiles(const QStringList &between)
{
    run(QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), k varchar, x bigint)"));
    run(between);
    for (int file = 0; file < kFiles; ++file)
        run(wideFile(file));
    QCOMPARE(m_scenario->refreshed(hourly()), kRebuild);
}

QString tst_Probes::touched(const View &view, const QStringList &statements)
{
    run(statements);
    const auto outcome = m_scenario->refresh(view);
    if (outcome.error)
        return outcome.reason;
    if (const QString wrong = m_scenario->difference(view); !wrong.isEmpty())
        return wrong;
    return outcome.action == Action::Incremental ? shown(outcome) : actionName(outcome.action);
}

void tst_Probes::rowsOfWideFiles()
{
    makeWideFiles();
    // Appended: one, late and new ones, in one and in two snapshots.
    QCOMPARE(touched({QStringLiteral("INSERT INTO @.ev VALUES (19001, TIMESTAMP '2024-03-01 "
                                     "23:10:00', 'a', 1)")}),
             QStringLiteral("2024-03-01 23 to 2024-03-02 00"));
    QCOMPARE(
        touched({QStringLiteral("INSERT INTO @.ev VALUES (19002, TIMESTAMP '2024-01-05 "
                                "23:10:00', 'c', 1), (19003, TIMESTAMP '2024-06-28 23:10:00', "
                                "'a', 1), (19004, NULL, 'a', 1)")}),
        QStringLiteral("2024-01-05 23 to 2024-01-06 00, 2024-06-28 23 to 2024-06-29 00, NULL"));
    QCOMPARE(touched({QStringLiteral("INSERT INTO @.ev VALUES (19005, TIMESTAMP '2024-01-05 "
                                     "22:10:00', 'c', 1)"),
                      QStringLiteral("INSERT INTO @.ev VALUES (19006, TIMESTAMP '2024-07-28 "
                                     "23:10:00', 'a', 1)")}),
             QStringLiteral("2024-01-05 22 to 2024-01-05 23, 2024-07-28 23 to 2024-07-29 00"));
    // Changed: a value, a row's hour; merged.
    QCOMPARE(touched({QStringLiteral("UPDATE @.ev SET x = -1 WHERE id = 1030")}),
             QStringLiteral("2024-01-31 01 to 2024-01-31 02"));
    QCOMPARE(touched({QStringLiteral("UPDATE @.ev SET ts = TIMESTAMP '2023-05-05 05:05:05' WHERE "
                                     "id = 2040")}),
             QStringLiteral("2023-05-05 05 to 2023-05-05 06, 2024-02-10 02 to 2024-02-10 03"));
    QCOMPARE(touched({QStringLiteral(
                 "MERGE INTO @.ev AS t USING (VALUES (3050, TIMESTAMP '2024-04-01 20:00:00'), "
                 "(3100, NULL), (19100, TIMESTAMP '2024-05-01 20:00:00')) AS s (id, ts) ON t.id = "
                 "s.id WHEN MATCHED AND s.ts IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET ts = "
                 "s.ts WHEN NOT MATCHED THEN INSERT (id, ts, k, x) VALUES (s.id, s.ts, 'm', 5)")}),
             QStringLiteral("2024-02-20 03 to 2024-02-20 04, 2024-04-01 20 to 2024-04-01 21, "
                            "2024-04-10 03 to 2024-04-10 04, 2024-05-01 20 to 2024-05-01 21"));
    // Deleted: one row, one hour.
    QCOMPARE(touched({QStringLiteral("DELETE FROM @.ev WHERE id = 5005")}),
             QStringLiteral("2024-01-06 05 to 2024-01-06 06"));
    QCOMPARE(touched({QStringLiteral("DELETE FROM @.ev WHERE ts >= TIMESTAMP '2024-01-07 04:00:00' "
                                     "AND ts < TIMESTAMP '2024-01-07 05:00:00'")}),
             QStringLiteral("2024-01-07 04 to 2024-01-07 05"));
    // A row that leaves the view's column as it was.
    QCOMPARE(touched({QStringLiteral("UPDATE @.ev SET id = 7777 WHERE id = 4070")}), kNone);
    // A day of every file: more than can be told apart at a gain.
    run(QStringLiteral("DELETE FROM @.ev WHERE ts >= TIMESTAMP '2024-02-02 00:00:00' AND ts < "
                       "TIMESTAMP '2024-02-03 00:00:00'"));
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
}

// Of two rows of one file and one hour one is deleted, then the other instead of it.
void tst_Probes::deletesThatLookTheSame()
{
    makeWideFiles();
    const TableHead whole = m_scenario->head(QStringLiteral("ev"));
    QCOMPARE(touched({QStringLiteral("DELETE FROM @.ev WHERE id = 1003")}),
             QStringLiteral("2024-01-04 01 to 2024-01-04 02"));
    QCOMPARE(touched({rollback(QStringLiteral("ev"), whole),
                      QStringLiteral("DELETE FROM @.ev WHERE id = 1183")}),
             QStringLiteral("2024-01-04 01 to 2024-01-04 02"));
    // Another one of the same file.
    QCOMPARE(touched({rollback(QStringLiteral("ev"), whole),
                      QStringLiteral("DELETE FROM @.ev WHERE id = 1100")}),
             QStringLiteral("2024-01-04 01 to 2024-01-04 02, 2024-04-10 01 to 2024-04-10 02"));
    // The same one once more: nothing differs.
    QCOMPARE(touched({rollback(QStringLiteral("ev"), whole),
                      QStringLiteral("DELETE FROM @.ev WHERE id = 1100")}),
             kNone);
    QCOMPARE(touched({rollback(QStringLiteral("ev"), whole)}),
             QStringLiteral("2024-04-10 01 to 2024-04-10 02"));
    // Undone before anybody looked.
    QCOMPARE(touched({QStringLiteral("UPDATE @.ev SET ts = NULL, x = 0 WHERE id < 1000"),
                      rollback(QStringLiteral("ev"), whole)}),
             kNone);
}

void tst_Probes::compactionsInBetween()
{
    const auto optimize = QStringLiteral("ALTER TABLE @.ev EXECUTE optimize");
    makeWideFiles();
    run(QStringLiteral("DELETE FROM @.ev WHERE id = 1001"));
    run(optimize);
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    run(optimize);
    QCOMPARE(m_scenario->refreshed(hourly()), kNone);
    run({QStringLiteral("UPDATE @.ev SET ts = TIMESTAMP '2024-09-09 09:00:00' WHERE id = 1002"),
         optimize, QStringLiteral("DELETE FROM @.ev WHERE id = 1003"), optimize,
         QStringLiteral("INSERT INTO @.ev VALUES (19001, NULL, 'a', 1)")});
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    // Small files beside the large one, and one of them changes.
    run({wideFile(20), wideFile(21)});
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    QCOMPARE(touched({QStringLiteral("DELETE FROM @.ev WHERE id = 20009")}),
             QStringLiteral("2024-01-10 20 to 2024-01-10 21"));
}

// Rows count as changed when a view can tell: 0 from -0, a field from another one, NULL from NaN.
void tst_Probes::valuesThatAreEqualAndAreNot()
{
    run(QStringLiteral("CREATE TABLE @.odd (id bigint, ts timestamp(6), f double, r real, l "
                       "array(double), p row(a integer, b varchar), m map(varchar, integer), b "
                       "varbinary, d decimal(12,2))"));
    for (int file = 0; file < 6; ++file) {
        QStringList rows;
        // A file has one zero: the embedded engine's writer stores 0 and -0 as what came first.
        for (int row = 0; row < 40; ++row) {
            const QDateTime at(QDate(2024, 1, 1).addDays(row), QTime(file, 0), Qt::UTC);
            rows.append(
                QStringLiteral("(%1, TIMESTAMP '%2', %3, CAST(%4 AS real), ARRAY[%3], ROW(1, 'b'), "
                               "MAP(ARRAY['k'], ARRAY[1]), X'00', DECIMAL '0.00')")
                    .arg(100 * file + row)
                    .arg(at.toString(QStringLiteral("yyyy-MM-dd hh:mm:ss")),
                         row == 3 ? QStringLiteral("0e0") : QStringLiteral("1e0"),
                         row == 4 ? QStringLiteral("0e0") : QStringLiteral("1e0")));
        }
        run(QStringLiteral("INSERT INTO @.odd VALUES ") + rows.join(QStringLiteral(", ")));
    }
    // What is inside of a column Trino does not tell: views that read it are diffed there.
    const View view = m_scenario->view(
        QStringLiteral("odd_hours"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS h, min(1e0 / f) AS f, min(1e0 / r) AS r, "
                       "%1 min(b) AS b, min(d) AS d FROM @.odd GROUP BY 1")
            .arg(kIsTrino ? u"" : u"min(p.b) AS p,"));
    const View lists =
        m_scenario->view(QStringLiteral("list_hours"),
                         QStringLiteral("SELECT date_trunc('hour', ts) AS h, min(1e0 / l[1]) AS l, "
                                        "min(m['k']) AS m FROM @.odd GROUP "
                                        "BY 1"));
    QCOMPARE(m_scenario->refreshed(view), kRebuild);
    QCOMPARE(m_scenario->refreshed(lists), kRebuild);
    int id = 203;
    for (const char *change : {"f = 0e0 * -1e0", "r = CAST(0e0 * -1e0 AS real)", "f = nan()",
                               "f = NULL", "p = ROW(1, 'c')", "p = ROW(1, NULL)", "p = NULL",
                               "b = X'0000'", "d = DECIMAL '0.01'", "d = NULL"}) {
        // A statement of a cluster takes its time: those that its floats need.
        if (kIsTrino && id > 205)
            break;
        const QString day = QDate(2024, 1, 1).addDays(id - 200).toString(Qt::ISODate);
        run(QStringLiteral("UPDATE @.odd SET %1 WHERE id = %2")
                .arg(QString::fromLatin1(change))
                .arg(id));
        const auto outcome = m_scenario->refresh(view);
        QVERIFY2(!outcome.error, outcome.error ? qPrintable(outcome.error->text()) : "");
        const QString wrong = m_scenario->difference(view);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromLatin1(change) + u' ' + wrong));
        QCOMPARE(shown(outcome), QStringLiteral("%1 02 to %1 03").arg(day));
        ++id;
    }
    for (const char *change : {"l = ARRAY[0e0 * -1e0]", "m = MAP(ARRAY['k'], ARRAY[2])"}) {
        run(QStringLiteral("UPDATE @.odd SET %1 WHERE id = 103").arg(QString::fromLatin1(change)));
        QCOMPARE(m_scenario->refreshed(lists), kIsTrino ? kDiff : kIncremental);
    }
}

// What our statements call their columns is a name that a table may have.
void tst_Probes::aColumnOfOurName()
{
    run(QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), ivm_weight bigint, k "
                       "varchar)"));
    for (int file = 0; file < 6; ++file) {
        QStringList rows;
        for (int row = 0; row < 40; ++row)
            rows.append(
                QStringLiteral("(%1, TIMESTAMP '2024-01-01 00:00:00' + INTERVAL '%2' DAY, 0, 'k')")
                    .arg(100 * file + row)
                    .arg(row));
        run(QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", ")));
    }
    const View view = m_scenario->view(
        QStringLiteral("weights"),
        QStringLiteral("SELECT date_trunc('day', ts) AS d, sum(ivm_weight) AS w, max(k) AS k FROM "
                       "@.ev GROUP BY 1"));
    QCOMPARE(m_scenario->refreshed(view), kRebuild);
    QCOMPARE(touched(view, {QStringLiteral("UPDATE @.ev SET k = 'z' WHERE id = 303")}),
             QStringLiteral("2024-01-04 00 to 2024-01-05 00"));
}

void tst_Probes::theSourceIsEmptied()
{
    run({QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), k varchar, x bigint)")});
    QCOMPARE(m_scenario->refreshed(hourly()), kRebuild);
    run({wideFile(1), QStringLiteral("INSERT INTO @.ev VALUES (1, NULL, NULL, NULL)")});
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    const TableHead full = m_scenario->head(QStringLiteral("ev"));
    run(QStringLiteral("DELETE FROM @.ev"));
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM @.hourly")),
             QStringList(QStringLiteral("0")));
    run(rollback(QStringLiteral("ev"), full));
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    run({QStringLiteral("TRUNCATE TABLE @.ev"),
         QStringLiteral("INSERT INTO @.ev VALUES (1, TIMESTAMP '2024-01-01 00:00:00', 'a', 1)")});
    QCOMPARE(m_scenario->refreshed(hourly()), kIncremental);
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT k, n FROM @.hourly")),
             QStringList(QStringLiteral("a|1")));
}

void tst_Probes::theTargetIsTouchedByHand()
{
    run({QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), k varchar, x bigint)"),
         wideFile(0), QStringLiteral("INSERT INTO @.ev VALUES (1, NULL, NULL, NULL)")});
    QCOMPARE(m_scenario->refreshed(hourly()), kRebuild);
    const TableHead before = m_scenario->head(QStringLiteral("hourly"));
    const auto append =
        QStringLiteral("INSERT INTO @.ev VALUES (2, TIMESTAMP '2024-01-01 00:00:00', 'a', 1)");
    const auto touch = [this](const QStringList &statements) {
        run(statements);
        return m_scenario->refreshed(hourly());
    };
    QCOMPARE(touch({QStringLiteral("INSERT INTO @.hourly SELECT * FROM @.hourly WHERE k = 'a' OR k "
                                   "IS NULL")}),
             kIncremental);
    QCOMPARE(touch({QStringLiteral("UPDATE @.hourly SET n = 7 WHERE h IS NULL OR h = TIMESTAMP "
                                   "'2024-02-02 00:00:00'"),
                    append}),
             kIncremental);
    // Back to a state before our last commit, with and without a change of the source.
    QCOMPARE(touch({rollback(QStringLiteral("hourly"), before)}), kIncremental);
    QCOMPARE(touch({rollback(QStringLiteral("hourly"), before), append}), kIncremental);
    QCOMPARE(touch({QStringLiteral("ALTER TABLE @.hourly EXECUTE optimize")}), kNone);
    QCOMPARE(touch({QStringLiteral("DELETE FROM @.hourly")}), kIncremental);
    // Another table, or the same one with other rows: that depends on the engine.
    const QString replaced =
        touch({QStringLiteral("CREATE OR REPLACE TABLE @.hourly AS SELECT * FROM @.hourly WHERE k "
                              "= 'a'")});
    QCOMPARE(replaced, kIsTrino ? kDiff : kIncremental);
    const QStringList again{QStringLiteral("DROP TABLE @.hourly"),
                            QStringLiteral("CREATE TABLE @.hourly (k varchar, h timestamp(6), n "
                                           "bigint, total bigint)")};
    QCOMPARE(touch(again), kDiff);
    // Rows in it are not ours to delete, whatever name it has.
    const QString theirs = touch(
        again + QStringList(QStringLiteral("INSERT INTO @.hourly VALUES ('no', NULL, 1, 1)")));
    QVERIFY2(theirs.contains(u"--adopt"), qPrintable(theirs));
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT k FROM @.hourly")),
             QStringList(QStringLiteral("no")));
    QCOMPARE(actionName(m_scenario->refresh(hourly(), RefreshMode::Adopt).action), kDiff);
    QCOMPARE(touch({append}), kIncremental);
    QCOMPARE(touch({QStringLiteral("DROP TABLE @.hourly"), append}), kRebuild);
}

void tst_Probes::theTargetIsSomebodyElses()
{
    run({QStringLiteral("CREATE TABLE @.src (k varchar, x bigint)"),
         QStringLiteral("INSERT INTO @.src VALUES ('a', 1), ('b', 2)"),
         QStringLiteral("CREATE TABLE @.totals (k varchar, n bigint)"),
         QStringLiteral("INSERT INTO @.totals VALUES ('theirs', 7)")});
    const auto query = QStringLiteral("SELECT k, sum(x) AS n FROM @.src GROUP BY 1");
    const View totals = m_scenario->view(QStringLiteral("totals"), query);
    const auto kept = QStringLiteral("SELECT k, n FROM @.totals ORDER BY 1");
    const auto refused = m_scenario->refresh(totals);
    QCOMPARE(refused.error ? refused.error->code : QString(), QStringLiteral("target_in_use"));
    QCOMPARE(m_scenario->rows(kept), QStringList{QStringLiteral("theirs|7")});

    QCOMPARE(actionName(m_scenario->refresh(totals, RefreshMode::Adopt).action), kDiff);
    QCOMPARE(m_scenario->rows(kept), QStringList({QStringLiteral("a|1"), QStringLiteral("b|2")}));
    QCOMPARE(m_scenario->refreshed(totals), kNone);
    // What was taken over is known to be the view's, also without the state.
    run(QStringLiteral("DELETE FROM @.totals WHERE k = 'b'"));
    const auto another = m_scenario->anotherHost(QStringLiteral("another.db"));
    const auto known = Refresher(another->services()).refresh({totals}, RefreshMode::IfChanged, {});
    QCOMPARE(known ? actionName(known->front().action) : known.error().text(), kDiff);
    QCOMPARE(m_scenario->difference(totals), QString());

    // Without rows anybody may have it. One that a refresh made is known without any state.
    run(QStringLiteral("CREATE TABLE @.empty (k varchar, n bigint)"));
    const View empty = m_scenario->view(QStringLiteral("empty"), query);
    QCOMPARE(m_scenario->refreshed(empty), kDiff);
    const View made = m_scenario->view(QStringLiteral("made"), query);
    QCOMPARE(m_scenario->refreshed(made), kRebuild);
    run(QStringLiteral("DELETE FROM @.made WHERE k = 'a'"));
    const auto other = m_scenario->anotherHost(QStringLiteral("other.db"));
    const auto outcomes = Refresher(other->services()).refresh({made}, RefreshMode::IfChanged, {});
    QCOMPARE(outcomes ? actionName(outcomes->front().action) : outcomes.error().text(), kDiff);
    QCOMPARE(m_scenario->difference(made), QString());

    // Nor is the table of one view that of another one, on another host.
    View rival = m_scenario->view(QStringLiteral("rival"), query);
    rival.spec.target = made.spec.target;
    const auto stranger = m_scenario->anotherHost(QStringLiteral("stranger.db"));
    const auto taken = Refresher(stranger->services()).refresh({rival}, RefreshMode::IfChanged, {});
    QVERIFY2(taken && taken->front().reason.contains(u"is kept for view 'made'"),
             taken ? qPrintable(taken->front().reason) : "");
    // Renamed on this one, it goes on with its table.
    QCOMPARE(actionName(m_scenario->refresh(rival).action), kDiff);
}

void tst_Probes::namesOfAllKinds()
{
    const auto insert = [this](const char *values) {
        run(QStringLiteral("INSERT INTO @.\"order\" VALUES ") + QString::fromLatin1(values));
    };
    run(QStringLiteral("CREATE TABLE @.\"order\" (\"time of day\" timestamp(6), \"select\" "
                       "varchar, \"a.b\" bigint, \"\u00fcn\u00ef\" bigint, \"say \"\"hi\"\"\" "
                       "bigint, \"Mixed\" bigint, \"it's\" bigint, \"100%1\" bigint) WITH "
                       "(partitioning = ARRAY['\"select\"', 'month(\"time of day\")'])"));
    View view = m_scenario->view(
        QStringLiteral("from"),
        QStringLiteral(
            "SELECT \"select\", date_trunc('hour', \"time of day\") AS \"group by\", sum(\"a.b\") "
            "AS \"a.b\", max(\"\u00fcn\u00ef\") AS \"gr\u00f6\u00dfe \u2713\", count(\"say "
            "\"\"hi\"\"\") AS \"a \"\"quoted\"\" name\", sum(\"mIXED\") AS \"MixedCase\", count(*) "
            "AS \"count\", max(\"it's\") AS \"it's\", min(\"100%1\") AS \"100%1\" FROM "
            "@.\"order\" GROUP BY 1, 2"));
    view.spec.targetPartitioning = {*parsePartitionField(u"day(\"group by\")"),
                                    *parsePartitionField(u"\"select\"")};
    view.spec.sortedBy = {QStringLiteral("\"group by\"")};
    insert("(TIMESTAMP '2024-01-01 10:10:00', 'a', 1, 2, 3, 4, 5, 6), (TIMESTAMP '2024-01-02 "
           "10:10:00', 'it''s', 1, 2, NULL, 4, 5, 6)");
    QCOMPARE(m_scenario->refreshed(view), kRebuild);
    insert("(TIMESTAMP '2024-01-01 10:20:00', 'a', 1, 9, 3, 4, 5, 6), (NULL, NULL, 1, 9, 3, 4, 5, "
           "6)");
    QCOMPARE(m_scenario->refreshed(view), kIncremental);
    run(QStringLiteral("DELETE FROM @.\"order\" WHERE \"select\" = 'it''s'"));
    QCOMPARE(m_scenario->refreshed(view), kIncremental);
    run(QStringLiteral("UPDATE @.\"from\" SET \"a.b\" = 0, \"a \"\"quoted\"\" name\" = 0"));
    QCOMPARE(m_scenario->refreshed(view), kIncremental);
    run(QStringLiteral("ALTER TABLE @.\"order\" RENAME COLUMN \"a.b\" TO \"c.d\""));
    const QString missed = m_scenario->refreshed(view);
    QVERIFY2(missed.contains(u"view 'from'") && missed.contains(u"a.b"), qPrintable(missed));
}

void tst_Probes::aChainOfThree()
{
    makeWideFiles();
    const View daily = m_scenario->view(
        QStringLiteral("daily"), QStringLiteral("SELECT date_trunc('day', h) AS d, sum(n) AS n, "
                                                "sum(total) AS total FROM @.hourly GROUP BY 1"));
    const View monthly = m_scenario->view(
        QStringLiteral("monthly"), QStringLiteral("SELECT date_trunc('month', d) AS m, sum(n) AS "
                                                  "n, max(total) AS most FROM @.daily GROUP BY 1"));
    const QList<View> chain{hourly(), daily, monthly};
    m_scenario->refresh(chain);
    run(QStringLiteral("UPDATE @.ev SET ts = TIMESTAMP '2024-05-05 05:05:05', x = 1000000 WHERE id "
                       "= 1030"));
    for (const auto &outcome : m_scenario->refresh(chain)) {
        QCOMPARE(actionName(outcome.action), kIncremental);
        QVERIFY(outcome.view != u"hourly" || outcome.ranges.size() == 2);
    }
    for (const auto &view : chain)
        QCOMPARE(m_scenario->refreshed(view), kNone);
}

void tst_Probes::badViewsInOneFile()
{
    run({QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), k varchar, x bigint)"),
         wideFile(0)});
    const auto definitions = m_scenario->definitions(QStringLiteral(R"(views:
- {name: no_sql, query: SELECT k FORM @.ev}
- {name: chance, query: "SELECT k, max(random()) AS r FROM @.ev GROUP BY 1"}
- {name: no_table, query: "SELECT k, count(*) AS n FROM @.nowhere GROUP BY 1"}
- {name: no_column, query: "SELECT k, sum(y) AS n FROM @.ev GROUP BY 1"}
- {name: no_sum, query: "SELECT date_trunc('hour', ts) AS h, sum(k) AS n FROM @.ev GROUP BY 1"}
- {name: reads_bad, query: "SELECT h, sum(n) AS n FROM @.no_sum GROUP BY 1"}
- {name: good, query: "SELECT date_trunc('day', ts) AS d, count(*) AS n FROM @.ev GROUP BY 1"}
- name: reads_good
  query: "SELECT date_trunc('month', d) AS m, sum(n) AS n FROM @.good GROUP BY 1"
)"));
    QStringList refused;
    for (const auto &definition : definitions.all()) {
        if (definition.isRefused())
            refused.append(definition.spec.name);
    }
    QCOMPARE(refused, QStringLiteral("no_sql chance").split(u' '));
    QStringList failed;
    for (const auto &outcome : m_scenario->refresh(definitions.views())) {
        if (!outcome.error)
            continue;
        failed.append(outcome.view);
        QVERIFY2(outcome.error->text().contains(QStringLiteral("view '%1'").arg(outcome.view)),
                 qPrintable(outcome.error->text()));
    }
    failed.sort();
    QCOMPARE(failed, QStringLiteral("no_column no_sum no_table reads_bad").split(u' '));
    for (const char *name : {"good", "reads_good"}) {
        const auto view = definitions.view(QString::fromLatin1(name));
        QVERIFY(view);
        QCOMPARE(m_scenario->refreshed(*view), kNone);
    }
}

QTEST_GUILESS_MAIN(tst_Probes)
#include "tst_probes.moc"
