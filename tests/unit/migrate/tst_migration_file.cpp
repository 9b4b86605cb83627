// Migration files: what a folder of them is read as, or why it is not.
#include "framework/migrate/migration_file.h"
#include "framework/migrate/revision.h"
#include "tests/support/golden.h"
#include "tests/support/migration_files.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using ivm::test::writeMigrationFiles;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};

QString describe(const QList<Step> &steps)
{
    QString out;
    for (const auto &step : steps) {
        out += QStringLiteral("    %1 at %2:%3\n")
                   .arg(operationText(step.operation))
                   .arg(step.place.line)
                   .arg(step.place.column);
        const auto statements = statementsOf(step.operation);
        if (!statements) {
            out += QStringLiteral("        error: ") + statements.error().text() + u'\n';
            continue;
        }
        for (const auto &statement : *statements)
            out += QStringLiteral("        ") +
                   QString(statement).replace(u'\n', u' ').simplified() + u'\n';
        if (const QString loss = lossOf(step.operation); !loss.isEmpty())
            out += QStringLiteral("        loses: ") + loss + u'\n';
    }
    return out;
}

QString describe(const Migration &migration)
{
    QString out = QStringLiteral("%1: %2\n  up\n").arg(migration.label(), migration.description);
    out += describe(migration.upgrade);
    if (migration.downgrade)
        out += QStringLiteral("  down%1\n")
                   .arg(migration.hasWrittenDowngrade ? QString() : QStringLiteral(", by itself")) +
               describe(*migration.downgrade);
    else
        out += QStringLiteral("  no way down: ") + migration.whyIrreversible + u'\n';
    for (const auto &verify : migration.verify)
        out += QStringLiteral("  verify at %1: %2\n").arg(verify.place.line).arg(verify.query);
    return out;
}

QString outputOf(const QString &input)
{
    const QTemporaryDir dir;
    writeMigrationFiles(dir.path(), input);
    const auto folder = readFolder(
        {.folder = dir.path(),
         .defaults = kDefaults,
         .environment = {{QStringLiteral("STAGE"), QStringLiteral("test")},
                         {QStringLiteral("EVIL"), QStringLiteral("x'; DROP TABLE y; --")}}});
    QString out;
    for (const auto &migration : folder.migrations)
        out += describe(migration);
    for (const auto &problem : folder.problems)
        out += QStringLiteral("problem: ") + problem.text() + u'\n';
    return out.replace(QString(dir.path() + u'/'), QString())
        .replace(dir.path(), QStringLiteral("FOLDER"));
}

}  // namespace

class tst_MigrationFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::updateGolden(QStringLiteral("migrations"), outputOf); }
    void readsOrRefuses_data() { test::addGoldenRows(QStringLiteral("migrations")); }
    void readsOrRefuses();
    void checksumsKnowNoLineEnds_data();
    void checksumsKnowNoLineEnds();
    void stepsKnowNoSpelling();
    void namesComeFromMessages_data();
    void namesComeFromMessages();
    void revisionsAreNumberedOn();
    void aFolderThatIsMadeCanBeRead();
    void otherNamespacesAreFoldersBelow();
};

void tst_MigrationFile::readsOrRefuses()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input).trimmed(), expected);
}

void tst_MigrationFile::checksumsKnowNoLineEnds_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("same");
    QTest::newRow("itself") << QByteArray("about: a\nupgrade: []\n") << true;
    QTest::newRow("CRLF") << QByteArray("about: a\r\nupgrade: []\r\n") << true;
    QTest::newRow("a byte order mark") << QByteArray("\xef\xbb\xbf"
                                                     "about: a\nupgrade: []\n")
                                       << true;
    QTest::newRow("no line end at the end") << QByteArray("about: a\nupgrade: []") << true;
    QTest::newRow("a space at an end") << QByteArray("about: a \nupgrade: []\n") << false;
    QTest::newRow("a comment") << QByteArray("about: a\nupgrade: []\n# x\n") << false;
    QTest::newRow("another text") << QByteArray("about: b\nupgrade: []\n") << false;
}

void tst_MigrationFile::checksumsKnowNoLineEnds()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, same);
    // sha256sum of the first row.
    const QString applied =
        QStringLiteral("25b8243439da3c4c841db2d7ad560ed20c080b4adcbd520605a5f7bf3969a13f");
    QList<Error> problems;
    const FolderRequest request{.folder = {}, .defaults = kDefaults, .environment = {}};
    const auto original =
        readMigration("about: a\nupgrade: []\n", QStringLiteral("/0001_a.yaml"), request, problems);
    QCOMPARE(original.checksum, applied);
    const auto migration = readMigration(text, QStringLiteral("/0001_a.yaml"), request, problems);
    QCOMPARE(problems, QList<Error>());
    QCOMPARE(migration.checksum == applied || migration.otherChecksum == applied, same);
}

void tst_MigrationFile::stepsKnowNoSpelling()
{
    const auto checksum = [](const QByteArray &text) {
        QList<Error> problems;
        const auto migration =
            readMigration(text, QStringLiteral("/0001_a.yaml"),
                          {.folder = {}, .defaults = kDefaults, .environment = {}}, problems);
        return problems.isEmpty() && migration.upgrade.size() == 1
                   ? migration.upgrade.first().checksum
                   : QStringLiteral("not read");
    };
    const QString written = checksum("upgrade:\n- add_column: {table: t, name: a, type: bigint}\n");
    QCOMPARE(checksum("# why\nupgrade:\n  - add_column:\n      type: bigint\n      table: t\n"
                      "      name: a\n"),
             written);
    QVERIFY(checksum("upgrade:\n- add_column: {table: t, name: b, type: bigint}\n") != written);
}

void tst_MigrationFile::namesComeFromMessages_data()
{
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("name");
    QTest::newRow("words") << QStringLiteral("Add departures, per hour!")
                           << QStringLiteral("add_departures_per_hour");
    QTest::newRow("accents") << QStringLiteral("Flüge je Stunde")
                             << QStringLiteral("fluge_je_stunde");
    QTest::newRow("digits") << QStringLiteral("  95th percentile ")
                            << QStringLiteral("95th_percentile");
    QTest::newRow("nothing that makes a name") << QStringLiteral("!?") << QString();
    QTest::newRow("a path") << QStringLiteral("../../etc/passwd") << QStringLiteral("etc_passwd");
    QTest::newRow("long") << QString(200, u'x') << QString(60, u'x');
}

void tst_MigrationFile::namesComeFromMessages()
{
    QFETCH(QString, message);
    QTEST(nameOf(message), "name");
}

void tst_MigrationFile::revisionsAreNumberedOn()
{
    const QTemporaryDir dir;
    const FolderRequest request{.folder = dir.path(), .defaults = kDefaults, .environment = {}};
    const auto first = makeRevision(readFolder(request), QStringLiteral("It's first: a #1"));
    QVERIFY(first);
    QCOMPARE(QFileInfo(*first).fileName(), QStringLiteral("0001_it_s_first_a_1.yaml"));
    const auto second = makeRevision(readFolder(request), QStringLiteral("second"));
    QVERIFY(second);
    const auto folder = readFolder(request);
    QCOMPARE(folder.problems, QList<Error>());
    QCOMPARE(folder.migrations.size(), 2);
    QCOMPARE(folder.migrations.first().description, QStringLiteral("It's first: a #1"));
    QCOMPARE(folder.head(), 2);
    const auto none = makeRevision(folder, QStringLiteral("…"));
    QVERIFY(!none);
    QCOMPARE(none.error().code, QStringLiteral("usage"));
}

void tst_MigrationFile::aFolderThatIsMadeCanBeRead()
{
    const QTemporaryDir dir;
    const FolderRequest request{.folder = dir.filePath(QStringLiteral("migrations")),
                                .defaults = kDefaults,
                                .environment = {}};
    const auto missing = readFolder(request);
    QCOMPARE(missing.problems.size(), 1);
    QCOMPARE(missing.problems.first().code, QStringLiteral("no_migrations"));
    QVERIFY(makeFolder(request));
    QVERIFY(makeFolder(request));
    QCOMPARE(readFolder(request).problems, QList<Error>());
}

void tst_MigrationFile::otherNamespacesAreFoldersBelow()
{
    const QTemporaryDir dir;
    FolderRequest request{.folder = dir.path(),
                          .line = QStringLiteral("sales"),
                          .defaults = kDefaults,
                          .environment = {}};
    QCOMPARE(readFolder(request).problems.size(), 1);
    QVERIFY(makeFolder(request));
    writeMigrationFiles(dir.filePath(QStringLiteral("sales")), QStringLiteral("upgrade: []"));
    QCOMPARE(readFolder(request).head(), 1);
    request.line = kDefaultLine.toString();
    QCOMPARE(readFolder(request).head(), 0);
    request.line = QStringLiteral("../sales");
    QCOMPARE(readFolder(request).problems.size(), 1);
}

QTEST_GUILESS_MAIN(tst_MigrationFile)
#include "tst_migration_file.moc"
