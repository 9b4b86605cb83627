#include "plugins/detector_catalog/options.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using namespace ivm::catalog;

namespace {

QJsonObject objectOf(const QByteArray &json) { return QJsonDocument::fromJson(json).object(); }

}  // namespace

class tst_CatalogOptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheEmbeddedCatalog();
    void readsAPostgresServer_data();
    void readsAPostgresServer();
    void readsThePasswordOfAFile();
    void refusesWhatCannotWork_data();
    void refusesWhatCannotWork();
};

void tst_CatalogOptions::findsTheEmbeddedCatalog()
{
    const auto usual = readOptions(objectOf(R"({"warehouse": "/w", "name": "lake"})"));
    QVERIFY(usual);
    QCOMPARE(usual->driver, QStringLiteral("QSQLITE"));
    QCOMPARE(usual->database, QStringLiteral("/w/catalog.db"));
    QCOMPARE(usual->catalogName, QStringLiteral("lake"));
    const auto executors = readOptions(objectOf(R"({"warehouse": "/w", "catalog": "lake"})"));
    QCOMPARE(executors->database, QStringLiteral("/w/catalog.db"));
    const auto named = readOptions(
        objectOf(R"({"warehouse": "/w", "catalog": {"type": "sqlite", "path": "/c.db"}})"));
    QVERIFY(named);
    QCOMPARE(named->database, QStringLiteral("/c.db"));
}

void tst_CatalogOptions::readsAPostgresServer_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("sslmode");
    QTest::newRow("a host") << QStringLiteral("postgresql://db.example/lake") << -1 << QString();
    QTest::newRow("a port") << QStringLiteral("postgresql://db.example:5433/lake") << 5433
                            << QString();
    QTest::newRow("as Trino has it")
        << QStringLiteral("jdbc:postgresql://db.example:5433/lake") << 5433 << QString();
    QTest::newRow("settings") << QStringLiteral("postgresql://db.example/lake?sslmode=verify-full")
                              << -1 << QStringLiteral("verify-full");
}

void tst_CatalogOptions::readsAPostgresServer()
{
    QFETCH(QString, url);
    QFETCH(int, port);
    QFETCH(QString, sslmode);
    const QJsonObject catalog{{QStringLiteral("type"), QStringLiteral("jdbc")},
                              {QStringLiteral("url"), url},
                              {QStringLiteral("user"), QStringLiteral("ivm")}};
    const auto read = readOptions({{QStringLiteral("catalog"), catalog},
                                   {QStringLiteral("catalog_password"), QStringLiteral("p;'x")},
                                   {QStringLiteral("name"), QStringLiteral("iceberg")}});
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(read->driver, QStringLiteral("QPSQL"));
    QCOMPARE(read->database, QStringLiteral("lake"));
    QCOMPARE(read->server.host, QStringLiteral("db.example"));
    QCOMPARE(read->server.port, port);
    QCOMPARE(read->server.user, QStringLiteral("ivm"));
    QCOMPARE(read->server.password, QStringLiteral("p;'x"));
    QCOMPARE(read->server.settings.value(QStringLiteral("sslmode")), sslmode);
    QCOMPARE(read->server.settings.value(QStringLiteral("connect_timeout")), QStringLiteral("10"));
}

void tst_CatalogOptions::readsThePasswordOfAFile()
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("pg.secret")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("geheim\n") > 0);
    file.close();
    const QJsonObject catalog{{QStringLiteral("type"), QStringLiteral("jdbc")},
                              {QStringLiteral("url"), QStringLiteral("postgresql://h/d")},
                              {QStringLiteral("password_file"), file.fileName()}};
    const auto read = readOptions({{QStringLiteral("catalog"), catalog}});
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(read->server.password, QStringLiteral("geheim"));
}

void tst_CatalogOptions::refusesWhatCannotWork_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *catalog, const char *message) {
        QTest::newRow(name) << QByteArray(R"({"catalog": )") + catalog + '}'
                            << QString::fromUtf8(message);
    };
    row("another type", R"({"type": "rest"})",
        "detector.catalog: catalogs of type 'rest' are not read, only 'sqlite' and 'jdbc' are");
    row("a misspelt option", R"({"type": "sqlite", "pfad": "/c"})",
        "detector.catalog: 'pfad' is not an option");
    row("no file", R"({"type": "sqlite"})", "detector.catalog: 'path' is missing");
    row("no url", R"({"type": "jdbc"})",
        "detector.catalog: 'url' is not postgresql://host/database");
    row("another database", R"({"type": "jdbc", "url": "jdbc:mysql://h/d"})",
        "detector.catalog: 'url' is not postgresql://host/database");
    row("no database", R"({"type": "jdbc", "url": "postgresql://h"})",
        "detector.catalog: 'url' is not postgresql://host/database");
    row("a password in the url", R"({"type": "jdbc", "url": "postgresql://u:secret@h/d"})",
        "detector.catalog: 'url' contains a user or password");
    row("a setting that may run programs",
        R"({"type": "jdbc", "url": "postgresql://h/d?options=-c"})",
        "detector.catalog: 'url' has the setting 'options'");
    row("a setting that holds others", R"({"type": "jdbc", "url": "postgresql://h/d?sslmode=a;b"})",
        "detector.catalog: 'url' has the setting 'sslmode'");
    row("a file that is not there",
        R"({"type": "jdbc", "url": "postgresql://h/d", "password_file": "/no/such/file"})",
        "detector.catalog: the file /no/such/file cannot be read: No such file or directory");
}

void tst_CatalogOptions::refusesWhatCannotWork()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, message);
    const auto read = readOptions(objectOf(json));
    QVERIFY(!read);
    QCOMPARE(read.error().message, message);
    QVERIFY(!read.error().text().contains(u"secret@"));
}

QTEST_GUILESS_MAIN(tst_CatalogOptions)
#include "tst_catalog_options.moc"
