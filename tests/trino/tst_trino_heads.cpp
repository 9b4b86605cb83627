#include "plugins/detector_trino/trino_detector.h"
#include "tests/trino/real_trino.h"

using namespace ivm;
using namespace ivm::trino;

class tst_TrinoHeads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void asksForThirtyTablesInOneStatement();
    void seesEveryKindOfChange();
    void keepsTheOthersWhenOneFails();
    void keepsTheOthersWhenOneIsDenied();

private:
    Result<QList<Result<TableHead>>> heads(const QStringList &names)
    {
        QList<HeadRequest> requests;
        for (const auto &name : names)
            requests.append({parseTableName(name, m_trino.table({})).value_or(TableName())});
        return m_detector->heads(requests, Call{});
    }

    TableHead headOf(const QString &name)
    {
        const auto all = heads({name});
        return all && all->size() == 1 && all->front() ? *all->front() : TableHead();
    }

    RealTrino m_trino;
    std::unique_ptr<TrinoExecutor> m_executor;
    std::unique_ptr<TrinoDetector> m_detector;
};

void tst_TrinoHeads::initTestCase()
{
    QCOMPARE(m_trino.open(), QString());
    m_executor = std::make_unique<TrinoExecutor>(realOptions(m_trino.schema()));
    m_detector = std::make_unique<TrinoDetector>(
        [this]() -> Result<Executor *> { return m_executor.get(); });
}

void tst_TrinoHeads::cleanupTestCase() { m_trino.close(); }

void tst_TrinoHeads::asksForThirtyTablesInOneStatement()
{
    QStringList names;
    for (int i = 0; i < 30; ++i) {
        names.append(QStringLiteral("t%1").arg(i));
        QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE t%1 (a bigint)").arg(i)), QString());
    }
    const QString before = m_trino.now();
    const auto all = heads(names);
    QVERIFY2(all, qPrintable(all ? QString() : all.error().text()));
    QCOMPARE(all->size(), 30);
    const QStringList statements = m_trino.statementsSince(before);
    QCOMPARE(statements.size(), 1);
    for (int i = 0; i < 30; ++i) {
        QVERIFY(all->at(i));
        QVERIFY2(all->at(i)->tableId.contains(QStringLiteral("/t%1-").arg(i)),
                 qPrintable(all->at(i)->tableId));
        QVERIFY(all->at(i)->snapshot);
    }
    QCOMPARE(*all->at(7), m_trino.head(QStringLiteral("t7")));
}

void tst_TrinoHeads::seesEveryKindOfChange()
{
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE seen (a bigint)")), QString());
    const TableHead made = headOf(QStringLiteral("seen"));
    QVERIFY(!made.token.isEmpty());
    QCOMPARE(headOf(QStringLiteral("seen")), made);
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO seen VALUES 1")), QString());
    const TableHead inserted = headOf(QStringLiteral("seen"));
    QVERIFY(inserted.token != made.token && inserted.snapshot != made.snapshot);
    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE seen ADD COLUMN b bigint")), QString());
    const TableHead altered = headOf(QStringLiteral("seen"));
    QVERIFY(altered.token != inserted.token);
    QCOMPARE(altered.snapshot, inserted.snapshot);
    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE seen EXECUTE rollback_to_snapshot(%1)")
                                 .arg(*made.snapshot)),
             QString());
    const TableHead back = headOf(QStringLiteral("seen"));
    QCOMPARE(back.snapshot, made.snapshot);
    QVERIFY(back.token != made.token && back.token != altered.token);
    QCOMPARE(back.tableId, made.tableId);
    QCOMPARE(m_trino.problem({QStringLiteral("DROP TABLE seen"),
                              QStringLiteral("CREATE TABLE seen (a bigint)")}),
             QString());
    QVERIFY(headOf(QStringLiteral("seen")).tableId != made.tableId);
}

void tst_TrinoHeads::keepsTheOthersWhenOneFails()
{
    QCOMPARE(m_trino.problem({QStringLiteral("CREATE TABLE good (a bigint)"),
                              QStringLiteral("CREATE VIEW bad AS SELECT 1 AS a")}),
             QString());
    const auto all = heads({QStringLiteral("good"), QStringLiteral("missing"),
                            QStringLiteral("bad"), QStringLiteral("nope.t"),
                            QStringLiteral("tpch.tiny.nation"), QStringLiteral("good")});
    QVERIFY2(all, qPrintable(all ? QString() : all.error().text()));
    QCOMPARE(m_trino.problem(QStringLiteral("DROP VIEW bad")), QString());
    QCOMPARE(all->size(), 6);
    QVERIFY(all->at(0) && all->at(5));
    QCOMPARE(*all->at(0), *all->at(5));
    QCOMPARE(all->at(1).error().kind, ErrorKind::NotFound);
    QCOMPARE(all->at(1).error().message,
             QStringLiteral("table iceberg.%1.missing does not exist, or is not an Iceberg table")
                 .arg(m_trino.schema()));
    QCOMPARE(all->at(2).error().message.section(u':', 0, 0),
             QStringLiteral("table iceberg.%1.bad").arg(m_trino.schema()));
    QCOMPARE(all->at(3).error().kind, ErrorKind::NotFound);
    QCOMPARE(all->at(4).error().kind, ErrorKind::NotFound);
}

void tst_TrinoHeads::keepsTheOthersWhenOneIsDenied()
{
    QCOMPARE(m_trino.problem({QStringLiteral("CREATE TABLE allowed (a bigint)"),
                              QStringLiteral("CREATE TABLE denied (a bigint)")}),
             QString());
    auto options = realOptions(m_trino.schema());
    options.user = QStringLiteral("ivm-partial");
    TrinoExecutor partial(options);
    TrinoDetector detector([&]() -> Result<Executor *> { return &partial; });
    const auto all = detector.heads({{.table = m_trino.table(QStringLiteral("allowed"))},
                                     {.table = m_trino.table(QStringLiteral("denied"))},
                                     {.table = m_trino.table(QStringLiteral("allowed"))}},
                                    Call{});
    QVERIFY2(all, qPrintable(all ? QString() : all.error().text()));
    QVERIFY(all->at(0) && all->at(2));
    QCOMPARE(*all->at(0), headOf(QStringLiteral("allowed")));
    QCOMPARE(all->at(1).error().code, QStringLiteral("permission_denied"));
    QVERIFY2(all->at(1).error().message.contains(u"denied"),
             qPrintable(all->at(1).error().message));
}

QTEST_GUILESS_MAIN(tst_TrinoHeads)
#include "tst_trino_heads.moc"
