#include "framework/host/plugin_options.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

namespace {

PluginOption option(const QString &name, OptionType type)
{
    PluginOption out;
    out.name = name;
    out.type = type;
    out.text = QStringLiteral("a test's ") + name;
    return out;
}

PluginMetadata examplePlugin()
{
    PluginMetadata plugin;
    plugin.name = QStringLiteral("example");
    auto url = option(QStringLiteral("url"), OptionType::String);
    url.required = true;
    url.environment = QStringLiteral("EXAMPLE_URL");
    auto password = option(QStringLiteral("password"), OptionType::String);
    password.secret = true;
    password.environment = QStringLiteral("EXAMPLE_PASSWORD");
    auto warehouse = option(QStringLiteral("warehouse"), OptionType::Path);
    warehouse.defaultValue = QStringLiteral("./data");
    auto tries = option(QStringLiteral("tries"), OptionType::Integer);
    tries.environment = QStringLiteral("EXAMPLE_TRIES");
    plugin.options = {url,
                      password,
                      warehouse,
                      tries,
                      option(QStringLiteral("ratio"), OptionType::Number),
                      option(QStringLiteral("strict"), OptionType::Boolean),
                      option(QStringLiteral("tags"), OptionType::List),
                      option(QStringLiteral("properties"), OptionType::Map)};
    return plugin;
}

}  // namespace

class tst_PluginOptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void completes_data();
    void completes();
    void refuses_data();
    void refuses();
    void takesWhatTheExecutorHas();
    void readsASecretFromAFile();

private:
    // The completed options as JSON, or the problems.
    static QString outputOf(const QString &yaml, const Environment &environment,
                            const QJsonObject &inherited = {});
};

QString tst_PluginOptions::outputOf(const QString &yaml, const Environment &environment,
                                    const QJsonObject &inherited)
{
    const auto root = yaml::parse(yaml.toUtf8(), QStringLiteral("ivm.yaml"));
    if (!root)
        return root.error().text();
    PluginChoice choice{QStringLiteral("executor"),
                        QStringLiteral("example"),
                        *root,
                        {QStringLiteral("plugin")},
                        root->place};
    choice.options.kind = yaml::Node::Kind::Map;
    QList<Error> problems;
    const auto options = completeOptions(
        examplePlugin(), {choice, environment, QStringLiteral("/etc/ivm"), inherited}, problems);
    if (problems.isEmpty())
        return QString::fromUtf8(QJsonDocument(options).toJson(QJsonDocument::Compact));
    QStringList texts;
    for (const auto &problem : problems)
        texts.append(problem.text());
    return texts.join(u'\n');
}

void tst_PluginOptions::completes_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<Environment>("environment");
    QTest::addColumn<QString>("expected");
    const Environment url{{QStringLiteral("EXAMPLE_URL"), QStringLiteral("http://e")}};
    QTest::newRow("defaults") << QStringLiteral("plugin: example\nurl: http://c") << Environment()
                              << QString::fromLatin1(
                                     R"({"url":"http://c","warehouse":"/etc/ivm/data"})");
    QTest::newRow("from the environment")
        << QString() << url
        << QString::fromLatin1(R"({"url":"http://e","warehouse":"/etc/ivm/data"})");
    QTest::newRow("the configuration beats the environment")
        << QStringLiteral("url: http://c") << url
        << QString::fromLatin1(R"({"url":"http://c","warehouse":"/etc/ivm/data"})");
    QTest::newRow("a number from the environment")
        << QStringLiteral("url: c")
        << Environment{{QStringLiteral("EXAMPLE_TRIES"), QStringLiteral("3")}}
        << QString::fromLatin1(R"({"tries":3,"url":"c","warehouse":"/etc/ivm/data"})");
    QTest::newRow("a secret from the environment")
        << QStringLiteral("url: c")
        << Environment{{QStringLiteral("EXAMPLE_PASSWORD"), QStringLiteral("s")}}
        << QString::fromLatin1(R"({"password":"s","url":"c","warehouse":"/etc/ivm/data"})");
    QTest::newRow("paths") << QStringLiteral("url: c\nwarehouse: ../x/./y") << Environment()
                           << QString::fromLatin1(R"({"url":"c","warehouse":"/etc/x/y"})");
    QTest::newRow("paths inside a map")
        << QStringLiteral("url: c\nproperties: {path: x.db, key_file: y, SSLTrustStorePath: t, "
                          "KerberosConfigPath: /k, other: z}")
        << Environment()
        << QString::fromLatin1(
               R"({"properties":{"KerberosConfigPath":"/k","SSLTrustStorePath":"/etc/ivm/t",)"
               R"("key_file":"/etc/ivm/y","other":"z","path":"/etc/ivm/x.db"},)"
               R"("url":"c","warehouse":"/etc/ivm/data"})");
    QTest::newRow("an absolute path") << QStringLiteral("url: c\nwarehouse: /x") << Environment()
                                      << QString::fromLatin1(R"({"url":"c","warehouse":"/x"})");
    QTest::newRow("every type")
        << QStringLiteral("{url: c, tries: -2, ratio: 0.5, strict: no, tags: [a, 1], properties: "
                          "{a: {b: [true, \"1\"]}}}")
        << Environment()
        << QString::fromLatin1(R"({"properties":{"a":{"b":[true,"1"]}},"ratio":0.5,"strict":false,)"
                               R"("tags":["a",1],"tries":-2,"url":"c",)"
                               R"("warehouse":"/etc/ivm/data"})");
}

void tst_PluginOptions::completes()
{
    QFETCH(QString, yaml);
    QFETCH(Environment, environment);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(yaml, environment), expected);
}

void tst_PluginOptions::refuses_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<Environment>("environment");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a missing option")
        << QStringLiteral("plugin: example") << Environment()
        << QStringLiteral("ivm.yaml:1:1: executor: plugin 'example' needs the option 'url' (a "
                          "test's url). Set EXAMPLE_URL in the environment");
    QTest::newRow("an unknown option")
        << QStringLiteral("url: c\nwarehose: x") << Environment()
        << QStringLiteral(
               "ivm.yaml:2:1: executor: unknown key 'warehose'. Did you mean 'warehouse'?");
    QTest::newRow("an option given twice")
        << QStringLiteral("url: c\nurl: d") << Environment()
        << QStringLiteral("ivm.yaml:2:1: executor: the key 'url' is given twice, first in line 1. "
                          "Remove one of the two");
    QTest::newRow("wrong types")
        << QStringLiteral("url: [c]\ntries: x\nratio: much\nstrict: 2\ntags: a\nproperties: [a]")
        << Environment()
        << QStringLiteral("ivm.yaml:1:6: executor: 'url' is a list, expected text\n"
                          "ivm.yaml:2:8: executor: 'tries' is 'x', expected a whole number\n"
                          "ivm.yaml:3:8: executor: 'ratio' is 'much', expected a number\n"
                          "ivm.yaml:4:9: executor: 'strict' is '2', expected true or false\n"
                          "ivm.yaml:5:7: executor: 'tags' is 'a', expected a list\n"
                          "ivm.yaml:6:13: executor: 'properties' is a list, expected a map");
    QTest::newRow("a wrong type from the environment")
        << QStringLiteral("url: c")
        << Environment{{QStringLiteral("EXAMPLE_TRIES"), QStringLiteral("three")}}
        << QStringLiteral(
               "environment variable EXAMPLE_TRIES: 'tries' is 'three', expected a whole number");
    QTest::newRow("a secret in the configuration, which is not repeated")
        << QStringLiteral("url: c\npassword: hunter2") << Environment()
        << QStringLiteral("ivm.yaml:2:11: executor: 'password' is a secret and is not read from "
                          "here. Set EXAMPLE_PASSWORD in "
                          "the environment, or name a file with it under 'password_file'");
    QTest::newRow("a secret's file that is missing")
        << QStringLiteral("url: c\npassword_file: no.secret") << Environment()
        << QStringLiteral("ivm.yaml:2:16: executor: the file /etc/ivm/no.secret cannot be read: No "
                          "such file or directory");
}

void tst_PluginOptions::refuses()
{
    QFETCH(QString, yaml);
    QFETCH(Environment, environment);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(yaml, environment), expected);
}

void tst_PluginOptions::takesWhatTheExecutorHas()
{
    const QJsonObject inherited{{QStringLiteral("warehouse"), QStringLiteral("/w")},
                                {QStringLiteral("properties"), QStringLiteral("of another type")},
                                {QStringLiteral("other"), 1}};
    QCOMPARE(outputOf(QStringLiteral("url: c"), {}, inherited),
             QString::fromLatin1(R"({"url":"c","warehouse":"/w"})"));
    QCOMPARE(outputOf(QStringLiteral("url: c\nwarehouse: /mine"), {}, inherited),
             QString::fromLatin1(R"({"url":"c","warehouse":"/mine"})"));
}

void tst_PluginOptions::readsASecretFromAFile()
{
    QTemporaryDir dir;
    QFile file(dir.filePath(QStringLiteral("x.secret")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(" s3cret \r\n");
    file.close();
    const auto output = outputOf(QStringLiteral("url: c\npassword_file: ") + file.fileName(), {});
    QCOMPARE(output, QString::fromLatin1(
                         R"({"password":" s3cret ","url":"c","warehouse":"/etc/ivm/data"})"));
}

QTEST_GUILESS_MAIN(tst_PluginOptions)
#include "tst_plugin_options.moc"
