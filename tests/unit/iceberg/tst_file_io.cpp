#include "framework/iceberg/file_io.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace ivm;
using namespace ivm::iceberg;

class tst_FileIo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatItMade();
    void neverOverwrites();
    void leavesNothingBehind();
    void saysWhichFileIsMissing();
    void saysWhatTheSystemSaid();
    void removesWhatIsThere();

private:
    QString at(const QString &name) const { return fileUri(m_dir.filePath(name)); }

    QTemporaryDir m_dir;
    LocalFileIO m_io;
};

void tst_FileIo::readsBackWhatItMade()
{
    QByteArray bytes(300'000, 'x');
    bytes[7] = '\0';
    QVERIFY(m_io.create(at(QStringLiteral("new/folder/a b")), bytes));
    QCOMPARE(m_io.readAll(at(QStringLiteral("new/folder/a b"))).value_or(QByteArray()), bytes);
    QCOMPARE(m_io.size(at(QStringLiteral("new/folder/a b"))).value_or(-1), bytes.size());
    QVERIFY(m_io.exists(at(QStringLiteral("new/folder/a b"))).value_or(false));
    QVERIFY(m_io.create(at(QStringLiteral("empty")), {}));
    QCOMPARE(m_io.size(at(QStringLiteral("empty"))).value_or(-1), 0);
}

void tst_FileIo::neverOverwrites()
{
    const QString location = at(QStringLiteral("once"));
    QVERIFY(m_io.create(location, "first"));
    const auto again = m_io.create(location, "second");
    QVERIFY(!again);
    QCOMPARE(again.error().kind, ErrorKind::AlreadyExists);
    QCOMPARE(m_io.readAll(location).value_or(QByteArray()), QByteArray("first"));
}

void tst_FileIo::leavesNothingBehind()
{
    QDir(m_dir.path()).mkdir(QStringLiteral("clean"));
    QVERIFY(m_io.create(at(QStringLiteral("clean/a")), "1"));
    QVERIFY(!m_io.create(at(QStringLiteral("clean/a")), "2"));
    const QDir folder(m_dir.filePath(QStringLiteral("clean")));
    QCOMPARE(folder.entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("a")});
}

void tst_FileIo::saysWhichFileIsMissing()
{
    const auto read = m_io.readAll(at(QStringLiteral("nowhere")));
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::NotFound);
    QCOMPARE(read.error().message,
             QStringLiteral("there is no file %1").arg(m_dir.filePath(QStringLiteral("nowhere"))));
    QVERIFY(!m_io.size(at(QStringLiteral("nowhere"))));
    QVERIFY(!m_io.exists(at(QStringLiteral("nowhere"))).value_or(true));
}

void tst_FileIo::saysWhatTheSystemSaid()
{
    // A file where a folder must be, which not even root can write into.
    QVERIFY(m_io.create(at(QStringLiteral("file")), "x"));
    const auto made = m_io.create(at(QStringLiteral("file/inside/a")), "x");
    QVERIFY(!made);
    QCOMPARE(made.error().kind, ErrorKind::Unavailable);
    QCOMPARE(made.error().message, QStringLiteral("cannot make the folder %1: Not a directory")
                                       .arg(m_dir.filePath(QStringLiteral("file/inside"))));
    const auto full = m_io.create(QStringLiteral("/dev/full/a"), "x");
    QVERIFY(!full);
    QCOMPARE(full.error().kind, ErrorKind::Unavailable);
    const auto read = m_io.readAll(fileUri(m_dir.path()));
    QVERIFY(!read);
    QCOMPARE(read.error().message,
             QStringLiteral("cannot read %1: Is a directory").arg(m_dir.path()));
}

void tst_FileIo::removesWhatIsThere()
{
    QVERIFY(m_io.create(at(QStringLiteral("gone")), "x"));
    QVERIFY(m_io.remove(at(QStringLiteral("gone"))));
    QVERIFY(!m_io.exists(at(QStringLiteral("gone"))).value_or(true));
    QVERIFY(m_io.remove(at(QStringLiteral("gone"))));
}

QTEST_GUILESS_MAIN(tst_FileIo)
#include "tst_file_io.moc"
