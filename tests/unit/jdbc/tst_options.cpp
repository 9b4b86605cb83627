#include "plugins/executor_jdbc/options.h"

#include <QJsonArray>
#include <QTest>

namespace ivm::jdbc {

class tst_Options : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatIsRight();
    void knowsWherePeopleLook_data();
    void knowsWherePeopleLook();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();

private:
    static PluginOptions good()
    {
        return {{QStringLiteral("url"), QStringLiteral("jdbc:trino://host:8443/iceberg?SSL=true")},
                {QStringLiteral("user"), QStringLiteral("ivm")},
                {QStringLiteral("catalog"), QStringLiteral("iceberg")},
                {QStringLiteral("schema"), QStringLiteral("main")},
                {QStringLiteral("source"), QStringLiteral("iceberg-ivm")},
                {QStringLiteral("java"), QStringLiteral("java")},
                {QStringLiteral("heap_mb"), 96}};
    }
};

void tst_Options::readsWhatIsRight()
{
    PluginOptions options = good();
    options.insert(QStringLiteral("password"), QStringLiteral("sesame"));
    options.insert(
        QStringLiteral("properties"),
        QJsonObject{{QStringLiteral("KerberosRemoteServiceName"), QStringLiteral("trino")},
                    {QStringLiteral("KerberosCredentialCachePath"), QStringLiteral("/tmp/c")},
                    {QStringLiteral("traceToken"), QStringLiteral("t1")},
                    {QStringLiteral("disableCompression"), true}});
    options.insert(QStringLiteral("secret_properties"),
                   QStringLiteral("SSLTrustStorePassword = a=b\n\nSSLKeyStorePassword=t\n"));
    const auto read = readOptions(options);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(read->url, QStringLiteral("jdbc:trino://host:8443/iceberg?SSL=true"));
    QCOMPARE(read->shownUrl, QStringLiteral("jdbc:trino://host:8443"));
    QCOMPARE(read->properties,
             (QMap<QString, QString>{
                 {QStringLiteral("KerberosRemoteServiceName"), QStringLiteral("trino")},
                 {QStringLiteral("KerberosCredentialCachePath"), QStringLiteral("/tmp/c")},
                 {QStringLiteral("traceToken"), QStringLiteral("t1")},
                 {QStringLiteral("disableCompression"), QStringLiteral("true")},
                 {QStringLiteral("SSLTrustStorePassword"), QStringLiteral("a=b")},
                 {QStringLiteral("SSLKeyStorePassword"), QStringLiteral("t")},
                 {QStringLiteral("password"), QStringLiteral("sesame")}}));
    QCOMPARE(read->secrets,
             QStringList({QStringLiteral("a=b"), QStringLiteral("t"), QStringLiteral("sesame")}));
}

void tst_Options::knowsWherePeopleLook_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("ssl");
    QTest::addColumn<QString>("told");
    QTest::addColumn<QString>("page");
    QTest::newRow("plain") << "jdbc:trino://host:8080" << "" << "" << "http://host:8080";
    QTest::newRow("TLS") << "jdbc:trino://host:8443?SSL=true" << "" << "" << "https://host:8443";
    QTest::newRow("TLS by a property")
        << "jdbc:trino://host:8443" << "true" << "" << "https://host:8443";
    QTest::newRow("the port of TLS") << "jdbc:trino://host:443" << "" << "" << "https://host:443";
    QTest::newRow("no TLS on it") << "jdbc:trino://host:443" << "false" << "" << "http://host:443";
    QTest::newRow("elsewhere") << "jdbc:trino://host" << "" << "https://ui.example/trino/"
                               << "https://ui.example/trino";
}

void tst_Options::knowsWherePeopleLook()
{
    QFETCH(QString, url);
    QFETCH(QString, ssl);
    QFETCH(QString, told);
    QFETCH(QString, page);
    PluginOptions options = good();
    options.insert(QStringLiteral("url"), url);
    options.insert(QStringLiteral("public_url"), told);
    if (!ssl.isEmpty())
        options.insert(QStringLiteral("properties"), QJsonObject{{QStringLiteral("SSL"), ssl}});
    const auto read = readOptions(options);
    QVERIFY(read);
    QCOMPARE(read->publicUrl.toString(), page);
}

void tst_Options::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QJsonValue>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *option, const QJsonValue &value,
                        const char *message) { QTest::newRow(name) << option << value << message; };
    const auto text = [](const char *value) { return QJsonValue(QString::fromUtf8(value)); };
    const auto map = [&](const char *name, const char *value) {
        return QJsonValue(QJsonObject{{QString::fromUtf8(name), text(value)}});
    };
    row("not the driver's", "url", text("http://host"),
        "executor option url: it is not a URL that begins with jdbc:trino://. Set url (or "
        "IVM_JDBC_URL) to the driver's URL, for example jdbc:trino://localhost:8080");
    row("a password in the URL", "url", text("jdbc:trino://host?password=x"),
        "executor option url: it sets password, which is not set here. Use TRINO_PASSWORD or "
        "password_file");
    row("a user in the URL", "url", text("jdbc:trino://a:b@host"),
        "executor option url: it contains a user or a fragment. Use user (TRINO_USER) and "
        "TRINO_PASSWORD or password_file");
    row("a token in the URL", "url", text("jdbc:trino://host?accessToken=x"),
        "executor option url: it sets accessToken, which is not set here. Use access_token_file, "
        "which is read again when it changes");
    row("a token spelled otherwise", "url", text("jdbc:trino://host?access%54oken%3Dx"),
        "executor option url: it sets accessToken, which is not set here. Use access_token_file, "
        "which is read again when it changes");
    row("a secret behind another's value", "url",
        text("jdbc:trino://host?applicationNamePrefix=a%26SSLKeyStorePassword=x"),
        "executor option url: it contains the secret SSLKeyStorePassword. Write it as a line "
        "name=value into a file that secret_properties_file names, or into IVM_JDBC_PROPERTIES");
    row("another catalog in the URL", "url", text("jdbc:trino://host/hive/main"),
        "executor option url: it names the catalog 'hive', and the option catalog is 'iceberg'. "
        "Set catalog: hive, or take it out of the URL");
    row("another schema in the URL", "url", text("jdbc:trino://host/iceberg/x"),
        "executor option url: it names the schema 'x', and the option schema is 'main'. Set "
        "schema: x, or take it out of the URL");
    row("a longer path", "url", text("jdbc:trino://host/iceberg/main/t"),
        "executor option url: its path is not a catalog and a schema. Write "
        "jdbc:trino://host:port/catalog/schema, or no path");
    row("a time zone in the URL", "url", text("jdbc:trino://host?timezone=UTC"),
        "executor option url: it sets timezone, which is not set here. Sessions are pinned to UTC, "
        "which buckets depend on");
    for (const char *url :
         {"jdbc:trino://host?timezone%3DUTC", "jdbc:trino://host?a=b%26timezone=UTC"})
        row(url, "url", text(url),
            "executor option url: it sets timezone, which is not set here. Sessions are pinned to "
            "UTC, which buckets depend on");
    row("a session's time zone in the URL", "url",
        text("jdbc:trino://host?sessionProperties=a%3Ab%3Btime_zone_id%3AUTC"),
        "executor option url: it sets time_zone_id, which cannot be set. Sessions are pinned to "
        "UTC, which buckets depend on");
    row("a session's time zone among the secrets", "secret_properties",
        text("sessionProperties=time_zone_id:UTC"),
        "executor option secret_properties: it sets time_zone_id, which cannot be set. Sessions "
        "are pinned to UTC, which buckets depend on");
    row("a log of headers", "properties", map("httpLoggingLevel", "HEADERS"),
        "executor option properties: it sets httpLoggingLevel to 'HEADERS', which would log "
        "secrets. Set it to BASIC or NONE");
    row("a log of all", "url", text("jdbc:trino://host?httpLoggingLevel=BODY"),
        "executor option url: it sets httpLoggingLevel to 'BODY', which would log secrets. Set it "
        "to BASIC or NONE");
    row("patience of its own", "properties", map("timeout", "5m"),
        "executor option properties: it sets timeout, which is not set here. An answer that does "
        "not come is asked for again for half a minute");
    row("a path of functions", "properties", map("path", "a.b"),
        "executor option properties: it sets path, which is not set here. Write functions as "
        "catalog.schema.name");
    row("no user", "user", text(""),
        "executor option user: it is missing. Set user (or TRINO_USER) to the name that Trino "
        "knows");
    row("a user of other characters", "user", text("Jos\u00e9"),
        "executor option user: 'Jos\u00e9' is not ASCII. The JDBC driver sends ASCII alone here");
    row("a tag of other characters", "client_tags", QJsonArray{text("\u00e9")},
        "executor option client_tags: '\u00e9' is not ASCII. The JDBC driver sends ASCII alone "
        "here");
    row("a schema of other characters", "schema", text("gr\u00f6\u00dfe"),
        "executor option schema: 'gr\u00f6\u00dfe' is not ASCII. The JDBC driver sends ASCII alone "
        "here");
    row("a property of other characters", "session_properties", map("x", "\u00e9"),
        "executor option session_properties: '\u00e9' is not ASCII. The JDBC driver sends ASCII "
        "alone here");
    row("an open secret", "properties", map("SSLKeyStorePassword", "x"),
        "executor option properties: it contains the secret SSLKeyStorePassword. Write it as a "
        "line name=value into a file that secret_properties_file names, or into "
        "IVM_JDBC_PROPERTIES");
    row("another option's", "properties", map("clientTags", "x"),
        "executor option properties: it sets clientTags, which is not set here. Use the option "
        "client_tags");
    row("no property", "secret_properties", text("a=b\nsesame"),
        "executor option secret_properties: line 2 is not name=value. Write one property of the "
        "driver on each line");
    row("a time zone", "session_properties", map("time_zone_id", "x"),
        "executor option session_properties: time_zone_id cannot be set. Sessions are pinned to "
        "UTC, which buckets depend on");
    row("a small heap", "heap_mb", 8,
        "executor option heap_mb: 8 is not between 32 and 65536. The default of 96 is enough "
        "unless single rows are very large");
    row("no page", "public_url", text("host"),
        "executor option public_url: it is not an http or https URL. Set public_url (or "
        "TRINO_PUBLIC_URL) to where browsers reach Trino");
    row("a page without a host", "public_url", text("http:"),
        "executor option public_url: it is not an http or https URL. Set public_url (or "
        "TRINO_PUBLIC_URL) to where browsers reach Trino");
}

void tst_Options::saysWhatIsWrong()
{
    QFETCH(QString, option);
    QFETCH(QJsonValue, value);
    QFETCH(QString, message);
    PluginOptions options = good();
    options.insert(option, value);
    const auto read = readOptions(options);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Invalid);
    QCOMPARE(read.error().text(), message);
}

}  // namespace ivm::jdbc

QTEST_GUILESS_MAIN(ivm::jdbc::tst_Options)
#include "tst_options.moc"
