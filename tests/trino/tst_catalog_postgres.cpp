// The catalog detector on a PostgreSQL that Trino keeps its tables in.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/detector_catalog/options.h"
#include "plugins/detector_trino/trino_detector.h"
#include "tests/trino/real_trino.h"

using namespace ivm;
using namespace ivm::trino;

namespace {

PluginOptions catalogOptions(const QString &password)
{
    QUrl url(qEnvironmentVariable("IVM_TEST_PG_URL"));
    const QString user = url.userName();
    url.setUserInfo({});
    const QJsonObject catalog{{QStringLiteral("type"), QStringLiteral("jdbc")},
                              {QStringLiteral("url"), url.toString()},
                              {QStringLiteral("user"), user}};
    return {{QStringLiteral("catalog"), catalog},
            {QStringLiteral("catalog_password"), password},
            {QStringLiteral("name"), QStringLiteral("iceberg")}};
}

QString rightPassword() { return QUrl(qEnvironmentVariable("IVM_TEST_PG_URL")).password(); }

QString shown(const Result<FileTotals> &totals)
{
    return totals ? QStringLiteral("%1 files, %2 rows, %3 bytes")
                        .arg(totals->files)
                        .arg(totals->records)
                        .arg(totals->bytes)
                  : totals.error().text();
}

}  // namespace

class tst_CatalogPostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_trino.close(); }
    void agreesWithTrino_data();
    void agreesWithTrino();
    void asksTrinoNothing();
    void tellsOfTablesThatAreNotThere();
    void saysWhyItCannotConnect();

private:
    TableName table() const { return m_trino.table(QStringLiteral("t")); }

    RealTrino m_trino;
    std::unique_ptr<catalog::CatalogDetector> m_byCatalog;
    std::unique_ptr<TrinoExecutor> m_executor;
    std::unique_ptr<TrinoDetector> m_byTrino;
    QList<TableHead> m_heads;
};

void tst_CatalogPostgres::initTestCase()
{
    QCOMPARE(m_trino.open(), QString());
    QVERIFY2(!rightPassword().isEmpty(), "IVM_TEST_PG_URL is not set");
    const auto options = catalog::readOptions(catalogOptions(rightPassword()));
    QVERIFY2(options, qPrintable(options ? QString() : options.error().text()));
    m_byCatalog = std::make_unique<catalog::CatalogDetector>(*options, QStringLiteral("iceberg"));
    m_executor = std::make_unique<TrinoExecutor>(realOptions(m_trino.schema()));
    m_byTrino = std::make_unique<TrinoDetector>(
        [this]() -> Result<Executor *> { return m_executor.get(); });
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE %1 (id bigint, ts timestamp(6)) WITH "
                                            "(partitioning = ARRAY['month(ts)'])")
                                 .arg(table().quoted())),
             QString());
}

void tst_CatalogPostgres::agreesWithTrino_data()
{
    QTest::addColumn<QString>("statement");
    const auto row = [](const char *name, const char *statement) {
        QTest::newRow(name) << QString::fromUtf8(statement);
    };
    row("rows", "INSERT INTO %1 SELECT n, TIMESTAMP '2026-01-01 00:00:00' + n * INTERVAL '1' HOUR "
                "FROM UNNEST(sequence(1, 2000)) AS s(n)");
    row("a deleted row", "DELETE FROM %1 WHERE id = 700");
    row("a moved row", "UPDATE %1 SET ts = ts + INTERVAL '40' DAY WHERE id = 3");
    row("a dropped partition", "DELETE FROM %1 WHERE ts >= TIMESTAMP '2026-03-01 00:00:00'");
}

void tst_CatalogPostgres::agreesWithTrino()
{
    QFETCH(QString, statement);
    QCOMPARE(m_trino.problem(statement.arg(table().quoted())), QString());
    const auto ours = m_byCatalog->heads({{.table = table()}}, Call{});
    const auto theirs = m_byTrino->heads({{.table = table()}}, Call{});
    QVERIFY2(ours, qPrintable(ours ? QString() : ours.error().text()));
    QVERIFY(theirs && ours->front() && theirs->front());
    QCOMPARE(*ours->front(), *theirs->front());
    m_heads.append(*ours->front());

    const ChangesRequest request{.table = table(),
                                 .from = m_heads.value(m_heads.size() - 2, m_heads.last()),
                                 .to = m_heads.last(),
                                 .column = QStringLiteral("ts"),
                                 .columns = {QStringLiteral("id"), QStringLiteral("ts")}};
    const auto found = m_byCatalog->changes(request, Call{});
    const auto expected = m_byTrino->changes(request, Call{});
    QVERIFY(found && expected);
    QCOMPARE(found->files, expected->files);
    QCOMPARE(found->columns, expected->columns);
    QCOMPARE(found->complete, expected->complete);

    for (const qint64 day : {0, 20'454, 20'500, 30'000}) {
        const qint64 micros = day * 86'400'000'000;
        const LiveFilesRequest live{.table = table(),
                                    .at = m_heads.last(),
                                    .column = found->columns.at(1),
                                    .within = {{micros, micros + 86'400'000'000}}};
        QCOMPARE(shown(m_byCatalog->liveFiles(live, Call{})),
                 shown(m_byTrino->liveFiles(live, Call{})));
    }
}

// A quiet poll costs the cluster nothing, and one with changes neither, while files can be read.
void tst_CatalogPostgres::asksTrinoNothing()
{
    const QString before = m_trino.now();
    const auto quiet = m_byCatalog->heads({{table(), m_heads.last()}}, Call{});
    QVERIFY(quiet && quiet->front());
    QVERIFY(m_byCatalog->changes({.table = table(),
                                  .from = m_heads.first(),
                                  .to = m_heads.last(),
                                  .column = QStringLiteral("ts"),
                                  .columns = {}},
                                 Call{}));
    QCOMPARE(m_trino.statementsSince(before), QStringList());
}

void tst_CatalogPostgres::tellsOfTablesThatAreNotThere()
{
    const auto heads = m_byCatalog->heads(
        {{.table = m_trino.table(QStringLiteral("none"))}, {.table = table()}}, Call{});
    QVERIFY(heads);
    QCOMPARE(heads->at(0).error().kind, ErrorKind::NotFound);
    QVERIFY(heads->at(1));
}

void tst_CatalogPostgres::saysWhyItCannotConnect()
{
    const auto options = catalog::readOptions(catalogOptions(QStringLiteral("guess")));
    catalog::CatalogDetector detector(*options, QStringLiteral("iceberg"));
    const auto heads = detector.heads({{.table = table()}}, Call{});
    QVERIFY(!heads);
    QCOMPARE(heads.error().kind, ErrorKind::Unavailable);
    QVERIFY2(heads.error().message.contains(u"password authentication failed"),
             qPrintable(heads.error().message));
    QVERIFY(!heads.error().text().contains(u"guess"));
}

QTEST_GUILESS_MAIN(tst_CatalogPostgres)
#include "tst_catalog_postgres.moc"
