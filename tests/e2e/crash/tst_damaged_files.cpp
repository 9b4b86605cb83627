#include "tests/e2e/crash/saved_scene.h"

#include <QDirIterator>
#include <QTest>

using namespace ivm::test;

// Files of a table that somebody took away or cut off: a refresh that needs them says which, and
// writes nothing; once they are back it goes on.
class tst_DamagedFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void namesTheFile_data();
    void namesTheFile();

private:
    QStringList filesOf(const QString &table, const QString &pattern);

    SavedScene m_scene;
    QStringList m_commits;  // of an undisturbed refresh
};

void tst_DamagedFiles::initTestCase()
{
    QCOMPARE(m_scene.makeSource(), QString());
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.changeSource(), QString());
    m_scene.save(QStringLiteral("changed"));
    QCOMPARE(m_scene.recover(), QString());
    m_commits = m_scene.commits();
}

void tst_DamagedFiles::namesTheFile_data()
{
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<bool>("gone");
    for (const char *table : {"ev", "hourly"}) {
        for (const char *pattern : {"*.metadata.json", "snap-*.avro", "*-m?.avro", "*.parquet"}) {
            for (const bool gone : {true, false})
                QTest::addRow("%s of %s, %s", pattern, table, gone ? "gone" : "cut off")
                    << QString::fromLatin1(table) << QString::fromLatin1(pattern) << gone;
        }
    }
}

QStringList tst_DamagedFiles::filesOf(const QString &table, const QString &pattern)
{
    QStringList found;
    QDirIterator files(m_scene.program().folder(), {pattern}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        if (const QString file = files.next(); file.contains(QString(u'/' + table + u'-')))
            found.append(file);
    }
    return found;
}

void tst_DamagedFiles::namesTheFile()
{
    QFETCH(QString, table);
    QFETCH(QString, pattern);
    QFETCH(bool, gone);
    m_scene.restore(QStringLiteral("changed"));
    const auto files = filesOf(table, pattern);
    QVERIFY(!files.isEmpty());
    for (const auto &file : files) {
        QVERIFY(QFile::copy(file, file + QStringLiteral(".kept")));
        QVERIFY(gone ? QFile::remove(file) : QFile::resize(file, QFileInfo(file).size() / 2));
    }
    const auto ran = m_scene.refresh();
    QVERIFY2(ran.code == 1 || ran.code == 3, qPrintable(ran.out + ran.err));
    const bool named = std::any_of(files.begin(), files.end(),
                                   [&](const auto &file) { return ran.err.contains(file); });
    QVERIFY2(named, qPrintable(ran.err));
    for (const auto &file : files) {
        QFile::remove(file);
        QVERIFY(QFile::rename(file + QStringLiteral(".kept"), file));
    }
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

QTEST_GUILESS_MAIN(tst_DamagedFiles)
#include "tst_damaged_files.moc"
