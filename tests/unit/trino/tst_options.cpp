#include "plugins/executor_trino/options.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

QJsonObject objectOf(const QByteArray &json) { return QJsonDocument::fromJson(json).object(); }

}  // namespace

class tst_Options : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEverything();
    void readsWhoWeAre();
    void refusesWhatCannotWork_data();
    void refusesWhatCannotWork();
    void allowsPasswordsHereAndOverTls_data();
    void allowsPasswordsHereAndOverTls();
};

void tst_Options::readsEverything()
{
    const auto options = readOptions(
        objectOf(R"({"url": "https://trino.example:8443/gate/", "user": "ivm", "password": "secret",
        "catalog": "Lake", "schema": "Sales", "source": "s", "client_tags": ["a", "b"],
        "session_properties": {"query_max_run_time": "30m", "iceberg.x": true,
         "task_concurrency": 4}})"));
    QVERIFY2(options, qPrintable(options ? QString() : options.error().text()));
    QCOMPARE(options->url.toString(), QStringLiteral("https://trino.example:8443/gate"));
    QCOMPARE(options->user, QStringLiteral("ivm"));
    QCOMPARE(options->password, QStringLiteral("secret"));
    QCOMPARE(options->catalog, QStringLiteral("lake"));
    QCOMPARE(options->schema, QStringLiteral("sales"));
    QCOMPARE(options->clientTags, QStringList({QStringLiteral("a"), QStringLiteral("b")}));
    const QMap<QString, QString> properties{
        {QStringLiteral("query_max_run_time"), QStringLiteral("30m")},
        {QStringLiteral("iceberg.x"), QStringLiteral("true")},
        {QStringLiteral("task_concurrency"), QStringLiteral("4")}};
    QCOMPARE(options->sessionProperties, properties);
    QCOMPARE(options->publicUrl, options->url);
}

void tst_Options::readsWhoWeAre()
{
    const auto options = readOptions(
        objectOf(R"({"url": "https://trino.example", "user": "ivm", "access_token_file": "/t",
        "ca_file": "/ca", "client_certificate_file": "/c", "client_key_file": "/k",
        "client_key_password": "p", "public_url": "https://ui.example/trino/",
        "roles": {"iceberg": "writer", "hive": "NONE", "system": "ALL"}})"));
    QVERIFY2(options, qPrintable(options ? QString() : options.error().text()));
    QCOMPARE(options->accessTokenFile, QStringLiteral("/t"));
    QCOMPARE(options->tls.authorities, QStringLiteral("/ca"));
    QCOMPARE(options->tls.certificate, QStringLiteral("/c"));
    QCOMPARE(options->tls.key, QStringLiteral("/k"));
    QCOMPARE(options->tls.keyPassword, QStringLiteral("p"));
    QCOMPARE(options->publicUrl.toString(), QStringLiteral("https://ui.example/trino"));
    const QMap<QString, QString> roles{{QStringLiteral("iceberg"), QStringLiteral("ROLE{writer}")},
                                       {QStringLiteral("hive"), QStringLiteral("NONE")},
                                       {QStringLiteral("system"), QStringLiteral("ALL")}};
    QCOMPARE(options->roles, roles);
}

void tst_Options::refusesWhatCannotWork_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *json, const char *message) {
        QTest::newRow(name) << QByteArray(json) << QString::fromUtf8(message);
    };
    row("no url", R"({"user": "u"})", "executor option url: it is missing");
    row("another scheme", R"({"url": "jdbc:trino://h", "user": "u"})",
        "executor option url: it is not an http or https URL");
    row("no host", R"({"url": "http://", "user": "u"})",
        "executor option url: it is not an http or https URL");
    row("a password in the url", R"({"url": "http://u:p@h", "user": "u"})",
        "executor option url: it contains a user or password");
    row("a query in the url", R"({"url": "http://h?x=1", "user": "u"})",
        "executor option url: it has a query or fragment");
    row("no user", R"({"url": "http://h"})", "executor option user: it is missing");
    row("a header in the user", R"({"url": "http://h", "user": "u\r\nX-Trino-Role: admin"})",
        "executor option user: it contains a control character");
    row("a colon in the user", R"({"url": "https://h", "user": "u:v", "password": "p"})",
        "executor option user: it contains a colon");
    row("a password in the clear",
        R"({"url": "http://trino.example:8080", "user": "u", "password": "p"})",
        "executor option password: it would be sent in the clear to http://trino.example:8080");
    row("a comma in a tag", R"({"url": "http://h", "user": "u", "client_tags": ["a,b"]})",
        "executor option client_tags: 'a,b' is not a tag");
    row("another time zone",
        R"({"url": "http://h", "user": "u", "session_properties": {"time_zone_id": "CET"}})",
        "executor option session_properties: time_zone_id cannot be set");
    row("a list for a property",
        R"({"url": "http://h", "user": "u", "session_properties": {"a": []}})",
        "executor option session_properties: a is not a text or number");
    row("a token in the clear",
        R"({"url": "http://trino.example", "user": "u", "access_token_file": "/t"})",
        "executor option access_token_file: it would be sent in the clear to "
        "http://trino.example");
    row("a password and a token",
        R"({"url": "https://h", "user": "u", "password": "p", "access_token_file": "/t"})",
        "executor option access_token_file: there is a password, too");
    row("a key without a certificate",
        R"({"url": "https://h", "user": "u", "client_key_file": "/k"})",
        "executor option client_key_file: there is no certificate to it");
    row("an authority without TLS", R"({"url": "http://localhost", "user": "u", "ca_file": "/ca"})",
        "executor option ca_file: http://localhost is not an https URL");
    row("no role", R"({"url": "http://h", "user": "u", "roles": {"iceberg": 5}})",
        "executor option roles: 'iceberg: ' is not a catalog and a role");
    row("a public url that is none", R"({"url": "http://h", "user": "u", "public_url": "h:80"})",
        "executor option public_url: it is not an http or https URL");
    row("no property", R"({"url": "http://h", "user": "u", "session_properties": {"a=b": "c"}})",
        "executor option session_properties: 'a=b' is not a property");
}

void tst_Options::refusesWhatCannotWork()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, message);
    const auto options = readOptions(objectOf(json));
    QVERIFY(!options);
    QCOMPARE(options.error().kind, ErrorKind::Invalid);
    QCOMPARE(options.error().message, message);
    QVERIFY(!options.error().hint.isEmpty());
}

void tst_Options::allowsPasswordsHereAndOverTls_data()
{
    QTest::addColumn<QString>("url");
    for (const char *url : {"http://localhost:8080", "http://127.0.0.2:8080", "http://[::1]:8080",
                            "https://trino.example"})
        QTest::newRow(url) << QString::fromUtf8(url);
}

void tst_Options::allowsPasswordsHereAndOverTls()
{
    QFETCH(QString, url);
    const auto options = readOptions({{QStringLiteral("url"), url},
                                      {QStringLiteral("user"), QStringLiteral("u")},
                                      {QStringLiteral("password"), QStringLiteral("p")}});
    QVERIFY2(options, qPrintable(options ? QString() : options.error().text()));
    const auto allowed =
        readOptions({{QStringLiteral("url"), QStringLiteral("http://trino.example")},
                     {QStringLiteral("user"), QStringLiteral("u")},
                     {QStringLiteral("password"), QStringLiteral("p")},
                     {QStringLiteral("allow_plain_http"), true}});
    QVERIFY2(allowed, qPrintable(allowed ? QString() : allowed.error().text()));
}

QTEST_GUILESS_MAIN(tst_Options)
#include "tst_options.moc"
