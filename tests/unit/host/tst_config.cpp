#include "framework/host/config.h"
#include "tests/support/golden.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

namespace {

QString optionsText(const yaml::Node &options, const QStringList &hostKeys)
{
    QStringList out;
    for (const auto &entry : options.entries) {
        if (!hostKeys.contains(entry.key))
            out.append(entry.key + u'=' +
                       (entry.value.kind == yaml::Node::Kind::Scalar ? entry.value.text
                                                                     : entry.value.kindName()));
    }
    return out.join(u' ');
}

QString describe(const Config &config)
{
    QString out;
    const auto line = [&](const QString &key, const QString &value) {
        out += QString(key + u' ' + value).trimmed() + u'\n';
    };
    line(QStringLiteral("server"), QStringLiteral("%1:%2 reload %3 grace %4")
                                       .arg(config.listen)
                                       .arg(config.port)
                                       .arg(config.reloadInterval.count())
                                       .arg(config.shutdownGrace.count()));
    for (const auto *choice : {&config.executor, &config.detector, &config.state, &config.history})
        line(choice->section,
             choice->plugin + u' ' + optionsText(choice->options, choice->hostKeys));
    line(QStringLiteral("poll"), QString::number(config.pollInterval.count()));
    line(QStringLiteral("refresh"), QStringLiteral("parallel %1 retry %2")
                                        .arg(config.parallelRefreshes)
                                        .arg(config.longestRetry.count()));
    return out;
}

// The input may begin with lines "$ NAME=value": the environment.
QString outputOf(const QString &input)
{
    QTemporaryDir dir;
    ConfigRequest request;
    request.folder = dir.path();
    QStringList lines = input.split(u'\n');
    while (!lines.isEmpty() && lines.first().startsWith(u"$ ")) {
        const QString setting = lines.takeFirst().sliced(2);
        request.environment.insert(setting.section(u'=', 0, 0), setting.section(u'=', 1));
    }
    QFile file(dir.filePath(QStringLiteral("ivm.yaml")));
    if (!file.open(QIODevice::WriteOnly))
        return QStringLiteral("cannot write");
    file.write(lines.join(u'\n').toUtf8());
    file.close();
    const auto outcome = loadConfig(request);
    if (outcome.problems.isEmpty())
        return describe(outcome.config).trimmed();
    QStringList texts;
    for (const auto &problem : outcome.problems)
        texts.append(problem.text().replace(QString(dir.path() + u'/'), QString()));
    return texts.join(u'\n');
}

}  // namespace

class tst_Config : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void readsOrRefuses_data();
    void readsOrRefuses();
    void looksForTheUsualFiles();
    void aFileThatIsNamedMustExist();
    void withoutAFileTheEmbeddedEngineIsUsed();
    void relativePathsStartAtTheFile();
};

void tst_Config::initTestCase() { test::updateGolden(QStringLiteral("config"), outputOf); }

void tst_Config::readsOrRefuses_data() { test::addGoldenRows(QStringLiteral("config")); }

void tst_Config::readsOrRefuses()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input), expected);
}

void tst_Config::looksForTheUsualFiles()
{
    QTemporaryDir dir;
    const auto write = [&](const QString &name) {
        QFile file(dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
    };
    ConfigRequest request;
    request.folder = dir.path();
    QCOMPARE(loadConfig(request).config.file, QString());
    write(QStringLiteral("config.yaml"));
    QCOMPARE(loadConfig(request).config.file, dir.filePath(QStringLiteral("config.yaml")));
    write(QStringLiteral("ivm.yaml"));
    QCOMPARE(loadConfig(request).config.file, dir.filePath(QStringLiteral("ivm.yaml")));
    request.file = QStringLiteral("config.yaml");
    QCOMPARE(loadConfig(request).config.file, dir.filePath(QStringLiteral("config.yaml")));
}

void tst_Config::aFileThatIsNamedMustExist()
{
    QTemporaryDir dir;
    ConfigRequest request;
    request.folder = dir.path();
    request.file = QStringLiteral("other.yaml");
    const auto outcome = loadConfig(request);
    QCOMPARE(outcome.problems.size(), 1);
    QCOMPARE(outcome.problems.first().text(), QString(dir.filePath(QStringLiteral("other.yaml")) +
                                                      QStringLiteral(": there is no such file")));
}

void tst_Config::withoutAFileTheEmbeddedEngineIsUsed()
{
    QTemporaryDir dir;
    ConfigRequest request;
    request.folder = dir.path();
    const auto outcome = loadConfig(request);
    QVERIFY(outcome.problems.isEmpty());
    QCOMPARE(outcome.config.executor.plugin, u"duckdb");
    QCOMPARE(outcome.config.detector.plugin, u"catalog");
    QCOMPARE(outcome.config.state.plugin, u"sqlite");
    QCOMPARE(outcome.config.folder, dir.path());
    QCOMPARE(outcome.config.viewsFile, dir.filePath(QStringLiteral("views.yaml")));
}

void tst_Config::relativePathsStartAtTheFile()
{
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("conf")));
    QFile file(dir.filePath(QStringLiteral("conf/ivm.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    ConfigRequest request;
    request.folder = dir.path();
    request.file = QStringLiteral("conf/ivm.yaml");
    const auto config = loadConfig(request).config;
    QCOMPARE(config.folder, dir.filePath(QStringLiteral("conf")));
    QCOMPARE(config.viewsFile, dir.filePath(QStringLiteral("views.yaml")));
}

QTEST_GUILESS_MAIN(tst_Config)
#include "tst_config.moc"
