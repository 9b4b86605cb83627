#include "tests/support/program.h"

#include <QDir>
#include <QJsonArray>
#include <QRegularExpression>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTest>

using ivm::test::Program;
using ivm::test::Ran;

namespace {

// Ids, times, paths and sizes differ from run to run.
QString masked(QString text)
{
    static const QList<QPair<QRegularExpression, QString>> kMasks{
        {QRegularExpression(QStringLiteral(R"(file:///\S+\.parquet)")), QStringLiteral("PATH")},
        {QRegularExpression(QStringLiteral(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z)")),
         QStringLiteral("TIME")},
        {QRegularExpression(QStringLiteral(R"(\b\d{10,19}\b)")), QStringLiteral("ID")},
        {QRegularExpression(QStringLiteral(R"(\b\d{3,6}\b)")), QStringLiteral("SIZE")},
        {QRegularExpression(QStringLiteral(" +")), QStringLiteral(" ")},
        {QRegularExpression(QStringLiteral(" +\n")), QStringLiteral("\n")}};
    for (const auto &[pattern, word] : kMasks)
        text.replace(pattern, word);
    return text;
}

}  // namespace

// ivmctl tables, and what `ivmctl sql` may do to tables that views read.
class tst_IvmctlTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void listsWhatThereIs();
    void tellsOneTable();
    void tellsAsADocument();
    void saysWhatIsWrong();
    void oneDamagedTableDoesNotHideTheOthers();
    void keepsTheSnapshotsThatViewsNeed();

private:
    Ran run(const QStringList &arguments) const { return m_program->run(arguments); }
    Ran sql(const char *statement) const
    {
        const auto ran = run({QStringLiteral("sql"), QString::fromUtf8(statement)});
        if (ran.code != 0)
            QTest::qFail(qPrintable(ran.err), __FILE__, __LINE__);
        return ran;
    }
    void makeTables() const;

    std::unique_ptr<Program> m_program;
};

// The tests go on with each other's tables; the last ones change them.
void tst_IvmctlTables::initTestCase()
{
    m_program = std::make_unique<Program>(QStringLiteral(IVM_CTL));
    // A folder that is not there may be the wrong one.
    const Ran none = run({QStringLiteral("tables")});
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains(u"there is no such folder. Make its first table with 'ivmctl sql'"),
             qPrintable(none.err));
    makeTables();
}

void tst_IvmctlTables::makeTables() const
{
    sql("CREATE TABLE ev (k varchar NOT NULL COMMENT 'the key', v bigint) WITH (partitioning = "
        "ARRAY['k'], sorted_by = ARRAY['v DESC'])");
    sql("INSERT INTO ev VALUES ('a', 1), ('a', 2), ('b', 3)");
    sql("DELETE FROM ev WHERE k = 'b'");
    sql("CREATE SCHEMA other");
    sql("CREATE TABLE other.empty (a integer)");
}

void tst_IvmctlTables::listsWhatThereIs()
{
    const auto ran = run({QStringLiteral("tables")});
    QCOMPARE(ran.code, 0);
    QCOMPARE(masked(ran.out), u"SCHEMA TABLE ROWS FILES BYTES LAST CHANGE\n"
                              u"main ev 2 1 SIZE TIME\n"
                              u"other empty 0 0 0 never\n");
}

void tst_IvmctlTables::tellsOneTable()
{
    const auto ran = run({QStringLiteral("tables"), QStringLiteral("EV"),
                          QStringLiteral("--snapshots"), QStringLiteral("--files")});
    QCOMPARE(ran.err, QString());
    QCOMPARE(ran.code, 0);
    QCOMPARE(masked(ran.out), u"table: iceberg.main.ev\n"
                              u"rows: 2\n"
                              u"files: 1\n"
                              u"bytes: SIZE\n"
                              u"snapshot: ID\n"
                              u"last change: TIME\n"
                              u"partitioning: k\n"
                              u"sorted by: v DESC\n"
                              u"\n"
                              u"COLUMN TYPE NULL COMMENT\n"
                              u"k varchar no the key\n"
                              u"v bigint yes\n"
                              u"\n"
                              u"COMMITTED SNAPSHOT PARENT OPERATION ADDED DELETED TOTAL\n"
                              u"TIME ID append 3 3\n"
                              u"TIME ID ID delete 1 2\n"
                              u"\n"
                              u"CONTENT ROWS BYTES PATH\n"
                              u"data 2 SIZE PATH\n");
}

void tst_IvmctlTables::tellsAsADocument()
{
    const auto all =
        run({QStringLiteral("tables"), QStringLiteral("--json")}).json().value(u"tables").toArray();
    QCOMPARE(all.size(), 2);
    const auto empty = all[1].toObject();
    QCOMPARE(empty.value(u"schema").toString(), QStringLiteral("other"));
    QCOMPARE(empty.value(u"name").toString(), QStringLiteral("empty"));
    QCOMPARE(empty.value(u"rows").toInt(-1), 0);
    QVERIFY(empty.value(u"snapshot").isNull());
    QVERIFY(empty.value(u"last_change").isNull());
    const auto one = run({QStringLiteral("tables"), QStringLiteral("ev"), QStringLiteral("--json"),
                          QStringLiteral("--snapshots"), QStringLiteral("--files")})
                         .json();
    QCOMPARE(one.value(u"rows").toInt(), 2);
    QCOMPARE(one.value(u"partitioning").toArray(), QJsonArray{QStringLiteral("k")});
    const auto key = one.value(u"columns").toArray()[0].toObject();
    QCOMPARE(key.value(u"type").toString(), QStringLiteral("varchar"));
    QCOMPARE(key.value(u"nullable"), QJsonValue(false));
    QCOMPARE(key.value(u"comment").toString(), QStringLiteral("the key"));
    const auto snapshots = one.value(u"snapshots").toArray();
    QCOMPARE(snapshots.size(), 2);
    QCOMPARE(snapshots[1].toObject().value(u"id"), one.value(u"snapshot"));
    QCOMPARE(snapshots[1].toObject().value(u"parent"), snapshots[0].toObject().value(u"id"));
    QCOMPARE(snapshots[1].toObject().value(u"rows_deleted").toInt(), 1);
    QVERIFY(snapshots[0].toObject().value(u"parent").isNull());
    const auto files = one.value(u"data_files").toArray();
    QCOMPARE(files.size(), 1);
    QCOMPARE(files[0].toObject().value(u"content").toString(), QStringLiteral("data"));
    QCOMPARE(files[0].toObject().value(u"rows").toInt(), 2);
}

void tst_IvmctlTables::saysWhatIsWrong()
{
    const auto bare = run({QStringLiteral("tables"), QStringLiteral("--files")});
    QCOMPARE(bare.code, 2);
    QCOMPARE(bare.err, u"ivmctl: error: 'ivmctl tables --files' needs the name of a table\n");
    const auto none = run({QStringLiteral("tables"), QStringLiteral("nope")});
    QCOMPARE(none.code, 1);
    QCOMPARE(none.err, u"ivmctl: error: there is no table iceberg.main.nope\n");
}

void tst_IvmctlTables::oneDamagedTableDoesNotHideTheOthers()
{
    const QDir folder(m_program->path(QStringLiteral("ivm-data/other")));
    const QString table = folder.entryList({QStringLiteral("empty-*")}).value(0);
    QVERIFY(QDir(folder.filePath(table)).removeRecursively());
    const auto ran = run({QStringLiteral("tables")});
    QCOMPARE(ran.code, 3);
    QVERIFY2(ran.err.startsWith(u"ivmctl: error: iceberg.other.empty: the metadata file of table "
                                u"iceberg.other.empty is missing: file:///"),
             qPrintable(ran.err));
    QCOMPARE(masked(ran.out), u"SCHEMA TABLE ROWS FILES BYTES LAST CHANGE\n"
                              u"main ev 2 1 SIZE TIME\n"
                              u"other empty ? ? ?\n");
}

void tst_IvmctlTables::keepsTheSnapshotsThatViewsNeed()
{
    QVERIFY(m_program->write(QStringLiteral("views.yaml"),
                             "views:\n"
                             "  - name: sums\n"
                             "    query: SELECT k, sum(v) AS total FROM ev GROUP BY k\n"));
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    sql("INSERT INTO ev VALUES ('c', 4)");
    sql("INSERT INTO ev VALUES ('d', 5)");
    const auto snapshots = [&] {
        return run({QStringLiteral("tables"), QStringLiteral("ev"), QStringLiteral("--snapshots"),
                    QStringLiteral("--json")})
            .json()
            .value(u"snapshots")
            .toArray()
            .size();
    };
    const auto rename = [&](const QString &from, const QString &to) {
        {
            auto state = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), from);
            state.setDatabaseName(m_program->path(QStringLiteral("ivm-data/state.db")));
            QVERIFY2(state.open(), qPrintable(state.lastError().text()));
            QSqlQuery query(state);
            QVERIFY(
                query.exec(QStringLiteral("UPDATE bookmarks SET view = '%2', data = replace(data, "
                                          "'\"view\":\"%1\"', '\"view\":\"%2\"')")
                               .arg(from, to)));
            QCOMPARE(query.numRowsAffected(), 1);
        }
        QSqlDatabase::removeDatabase(from);
    };
    const char *expire = "ALTER TABLE ev EXECUTE expire_snapshots(retention_threshold => '0s')";
    QCOMPARE(snapshots(), 4);
    const auto held = sql(expire);
    QCOMPARE(snapshots(), 3);
    QCOMPARE(masked(held.err),
             u"warning ivm.executor: expire_snapshots of iceberg.main.ev keeps snapshots ID, "
             u"ID: needed by view sums\n");
    // So the refresh goes on from its bookmark.
    const auto next = run({QStringLiteral("refresh"), QStringLiteral("--json")});
    QCOMPARE(next.code, 0);
    QCOMPARE(next.json().value(u"views").toArray()[0].toObject().value(u"rows_written").toInt(), 2);
    QCOMPARE(run({QStringLiteral("verify")}).code, 0);
    QCOMPARE(sql(expire).err, QString());
    QCOMPARE(snapshots(), 1);
    QCOMPARE(run({QStringLiteral("verify")}).code, 0);
    // So does what is built beside a view, under a name of its own.
    rename(QStringLiteral("sums"), QStringLiteral("sums@2"));
    sql("INSERT INTO ev VALUES ('e', 6)");
    QCOMPARE(
        masked(sql(expire).err),
        u"warning ivm.executor: expire_snapshots of iceberg.main.ev keeps snapshots ID: needed "
        "by view sums@2\n");
    QCOMPARE(snapshots(), 2);
    rename(QStringLiteral("sums@2"), QStringLiteral("sums"));
    // A view that is not defined any more holds nothing; one that cannot be read may be.
    QVERIFY(m_program->write(QStringLiteral("views.yaml"), "views: ["));
    sql(expire);
    QCOMPARE(snapshots(), 2);
    QVERIFY(m_program->write(QStringLiteral("views.yaml"), "views: []\n"));
    QCOMPARE(sql(expire).err, QString());
    QCOMPARE(snapshots(), 1);
    // Nothing is expired where it is not known what is needed.
    sql("INSERT INTO ev VALUES ('f', 7)");
    QVERIFY(m_program->write(QStringLiteral("ivm-data/state.db"), "this is no database"));
    const auto unknown = run({QStringLiteral("sql"), QString::fromUtf8(expire)});
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains(QStringLiteral("state.db")), qPrintable(unknown.err));
    QCOMPARE(snapshots(), 2);
}

QTEST_GUILESS_MAIN(tst_IvmctlTables)
#include "tst_ivmctl_tables.moc"
