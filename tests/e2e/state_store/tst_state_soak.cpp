// Two thousand refreshes' worth of state: what it takes on the disk, and how long.
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_state.h"
#include "tests/conformance/checks.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using store_iceberg::IcebergState;
using store_iceberg::StateOptions;

class tst_StateSoak : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void doesNotGrow();
};

namespace {

struct Size {
    int files = 0;
    qint64 bytes = 0;
};

Size sizeOf(const QString &folder)
{
    Size size;
    for (QDirIterator at(folder, QDir::Files, QDirIterator::Subdirectories); at.hasNext();) {
        at.next();
        ++size.files;
        size.bytes += at.fileInfo().size();
    }
    return size;
}

Status refresh(IcebergState &store, const QString &view, int number)
{
    const TableName target{QStringLiteral("iceberg"), QStringLiteral("main"), view};
    Bookmark bookmark;
    bookmark.view = view;
    bookmark.target = target;
    bookmark.resumeFrom = QString::number(number);
    RefreshRecord record;
    record.view = view;
    record.action = QStringLiteral("diff");
    record.started = QDateTime::currentDateTimeUtc();
    IVM_TRY(const QString lease, store.acquireLease({.target = target, .owner = view}));
    IVM_CHECK(store.saveBookmark(bookmark));
    IVM_CHECK(store.releaseLease(lease));
    return store.addRecord(record);
}

}  // namespace

void tst_StateSoak::doesNotGrow()
{
    QTemporaryDir folder;
    duckdb::EmbeddedExecutor engine{{.warehouse = folder.path()}};
    IcebergState store({.catalog = QStringLiteral("iceberg"), .schema = QStringLiteral("state")},
                       [&]() -> Result<Executor *> { return &engine; });
    const QString tables = folder.filePath(QStringLiteral("state"));
    Size early;
    QElapsedTimer timer;
    for (int i = 1; i <= 2000; ++i) {
        DO(refresh(store, QStringLiteral("view_%1").arg(i % 8), i));
        if (i % 250 != 0)
            continue;
        const Size now = sizeOf(tables);
        qInfo("%d refreshes: %d files, %lld kB, %lld ms each", i, now.files,
              qlonglong(now.bytes / 1024), qlonglong(timer.isValid() ? timer.elapsed() / 250 : 0));
        timer.restart();
        if (i == 1000)
            early = now;
    }
    const Size late = sizeOf(tables);
    QVERIFY(late.files < early.files * 2);
    QVERIFY(late.bytes < early.bytes * 2);
}

QTEST_GUILESS_MAIN(tst_StateSoak)
#include "tst_state_soak.moc"
