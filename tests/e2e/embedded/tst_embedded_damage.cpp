// Damaged files: an error that names the file, never other rows.
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

class tst_EmbeddedDamage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesTheDamagedFile_data();
    void namesTheDamagedFile();

private:
    static void damage(const QString &path, const QString &how, const QString &other);
    QString pathOf(WarehouseFixture &warehouse, const QString &what);
};

// A file of each kind of a table with three data files and deletes for one of them.
QString tst_EmbeddedDamage::pathOf(WarehouseFixture &warehouse, const QString &what)
{
    const auto open = warehouse.executor().warehouse().reading();
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    const auto &snapshot = *table->metadata.currentSnapshot();
    const auto list = iceberg::loadManifestList(open->io, snapshot);
    const auto live = iceberg::liveFiles(open->io, table->metadata, snapshot, {}, {});
    QString location;
    if (what == u"metadata file")
        location = table->metadataLocation;
    else if (what == u"manifest list")
        location = snapshot.manifestList;
    else if (what == u"manifest")
        location = list->front().path;
    else
        location =
            what == u"data file" ? live->data.front().file.path : live->deletes.front().file.path;
    return *localPath(location);
}

void tst_EmbeddedDamage::damage(const QString &path, const QString &how, const QString &other)
{
    QFile file(path);
    if (how == u"is missing") {
        QVERIFY(file.remove());
        return;
    }
    if (how == u"is another file") {
        QFile replacement(other);
        QVERIFY(replacement.open(QIODevice::ReadOnly));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(replacement.readAll());
        return;
    }
    QVERIFY(file.open(QIODevice::ReadWrite));
    const qint64 size = file.size();
    if (how == u"is empty") {
        QVERIFY(file.resize(0));
    } else if (how == u"is cut") {
        QVERIFY(file.resize(size / 2));
    } else if (how == u"lacks its last byte") {
        QVERIFY(file.resize(size - 1));
    } else {
        // The end of a footer, a sync marker, a bracket.
        QVERIFY(file.seek(size - 8));
        file.write(QByteArray(8, '\xff'));
    }
}

void tst_EmbeddedDamage::namesTheDamagedFile_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("how");
    for (const char *what :
         {"metadata file", "manifest list", "manifest", "data file", "delete file"}) {
        for (const char *how :
             {"is missing", "is empty", "is cut", "lacks its last byte", "is overwritten"})
            QTest::addRow("a %s %s", what, how)
                << QString::fromLatin1(what) << QString::fromLatin1(how);
    }
    QTest::newRow("a delete file is another file")
        << QStringLiteral("delete file") << QStringLiteral("is another file");
    QTest::newRow("a manifest is another file")
        << QStringLiteral("manifest") << QStringLiteral("is another file");
}

void tst_EmbeddedDamage::namesTheDamagedFile()
{
    QFETCH(QString, what);
    QFETCH(QString, how);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t WITH (partitioning = ARRAY['k']) AS SELECT * FROM "
                                 "(VALUES (1, 'a'), (1, 'b'), (2, 'c'), (3, 'd')) AS v(k, v)"));
    const auto open = warehouse.executor().warehouse().writing();
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    auto next = table->metadata;
    next.properties.insert(QStringLiteral("write.delete.mode"), QStringLiteral("merge-on-read"));
    QVERIFY(iceberg::commitMetadata(*open, *table, next));
    warehouse.run(QStringLiteral("DELETE FROM t WHERE v = 'b'"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT v FROM t ORDER BY v")),
             QStringLiteral("a c d").split(u' '));

    const QString path = pathOf(warehouse, what);
    damage(path, how, pathOf(warehouse, QStringLiteral("data file")));
    // An engine that has not seen the file before.
    EmbeddedExecutor executor({.warehouse = warehouse.folder()});
    EmbeddedSession session(executor);
    for (const char *sql :
         {"SELECT v FROM t", "DELETE FROM t WHERE v = 'a'", "INSERT INTO t SELECT k, v FROM t"}) {
        const auto result = execute(session, QString::fromLatin1(sql), {});
        QVERIFY2(!result, sql);
        const QString text = result.error().text();
        QVERIFY2(text.contains(path), qPrintable(text));
        QVERIFY2(result.error().kind == ErrorKind::Corrupt, qPrintable(text));
    }
}

QTEST_GUILESS_MAIN(tst_EmbeddedDamage)
#include "tst_embedded_damage.moc"
