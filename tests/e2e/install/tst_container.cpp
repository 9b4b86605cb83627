// share/container: what can be known of the stack without running it.
#include "framework/yaml/yaml.h"
#include "tests/support/program.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

using namespace ivm;
using ivm::test::Program;

namespace {

const QString kFolder = QStringLiteral(IVM_SOURCE_DIR "/share/container/");

QString fileText(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList texts(const yaml::Node *list)
{
    QStringList out;
    if (list) {
        for (const auto &item : list->items)
            out.append(item.text);
    }
    return out;
}

QString textOf(const yaml::Node &map, const char *key)
{
    const auto *node = map.find(QString::fromLatin1(key));
    return node ? node->text : QString();
}

// "postgres:15": with a version, and without a registry's name.
bool isPinnedImage(const QString &image)
{
    static const QRegularExpression form(
        QStringLiteral("\\A([a-z0-9]+/)?[a-z0-9-]+:[A-Za-z0-9][A-Za-z0-9._-]*\\z"));
    return form.match(image).hasMatch() && !image.endsWith(QStringLiteral(":latest"));
}

}  // namespace

class tst_Container : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyServiceHasWhatItRuns();
    void everyMountIsThere();
    void everyServiceThatIsWaitedForIsThere();
    void secretsComeFromTheEnvironment();
    void everyFileIsYaml_data();
    void everyFileIsYaml();
    void theImageCopiesWhatIsThere();
    void theHostTakesItsConfiguration();

private:
    yaml::Node m_compose;
};

void tst_Container::initTestCase()
{
    auto read = yaml::parseFile(kFolder + QStringLiteral("compose.yaml"));
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    m_compose = *std::move(read);
    QVERIFY(m_compose.find(u"services"));
    QVERIFY(m_compose.find(u"volumes"));
}

void tst_Container::everyServiceHasWhatItRuns()
{
    for (const auto &service : m_compose.find(u"services")->entries) {
        if (const auto *build = service.value.find(u"build")) {
            const QDir context(kFolder + textOf(*build, "context"));
            QVERIFY2(context.exists(textOf(*build, "dockerfile")), qPrintable(service.key));
        } else {
            QVERIFY2(isPinnedImage(textOf(service.value, "image")), qPrintable(service.key));
        }
    }
}

void tst_Container::everyMountIsThere()
{
    int mounts = 0;
    for (const auto &service : m_compose.find(u"services")->entries) {
        for (const QString &mount : texts(service.value.find(u"volumes"))) {
            const QString from = mount.section(u':', 0, 0);
            QVERIFY2(mount.section(u':', 1, 1).startsWith(u'/'), qPrintable(mount));
            if (from.startsWith(u'.'))
                QVERIFY2(QFile::exists(kFolder + from), qPrintable(mount));
            else
                QVERIFY2(m_compose.find(u"volumes")->find(from), qPrintable(mount));
            ++mounts;
        }
    }
    QVERIFY(mounts > 0);
}

void tst_Container::everyServiceThatIsWaitedForIsThere()
{
    const auto *services = m_compose.find(u"services");
    for (const auto &service : services->entries) {
        if (const auto *others = service.value.find(u"depends_on")) {
            for (const auto &other : others->entries)
                QVERIFY2(services->find(other.key), qPrintable(other.key));
        }
    }
}

void tst_Container::secretsComeFromTheEnvironment()
{
    for (const auto &service : m_compose.find(u"services")->entries) {
        const auto *environment = service.value.find(u"environment");
        if (!environment)
            continue;
        for (const auto &variable : environment->entries) {
            if (variable.key.contains(QStringLiteral("PASSWORD")) ||
                variable.key.contains(QStringLiteral("TOKEN")))
                QVERIFY2(variable.value.text.startsWith(QStringLiteral("${")),
                         qPrintable(variable.key));
        }
    }
}

void tst_Container::everyFileIsYaml_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"ivm.yaml", "views.yaml", "prometheus.yaml",
                             "grafana/datasources.yaml", "grafana/dashboards.yaml"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void tst_Container::everyFileIsYaml()
{
    QFETCH(QString, name);
    const auto read = yaml::parseFile(kFolder + name);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QVERIFY(read->kind == yaml::Node::Kind::Map);
}

void tst_Container::theImageCopiesWhatIsThere()
{
    const QString text = fileText(kFolder + QStringLiteral("Containerfile"))
                             .replace(QStringLiteral("\\\n"), QString());
    int copied = 0;
    for (const QString &line : text.split(u'\n')) {
        const QStringList words = line.simplified().split(u' ');
        if (words.first() == u"FROM")
            QVERIFY2(isPinnedImage(words[1]), qPrintable(line));
        if (words.first() != u"COPY" || line.contains(QStringLiteral("--from")))
            continue;
        for (const QString &word : words.mid(1, words.size() - 2)) {
            if (!word.startsWith(u'-'))
                QVERIFY2(QFile::exists(QStringLiteral(IVM_SOURCE_DIR "/") + word),
                         qPrintable(line));
        }
        ++copied;
    }
    QVERIFY(copied > 0);
}

void tst_Container::theHostTakesItsConfiguration()
{
    Program ctl(QStringLiteral(IVM_CTL));
    for (const auto &service : m_compose.find(u"services")->entries) {
        if (service.key != u"ivmd")
            continue;
        for (const auto &variable : service.value.find(u"environment")->entries)
            ctl.set(variable.key, variable.value.text);
    }
    const auto ran = ctl.run({QStringLiteral("-c"), kFolder + QStringLiteral("ivm.yaml"),
                              QStringLiteral("--views"), kFolder + QStringLiteral("views.yaml"),
                              QStringLiteral("check")});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QVERIFY(ran.out.contains(QStringLiteral("orders_monthly")));
}

QTEST_GUILESS_MAIN(tst_Container)
#include "tst_container.moc"
