// Eight processes race for the lock of a history, round by round: one wins, the others are told
// who.
//
// The program is its own racer: started with a configuration's folder, it reads what to do from
// stdin, a letter a line, and answers each with a line.
#include "framework/host/host.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <iostream>

using namespace ivm;

namespace {

constexpr int kRacers = 8;
constexpr int kPatienceMs = 120'000;
const QString kLost = QStringLiteral("lost");
const QString kLine = QStringLiteral("default");

std::unique_ptr<Host> hostIn(const QString &folder)
{
    HostRequest request;
    request.config.folder = folder;
    for (const char *name : {"TRINO_URL", "TRINO_USER"})
        request.config.environment.insert(QString::fromLatin1(name), qEnvironmentVariable(name));
    request.pluginFolders = {QStringLiteral(IVM_TEST_PLUGINS)};
    request.program = QStringLiteral("racer");
    return std::make_unique<Host>(request);
}

QString acquire(HistoryStore &store, std::optional<MigrationLock> &lock)
{
    const auto owner = QStringLiteral("racer (process %1)").arg(QCoreApplication::applicationPid());
    auto taken = store.acquire({.line = kLine, .owner = owner, .doing = {}}, {});
    if (taken) {
        lock = *std::move(taken);
        return QStringLiteral("won");
    }
    const Error &error = taken.error();
    return error.code == u"migration_lock_held" ? kLost : error.text();
}

// a: acquire; r: release, of a lock that is held; e: end.
int race(const QString &folder)
{
    const auto host = hostIn(folder);
    const auto store = host->history();
    std::optional<MigrationLock> lock;
    std::string line;
    const auto answer = [](const QString &text) {
        std::cout << qPrintable(text.simplified()) << std::endl;
    };
    answer(store ? QStringLiteral("ready") : store.error().text());
    while (store && std::getline(std::cin, line) && line != "e") {
        if (line == "a") {
            answer(acquire(**store, lock));
            continue;
        }
        const auto released = lock ? (*store)->release(*lock, {}) : Status();
        lock.reset();
        answer(released ? QStringLiteral("free") : released.error().text());
    }
    return 0;
}

class Racer {
public:
    explicit Racer(const QString &folder)
    {
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(QCoreApplication::applicationFilePath(),
                        {QStringLiteral("--race"), folder});
    }
    ~Racer() { kill(); }

    void tell(const char *what) { m_process.write(QByteArray(what) + '\n'); }
    QString answer()
    {
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(kPatienceMs))
                return QStringLiteral("no answer");
        }
        return QString::fromUtf8(m_process.readLine()).trimmed();
    }
    void kill()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

private:
    QProcess m_process;
};

}  // namespace

class tst_HistoryRaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneWinsEachRound();

private:
    QByteArray config() const;
    // All that live race; who won, and the answers of all in `answers`.
    QList<Racer *> round(const char *what, QStringList &answers);

    const bool m_embedded = qEnvironmentVariable("IVM_TEST_ENGINE") != u"trino";
    const QString m_schema =
        QStringLiteral("races_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    QTemporaryDir m_folder;
    std::vector<std::unique_ptr<Racer>> m_racers;
};

QByteArray tst_HistoryRaces::config() const
{
    const QString executor =
        m_embedded ? QStringLiteral("{plugin: duckdb, threads: 1}")
                   : QStringLiteral("{plugin: trino, catalog: iceberg, source: iceberg-ivm-tests}");
    return QStringLiteral("executor: %1\nhistory: {schema: %2}\n").arg(executor, m_schema).toUtf8();
}

QList<Racer *> tst_HistoryRaces::round(const char *what, QStringList &answers)
{
    answers.clear();
    for (const auto &racer : m_racers)
        racer->tell(what);
    QList<Racer *> winners;
    for (const auto &racer : m_racers) {
        answers.append(racer->answer());
        if (answers.last() == u"won")
            winners.append(racer.get());
    }
    answers.sort();
    return winners;
}

void tst_HistoryRaces::oneWinsEachRound()
{
    QFile file(m_folder.filePath(QStringLiteral("ivm.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(config());
    file.close();
    for (int i = 0; i < kRacers; ++i)
        m_racers.push_back(std::make_unique<Racer>(m_folder.path()));
    for (const auto &racer : m_racers)
        QCOMPARE(racer->answer(), QStringLiteral("ready"));

    // In the first round the tables have to be made, too.
    const int rounds = m_embedded ? 12 : 4;
    QStringList answers;
    for (int i = 0; i < rounds; ++i) {
        round("a", answers);
        QCOMPARE(answers, QStringList(kRacers - 1, kLost) << QStringLiteral("won"));
        round("r", answers);
        QCOMPARE(answers, QStringList(kRacers, QStringLiteral("free")));
    }
    // Then each winner is killed, and those that are left race for what it held.
    while (m_racers.size() > 1) {
        const auto winners = round("a", answers);
        QCOMPARE(answers, QStringList(qsizetype(m_racers.size()) - 1, kLost)
                              << QStringLiteral("won"));
        winners.first()->kill();
        std::erase_if(m_racers, [&](const auto &one) { return one.get() == winners.first(); });
    }
    if (!m_embedded) {
        const auto host = hostIn(m_folder.path());
        const auto executor = host->executor();
        QVERIFY(executor);
        const auto session = (*executor)->openSession({}, {});
        QVERIFY(session);
        (void)execute(**session, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema), {});
    }
}

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == u"--race")
        return race(arguments.value(2));
    tst_HistoryRaces test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_history_races.moc"
