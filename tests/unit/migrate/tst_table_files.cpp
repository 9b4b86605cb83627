// Schema files of a folder, spellings of sort orders, and tables as an engine tells them.
#include "framework/migrate/applied_table.h"
#include "framework/migrate/sort_text.h"
#include "framework/migrate/table_file.h"
#include "tests/support/fake_engine.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using namespace ivm::test;

namespace {

void write(const QTemporaryDir &dir, const QString &name, const QByteArray &text)
{
    QFile file(dir.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

class tst_TableFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAFolder();
    void aFolderThatIsNotThereHoldsNone();
    void oneFileATable();
    void sortOrdersHaveOneSpelling_data();
    void sortOrdersHaveOneSpelling();
    void enginesTellTables();
    void whatAnEngineDoesNotTell_data();
    void whatAnEngineDoesNotTell();
};

void tst_TableFiles::readsAFolder()
{
    const QTemporaryDir dir;
    write(dir, QStringLiteral("b.yaml"),
          "name: b\ncolumns: [{name: X, type: int, was: Y, id: 3}]\n");
    write(dir, QStringLiteral("a.yaml"), "name: s.a\ncolumns: [{name: x, type: int}]\n");
    write(dir, QStringLiteral("README.md"), "no schema\n");
    const auto files = readTableFiles(dir.path(), kDefaults);
    QCOMPARE(files.problems, QList<Error>());
    QCOMPARE(files.tables.size(), 2);
    QCOMPARE(files.tables[0].table.spec.name.text(), QStringLiteral("iceberg.main.b"));
    QCOMPARE(files.tables[0].hints.size(), 1);
    QCOMPARE(files.tables[0].hints[0].was, QStringLiteral("y"));
    QCOMPARE(files.tables[0].hints[0].id, 3);
    QCOMPARE(files.tables[0].table.spec.columns[0].name, QStringLiteral("x"));
    QCOMPARE(files.tables[1].table.spec.name.text(), QStringLiteral("iceberg.s.a"));
}

void tst_TableFiles::aFolderThatIsNotThereHoldsNone()
{
    const QTemporaryDir dir;
    const auto files = readTableFiles(dir.filePath(QStringLiteral("nope")), kDefaults);
    QVERIFY(files.tables.isEmpty());
    QVERIFY(files.problems.isEmpty());
}

void tst_TableFiles::oneFileATable()
{
    const QTemporaryDir dir;
    write(dir, QStringLiteral("a.yaml"), "name: T\ncolumns: [{name: x, type: int}]\n");
    write(dir, QStringLiteral("b.yaml"), "name: main.t\ncolumns: [{name: x, type: int}]\n");
    write(dir, QStringLiteral("c.yaml"), "name: [\n");
    const auto files = readTableFiles(dir.path(), kDefaults);
    QCOMPARE(files.tables.size(), 1);
    QCOMPARE(files.problems.size(), 2);
    QCOMPARE(files.problems[0].text(),
             dir.filePath(QStringLiteral("b.yaml")) +
                 QStringLiteral(":1:1: table iceberg.main.t is also that of a.yaml. Keep one of "
                                "the two files"));
    QCOMPARE(files.problems[1].code, QStringLiteral("yaml"));
}

void tst_TableFiles::sortOrdersHaveOneSpelling_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("spelling");
    const auto row = [](const char *text, const char *spelling) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(spelling);
    };
    row("a", "a");
    row("  A ", "a");
    row("a asc", "a");
    row("a ASC NULLS FIRST", "a");
    row("a NULLS  LAST", "a NULLS LAST");
    row("a desc", "a DESC");
    row("a DESC NULLS LAST", "a DESC");
    row("a DESC NULLS FIRST", "a DESC NULLS FIRST");
    row("\"a\"", "a");
    row("\"A b\" DESC", "\"a b\" DESC");
    row("\"a\"\"b\"", "\"a\"\"b\"");
    // As the embedded engine tells a column of that name.
    row("a b DESC", "\"a b\" DESC");
}

void tst_TableFiles::sortOrdersHaveOneSpelling()
{
    QFETCH(QString, text);
    QTEST(canonicalSort(text), "spelling");
    QCOMPARE(canonicalSort(canonicalSort(text)), canonicalSort(text));
}

void tst_TableFiles::enginesTellTables()
{
    FakeWorld world;
    FakeSession session(world);
    const Call call;
    SessionTables tables(session, call);
    const TableName name{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("t")};
    const auto none = tables.table(name);
    QVERIFY(none);
    QVERIFY(!none->has_value());
    world.tables[name].name = name;
    Rows rows;
    rows.rows.push_back(
        {Value{QStringLiteral("write.format.default")}, Value{QStringLiteral("ORC")}});
    world.answers.insert(
        QStringLiteral("SELECT key, value FROM \"iceberg\".\"main\".\"t$properties\""), rows);
    const auto found = tables.table(name);
    QVERIFY(found && found->has_value());
    QCOMPARE((*found)->info.name, name);
    QCOMPARE((*found)->properties->value(QStringLiteral("write.format.default")),
             QStringLiteral("ORC"));
    Rows schemas;
    schemas.rows.push_back({Value{QStringLiteral("main")}});
    world.answers.insert(QStringLiteral("SHOW SCHEMAS FROM \"iceberg\""), schemas);
    QVERIFY(*tables.hasSchema(name));
    QVERIFY(!*tables.hasSchema({name.catalog, QStringLiteral("other"), name.table}));
}

void tst_TableFiles::whatAnEngineDoesNotTell_data()
{
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<bool>("isFine");
    QTest::newRow("no such table") << ErrorKind::NotFound << true;
    QTest::newRow("not supported") << ErrorKind::Unsupported << true;
    QTest::newRow("not there now") << ErrorKind::Unavailable << false;
    QTest::newRow("out of time") << ErrorKind::Timeout << false;
}

void tst_TableFiles::whatAnEngineDoesNotTell()
{
    QFETCH(ErrorKind, kind);
    QFETCH(bool, isFine);
    FakeWorld world;
    FakeSession session(world);
    const Call call;
    SessionTables tables(session, call);
    const TableName name{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("t")};
    world.tables[name].name = name;
    Error refusal = internalError(QStringLiteral("no"));
    refusal.kind = kind;
    world.refusals.insert(QStringLiteral("SELECT key, value"), refusal);
    const auto found = tables.table(name);
    QCOMPARE(found.has_value(), isFine);
    if (isFine)
        QVERIFY(*found && !(*found)->properties);
}

QTEST_GUILESS_MAIN(tst_TableFiles)
#include "tst_table_files.moc"
