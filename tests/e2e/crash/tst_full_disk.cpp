#include "tests/e2e/crash/saved_scene.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

using namespace ivm::test;

namespace {

// No file of the program may grow beyond the limit: what a full disk looks like to a writer.
std::function<void()> limitFiles(rlim_t bytes)
{
    return [bytes] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
    };
}

// Permissions mean something to the program even where root runs the tests.
void obeyPermissions() { prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0); }

}  // namespace

// A refresh that cannot write says which file, leaves the views as they were, and is made good by
// the next one that can.
class tst_FullDisk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void namesTheFileThatDoesNotFit_data();
    void namesTheFileThatDoesNotFit();
    void namesTheFolderThatCannotBeWritten_data();
    void namesTheFolderThatCannotBeWritten();

private:
    QString folderOf(const QString &path);

    SavedScene m_scene;
    QStringList m_commits;  // of an undisturbed refresh
};

void tst_FullDisk::initTestCase()
{
    QVERIFY(m_scene.program().write(QStringLiteral("n.csv"), [] {
        QByteArray lines("n\n");
        for (int i = 0; i < 130; ++i)
            lines += QByteArray::number(i) + '\n';
        return lines;
    }()));
    QCOMPARE(m_scene.makeSource(), QString());
    QCOMPARE(m_scene.recover(), QString());
    // Enough groups for data files to be the largest files by far.
    const auto many = m_scene.sql(QStringLiteral(
        "INSERT INTO ev SELECT a.n, concat(CAST(a.n * 1000003 + b.n * 7919 AS varchar), '/', "
        "CAST(b.n * 15485863 AS varchar)), TIMESTAMP '2026-01-02 00:00:00.000000', b.n "
        "FROM TABLE(read_csv('n.csv')) AS a, TABLE(read_csv('n.csv')) AS b"));
    QVERIFY2(many.code == 0, qPrintable(many.err));
    m_scene.save(QStringLiteral("changed"));
    QCOMPARE(m_scene.recover(), QString());
    m_commits = m_scene.commits();
}

void tst_FullDisk::init()
{
    m_scene.program().prepare({});
    m_scene.restore(QStringLiteral("changed"));
}

void tst_FullDisk::namesTheFileThatDoesNotFit_data()
{
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("file");
    QTest::newRow("the catalog") << 1000 << "/ivm-data/catalog.db";
    QTest::newRow("the state store") << 33'000 << "/ivm-data/state.db";
    QTest::newRow("a data file") << 60'000 << "/data/.new-";
}

void tst_FullDisk::namesTheFileThatDoesNotFit()
{
    QFETCH(int, bytes);
    QFETCH(QString, file);
    m_scene.program().prepare(limitFiles(rlim_t(bytes)));
    const auto ran = m_scene.refresh();
    m_scene.program().prepare({});
    QVERIFY(ran.code == 1 || ran.code == 3);
    QVERIFY2(ran.err.contains(m_scene.program().folder()) && ran.err.contains(file),
             qPrintable(ran.err));
    QVERIFY2(file != u"/ivm-data/catalog.db" || ran.err.startsWith(u"ivmctl: error: catalog /"),
             qPrintable(ran.err));
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_FullDisk::namesTheFolderThatCannotBeWritten_data()
{
    QTest::addColumn<QString>("folder");
    QTest::newRow("the warehouse") << "ivm-data$";
    QTest::newRow("a table's data") << "/hourly-[0-9a-f]+/data$";
    QTest::newRow("a table's metadata") << "/hourly-[0-9a-f]+/metadata$";
}

// The one folder of the scene whose path matches.
QString tst_FullDisk::folderOf(const QString &path)
{
    const QRegularExpression pattern(path);
    QDirIterator folders(m_scene.program().folder(), QDir::Dirs | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (folders.hasNext()) {
        if (const QString folder = folders.next(); folder.contains(pattern))
            return folder;
    }
    return {};
}

void tst_FullDisk::namesTheFolderThatCannotBeWritten()
{
    QFETCH(QString, folder);
    const QString path = folderOf(folder);
    QVERIFY(!path.isEmpty());
    const auto before = QFile::permissions(path);
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::ExeOwner));
    m_scene.program().prepare(obeyPermissions);
    const auto ran = m_scene.refresh();
    m_scene.program().prepare({});
    QVERIFY(QFile::setPermissions(path, before));
    QVERIFY(ran.code == 1 || ran.code == 3);
    QVERIFY2(ran.err.contains(path), qPrintable(ran.err));
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

QTEST_GUILESS_MAIN(tst_FullDisk)
#include "tst_full_disk.moc"
