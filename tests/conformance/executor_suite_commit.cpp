// The promises of commit() and settle().
#include "tests/conformance/checks.h"
#include "tests/conformance/executor_suite.h"

#include <QUuid>

#include <thread>

namespace ivm::test {

namespace {

const Type kBigint{.kind = TypeKind::Bigint};
const Type kVarchar{.kind = TypeKind::Varchar};
const Type kTimestamp{.kind = TypeKind::Timestamp, .precision = 6};

const QList<OutputColumn> kColumns{{QStringLiteral("k"), kVarchar, ColumnClass::Key},
                                   {QStringLiteral("n"), kBigint, ColumnClass::Exact}};
const QList<OutputColumn> kBucketColumns{{QStringLiteral("h"), kTimestamp, ColumnClass::Key},
                                         {QStringLiteral("n"), kBigint, ColumnClass::Exact}};

QString hour(int of) { return QStringLiteral("TIMESTAMP '2026-01-01 0%1:00:00.000000'").arg(of); }

QString bucketRow(int of, int n) { return QStringLiteral("(%1, %2)").arg(hour(of)).arg(n); }

QString shown(const Result<Settlement> &settled)
{
    if (!settled)
        return settled.error().text();
    if (const auto *landed = std::get_if<Landed>(&*settled))
        return QStringLiteral("landed at ") + landed->target.token;
    if (const auto *unknown = std::get_if<OutcomeUnknown>(&*settled))
        return QStringLiteral("unknown: ") + unknown->reason;
    return QStringLiteral("not landed");
}

}  // namespace

Result<ExecutorSuite::Target> ExecutorSuite::makeTarget()
{
    const TableName name = named(nextName());
    TableSpec spec{.name = name, .columns = {}};
    for (const auto &one : kColumns)
        spec.columns.append({one.name, one.type});
    IVM_CHECK(m_session->createTable(spec, Call{}));
    IVM_TRY(const TableHead at, head(name));
    return Target{name, at};
}

// Three hours and the NULL bucket.
Result<ExecutorSuite::Target> ExecutorSuite::makeBuckets()
{
    const TableName name = named(nextName());
    TableSpec spec{.name = name, .columns = {}};
    for (const auto &one : kBucketColumns)
        spec.columns.append({one.name, one.type});
    IVM_CHECK(m_session->createTable(spec, Call{}));
    IVM_CHECK(write(QStringLiteral("INSERT INTO %1 VALUES %2, %3, %4, (NULL, 9)")
                        .arg(name.quoted(), bucketRow(1, 1), bucketRow(2, 2), bucketRow(3, 3))));
    IVM_TRY(const TableHead at, head(name));
    return Target{name, at};
}

// Each row as "a|1", sorted; an error alone.
QStringList ExecutorSuite::rowsOf(const TableName &table)
{
    const auto rows =
        query(*m_session, QStringLiteral("SELECT * FROM %1").arg(table.quoted()), Call{});
    if (!rows)
        return {rows.error().text()};
    QStringList lines;
    for (const auto &row : rows->rows) {
        QStringList values;
        for (const auto &value : row)
            values.append(value.text());
        lines.append(values.join(u'|'));
    }
    lines.sort();
    return lines;
}

QString ExecutorSuite::wanted(const QString &values)
{
    const QString sql =
        QStringLiteral("SELECT CAST(k AS varchar) AS k, CAST(n AS bigint) AS n FROM (VALUES %1) "
                       "AS v(k, n)")
            .arg(values);
    willAnswer(sql, Rows{});
    return sql;
}

ReplaceAll ExecutorSuite::replaceAll(const TableName &table, const QString &values)
{
    return {{table, kColumns, wanted(values)}};
}

Change ExecutorSuite::replaceBuckets(const TableName &table, const QString &values,
                                     const BucketFilter &filter)
{
    const QString sql = QStringLiteral("SELECT CAST(h AS timestamp(6)) AS h, CAST(n AS bigint) AS "
                                       "n FROM (VALUES %1) AS v(h, n)")
                            .arg(values);
    return ReplaceRanges{{table, kBucketColumns, sql}, filter};
}

Result<CommitResult> ExecutorSuite::commit(const Change &change, const TableHead &head)
{
    m_intent = {.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                .view = QStringLiteral("v"),
                .target = replacementOf(change).target,
                .targetHead = head,
                .statementId = {},
                .summary = {{QStringLiteral("ivm.test"), QStringLiteral("kept")}}};
    const IntentRecorder record = [this](const QString &statementId) -> Status {
        m_intent.statementId = statementId;
        return {};
    };
    auto done = m_session->commit(change, m_intent, record, Call{});
    if (done && executor().can(Capability::QueryIdBeforeStart) && m_intent.statementId.isEmpty())
        return fail(internalError(QStringLiteral("the statement's id was not recorded")));
    return done;
}

bool ExecutorSuite::knowsItsCommits()
{
    return executor().can(Capability::QueryIdBeforeStart) ||
           executor().can(Capability::AtomicSummary);
}

QString ExecutorSuite::settled(const Intent &intent)
{
    return shown(m_session->settle(intent, Call{}));
}

void ExecutorSuite::commitMakesTheTargetEqual()
{
    TAKE(const auto target, makeTarget());
    TAKE(const auto first,
         commit(replaceAll(target.name, QStringLiteral("('a', 1), ('b', 2), (NULL, 3)")),
                target.head));
    QVERIFY(first.committed);
    TAKE(const auto after, head(target.name));
    QCOMPARE(first.target, after);
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    QCOMPARE(first.rowsWritten, 3);
    QCOMPARE(first.rowsDeleted, 0);
    TAKE(const auto second,
         commit(replaceAll(target.name, QStringLiteral("('a', 1), ('b', 5), ('c', 6)")),
                first.target));
    QCOMPARE(second.rowsWritten + second.rowsDeleted, 3);
    if (tellsDeletedRows())
        QCOMPARE(second.rowsDeleted, 1);
    QCOMPARE(rowsOf(target.name), QStringLiteral("a|1 b|5 c|6").split(u' '));
}

void ExecutorSuite::commitTouchesNoRowThatIsRight()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    const QString rows = QStringLiteral("('a', 1), (NULL, NULL)");
    TAKE(const auto first, commit(replaceAll(target.name, rows), target.head));
    TAKE(const auto second, commit(replaceAll(target.name, rows), first.target));
    QCOMPARE(second.committed, false);
    QCOMPARE(second.target, first.target);
    QCOMPARE(second.rowsWritten, 0);
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, first.target);
}

// Rows that come, change and go, all at once.
void ExecutorSuite::commitIsOneSnapshot()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    TAKE(const auto first,
         commit(replaceAll(target.name, QStringLiteral("('a', 1), ('b', 2)")), target.head));
    TAKE(const auto second,
         commit(replaceAll(target.name, QStringLiteral("('a', 5), ('c', 2)")), first.target));
    TAKE(const auto rows, query(*m_session,
                                QStringLiteral("SELECT parent_id FROM %1 WHERE snapshot_id = %2")
                                    .arg(target.name.quotedMetadataTable(u"snapshots"))
                                    .arg(second.target.snapshot.value_or(0)),
                                Call{}));
    QCOMPARE(rows.rows.size(), size_t(1));
    QCOMPARE(rows.rows[0][0].text(), QString::number(first.target.snapshot.value_or(0)));
    QCOMPARE(rowsOf(target.name), QStringLiteral("a|5 c|2").split(u' '));
}

void ExecutorSuite::commitReplacesTheBucketsOfItsRangesOnly()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeBuckets());
    const BucketFilter filter{.column = QStringLiteral("h"),
                              .ranges = {{hour(2), hour(3)}, {hour(4), std::nullopt}}};
    TAKE(const auto done,
         commit(replaceBuckets(target.name, bucketRow(5, 5), filter), target.head));
    QCOMPARE(done.rowsWritten + done.rowsDeleted, 2);
    if (tellsDeletedRows())
        QCOMPARE(done.rowsDeleted, 1);
    QCOMPARE(rowsOf(target.name), (QStringList{QStringLiteral("2026-01-01 01:00:00.000000|1"),
                                               QStringLiteral("2026-01-01 03:00:00.000000|3"),
                                               QStringLiteral("2026-01-01 05:00:00.000000|5"),
                                               QStringLiteral("NULL|9")}));
}

void ExecutorSuite::commitReplacesTheNullBucket()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeBuckets());
    const BucketFilter filter{
        .column = QStringLiteral("h"), .ranges = {{std::nullopt, hour(2)}}, .nullBucket = true};
    TAKE(const auto done,
         commit(replaceBuckets(target.name, QStringLiteral("(NULL, 7)"), filter), target.head));
    QVERIFY(done.committed);
    QCOMPARE(rowsOf(target.name), (QStringList{QStringLiteral("2026-01-01 02:00:00.000000|2"),
                                               QStringLiteral("2026-01-01 03:00:00.000000|3"),
                                               QStringLiteral("NULL|7")}));
}

void ExecutorSuite::commitMendsDuplicatedKeys()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    DO(write(QStringLiteral("INSERT INTO %1 VALUES ('a', 1), ('a', 1), ('a', 2), (NULL, 3), "
                            "(NULL, 3)")
                 .arg(target.name.quoted())));
    TAKE(const auto from, head(target.name));
    TAKE(const auto done,
         commit(replaceAll(target.name, QStringLiteral("('a', 1), (NULL, 3)")), from));
    QVERIFY(done.committed);
    QCOMPARE(rowsOf(target.name), QStringLiteral("NULL|3 a|1").split(u' '));
}

void ExecutorSuite::commitRefusesAQueryWithOneKeyTwice()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    const auto done =
        commit(replaceAll(target.name, QStringLiteral("('a', 1), ('a', 2)")), target.head);
    REFUSED(ErrorKind::Invalid, done);
    QCOMPARE(done.error().code, u"duplicate_key");
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, target.head);
}

void ExecutorSuite::commitRefusesATargetThatIsElsewhere()
{
    TAKE(const auto target, makeTarget());
    TAKE(const auto first,
         commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    REFUSED(ErrorKind::Conflict,
            commit(replaceAll(target.name, QStringLiteral("('b', 2)")), target.head));
    // Nor where the rows are the right ones already.
    REFUSED(ErrorKind::Conflict,
            commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, first.target);
    if (keepsRows())
        QCOMPARE(rowsOf(target.name), QStringList{QStringLiteral("a|1")});
}

void ExecutorSuite::commitRefusesATargetMadeAgain()
{
    TAKE(const auto target, makeTarget());
    DO(m_session->dropTable(target.name, Call{}));
    TableSpec spec{.name = target.name, .columns = {}};
    for (const auto &one : kColumns)
        spec.columns.append({one.name, one.type});
    DO(m_session->createTable(spec, Call{}));
    TAKE(const auto again, head(target.name));
    REFUSED(ErrorKind::Conflict,
            commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, again);
}

void ExecutorSuite::commitOfAFailingQueryWritesNothing_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<ErrorKind>("kind");
    QTest::newRow("a source that is not there")
        << QStringLiteral("SELECT k, n FROM no_such_table") << ErrorKind::NotFound;
    QTest::newRow("a column that is not there")
        << QStringLiteral("SELECT nope AS k, n FROM (VALUES ('a', BIGINT '1')) AS v(k, n)")
        << ErrorKind::Invalid;
    QTest::newRow("a row that cannot be computed")
        << QStringLiteral("SELECT CAST(k AS varchar) AS k, BIGINT '1' / n AS n FROM (VALUES ('a', "
                          "BIGINT '1'), ('b', BIGINT '0')) AS v(k, n)")
        << ErrorKind::Invalid;
}

void ExecutorSuite::commitOfAFailingQueryWritesNothing()
{
    QFETCH(QString, query);
    QFETCH(ErrorKind, kind);
    willAnswer(query, fail(kind == ErrorKind::NotFound ? notFoundError(QStringLiteral("no"))
                                                       : invalidError(QStringLiteral("no"))));
    TAKE(const auto target, makeTarget());
    REFUSED(kind, commit(ReplaceAll{{target.name, kColumns, query}}, target.head));
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, target.head);
    QCOMPARE(settled(m_intent), QStringLiteral("not landed"));
}

void ExecutorSuite::commitSaysWhereTheQueryIsWrong()
{
    const QString sql = QStringLiteral("SELECT CAST('a' AS varchar) AS k,\n  nope AS n FROM "
                                       "(VALUES 1) AS v(x)");
    Error no = invalidError(QStringLiteral("no"));
    no.place = {{}, 2, 3};
    willAnswer(sql, fail(no));
    TAKE(const auto target, makeTarget());
    const auto done = commit(ReplaceAll{{target.name, kColumns, sql}}, target.head);
    REFUSED(ErrorKind::Invalid, done);
    QCOMPARE(done.error().place, (Place{{}, 2, 3}));
}

// Both start from one state, so one is told that the target has moved on.
void ExecutorSuite::commitsOfTwoSessionsAreOneAfterTheOther()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    QStringList outcomes(2);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) {
            const auto change = replaceAll(target.name, QStringLiteral("('a', %1)").arg(i));
            const Intent intent{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                                .view = QStringLiteral("v%1").arg(i),
                                .target = target.name,
                                .targetHead = target.head,
                                .statementId = {},
                                .summary = {}};
            threads.emplace_back([this, change, intent, outcome = &outcomes[i]] {
                const auto session = executor().openSession({}, Call{});
                *outcome =
                    session
                        ? outcomeOf((*session)->commit(
                              change, intent, [](const QString &) -> Status { return {}; }, Call{}))
                        : outcomeOf(session);
            });
        }
    }
    QVERIFY2(outcomes.contains(QStringLiteral("ok")), qPrintable(outcomes.join(u' ')));
    QVERIFY2(outcomes.contains(QStringLiteral("conflict")), qPrintable(outcomes.join(u' ')));
    QCOMPARE(rowsOf(target.name),
             QStringList{QStringLiteral("a|%1").arg(outcomes.indexOf(QStringLiteral("ok")))});
}

void ExecutorSuite::commitIsGivenUpWhenItsIdCannotBeKept()
{
    if (!executor().can(Capability::QueryIdBeforeStart))
        QSKIP("this one's statements have no id before they start");
    TAKE(const auto target, makeTarget());
    m_intent = {.id = QStringLiteral("i"),
                .view = QStringLiteral("v"),
                .target = target.name,
                .targetHead = target.head,
                .statementId = {},
                .summary = {}};
    const IntentRecorder record = [this](const QString &statementId) -> Status {
        m_intent.statementId = statementId;
        return fail(unavailableError(QStringLiteral("the disk is full")));
    };
    REFUSED(ErrorKind::Unavailable,
            m_session->commit(replaceAll(target.name, QStringLiteral("('a', 1)")), m_intent, record,
                              Call{}));
    QVERIFY(!m_intent.statementId.isEmpty());
    QCOMPARE(settled(m_intent), QStringLiteral("not landed"));
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, target.head);
}

void ExecutorSuite::commitCarriesTheIntentsSummary()
{
    if (!executor().can(Capability::AtomicSummary))
        QSKIP("this one's snapshots carry nothing of ours");
    TAKE(const auto target, makeTarget());
    TAKE(const auto done, commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    QVERIFY(done.committed);
    TAKE(const auto info, m_session->tableInfo(target.name, Call{}));
    QCOMPARE(info.headSummary.value(QStringLiteral("ivm.test")), QStringLiteral("kept"));
    TAKE(const auto settled, m_session->settle(m_intent, Call{}));
    const auto *landed = std::get_if<Landed>(&settled);
    QVERIFY(landed);
    QCOMPARE(landed->summary.value(QStringLiteral("ivm.test")), QStringLiteral("kept"));
}

void ExecutorSuite::settleSaysThatItLanded()
{
    TAKE(const auto target, makeTarget());
    TAKE(const auto done, commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    const QString outcome = settled(m_intent);
    if (knowsItsCommits())
        QCOMPARE(outcome, QString(QStringLiteral("landed at ") + done.target.token));
    else
        QVERIFY2(outcome != u"not landed", qPrintable(outcome));
}

void ExecutorSuite::settleSaysThatItLandedAfterOthersWroteToo()
{
    TAKE(const auto target, makeTarget());
    TAKE(const auto done, commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    const Intent first = m_intent;
    TAKE(const auto other,
         commit(replaceAll(target.name, QStringLiteral("('a', 2)")), done.target));
    QVERIFY(other.target.token != done.target.token);
    const QString outcome = settled(first);
    if (knowsItsCommits())
        QCOMPARE(outcome, QString(QStringLiteral("landed at ") + done.target.token));
    else
        QVERIFY2(outcome != u"not landed", qPrintable(outcome));
}

void ExecutorSuite::settleSaysThatItDidNotLand_data()
{
    QTest::addColumn<QString>("what");
    for (const char *what : {"never sent", "refused", "nothing differed", "the target is gone"})
        QTest::newRow(what) << QString::fromLatin1(what);
}

void ExecutorSuite::settleSaysThatItDidNotLand()
{
    QFETCH(QString, what);
    TAKE(const auto target, makeTarget());
    TAKE(const auto done, commit(replaceAll(target.name, QStringLiteral("('a', 1)")), target.head));
    if (what == u"never sent") {
        m_intent.id = QStringLiteral("another");
        m_intent.statementId.clear();
    } else if (what == u"refused") {
        REFUSED(ErrorKind::Conflict,
                commit(replaceAll(target.name, QStringLiteral("('b', 1)")), target.head));
    } else if (what == u"nothing differed") {
        if (!keepsRows())
            QSKIP("this one keeps no rows");
        TAKE(const auto same,
             commit(replaceAll(target.name, QStringLiteral("('a', 1)")), done.target));
        QVERIFY(!same.committed);
    } else {
        DO(m_session->dropTable(target.name, Call{}));
    }
    const QString outcome = settled(m_intent);
    if (knowsItsCommits() || m_intent.targetHead == done.target)
        QCOMPARE(outcome, QStringLiteral("not landed"));
    else
        QVERIFY2(!outcome.startsWith(u"landed"), qPrintable(outcome));
}

}  // namespace ivm::test
