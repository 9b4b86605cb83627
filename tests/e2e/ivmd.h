// ivmd as a process of its own, and what one asks it.
//
// One thread. Lifetime: of a test function; the process ends with the object.
#pragma once

#include "tests/support/program.h"

#include <QElapsedTimer>
#include <QHostAddress>
#include <QJsonArray>
#include <QTcpSocket>
#include <QTest>
#include <QUrl>

// What is waited for happens in other processes, and a busy machine takes its time. Qt's own macros
// ask once more after they have found what they wait for, when a view that fails again and again
// may be at its next attempt; and they count their pauses alone, not how long asking takes.
constexpr int kPatience = 120'000;  // milliseconds
#undef QTRY_VERIFY
#define QTRY_VERIFY(expression)                                                                    \
    QVERIFY(QTest::qWaitFor([&] { return bool(expression); }, kPatience))
#undef QTRY_VERIFY2
#define QTRY_VERIFY2(expression, message)                                                          \
    QVERIFY2(QTest::qWaitFor([&] { return bool(expression); }, kPatience), message)
#undef QTRY_COMPARE
#define QTRY_COMPARE(actual, expected)                                                             \
    do {                                                                                           \
        auto last = (actual);                                                                      \
        if (last != (expected))                                                                    \
            (void)QTest::qWaitFor([&] { return (last = (actual)) == (expected); }, kPatience);     \
        QCOMPARE(last, expected);                                                                  \
    } while (false)

namespace ivm::test {

struct Answered {
    int status = 0;  // 0: no answer
    QByteArray header;
    QByteArray body;

    QJsonObject object() const { return QJsonDocument::fromJson(body).object(); }
    QJsonArray list() const { return QJsonDocument::fromJson(body).array(); }
    QString errorCode() const
    {
        return object().value(u"error").toObject().value(u"code").toString();
    }
};

class Ivmd {
public:
    // `folder` holds ivm.yaml, where server.port is 0, and views.yaml.
    explicit Ivmd(QString folder) : m_folder(std::move(folder))
    {
        m_environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
        m_environment.insert(QStringLiteral("HOME"), qEnvironmentVariable("HOME"));
        m_environment.insert(QStringLiteral("IVM_WEB_FOLDER"),
                             QStringLiteral(IVM_SOURCE_DIR "/tests/e2e/web"));
    }
    ~Ivmd()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    void set(const QString &variable, const QString &value)
    {
        m_environment.insert(variable, value);
    }

    // Waits until it serves; false where it has ended instead.
    bool start()
    {
        m_process.setProcessEnvironment(m_environment);
        m_process.setWorkingDirectory(m_folder);
        m_process.start(QStringLiteral(IVM_D), {});
        QByteArray said;
        while (!said.contains('\n') && m_process.waitForReadyRead(15'000))
            said += m_process.readAllStandardOutput();
        const QUrl url(QString::fromUtf8(said).trimmed().section(u' ', -1));
        m_port = quint16(qMax(0, url.port()));
        return m_port != 0;
    }

    quint16 port() const { return m_port; }
    qint64 id() const { return m_process.processId(); }
    void signal(int number) { ::kill(pid_t(m_process.processId()), number); }
    void killAtOnce()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    // Its exit code, once it has ended.
    int ended()
    {
        const bool ended =
            m_process.state() == QProcess::NotRunning || m_process.waitForFinished(30'000);
        return ended && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    QString log()
    {
        m_log += QString::fromUtf8(m_process.readAllStandardError());
        return m_log;
    }

    Answered ask(const QByteArray &method, const QByteArray &path, const QByteArray &body = {},
                 const QByteArray &more = {}) const
    {
        QTcpSocket socket;
        socket.connectToHost(QHostAddress::LocalHost, m_port);
        if (!socket.waitForConnected(5'000))
            return {};
        QByteArray request =
            method + ' ' + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more;
        if (!body.isEmpty())
            request += "Content-Type: application/json\r\n";
        request += "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
        socket.write(request);
        QByteArray answer;
        while (socket.waitForReadyRead(30'000))
            answer += socket.readAll();
        const auto end = answer.indexOf("\r\n\r\n");
        if (end < 0)
            return {};
        return {.status = answer.sliced(9, 3).toInt(),
                .header = answer.first(end),
                .body = answer.sliced(end + 4)};
    }
    Answered get(const QByteArray &path, const QByteArray &more = {}) const
    {
        return ask("GET", path, {}, more);
    }
    QJsonObject view(const QString &name) const
    {
        const auto views = get("/api/views").list();
        for (const auto &view : views) {
            if (view.toObject().value(u"name").toString() == name)
                return view.toObject();
        }
        return {};
    }

private:
    QString m_folder;
    QProcessEnvironment m_environment;
    QProcess m_process;
    QString m_log;
    quint16 m_port = 0;
};

// Quick to notice what changes.
inline const QByteArray kHostConfig = "executor: {plugin: duckdb, warehouse: ./warehouse}\n"
                                      "server: {port: 0, config_reload_interval_seconds: 0.1}\n"
                                      "detector: {poll_interval_seconds: 0.1}\n";

// A host on the embedded engine in a folder of its own, and ivmctl beside it.
class HostTest {
protected:
    // The host is made, not started.
    void begin(const QByteArray &views)
    {
        m_ctl = std::make_unique<Program>(QStringLiteral(IVM_CTL));
        QVERIFY(m_ctl->write(QStringLiteral("ivm.yaml"), kHostConfig));
        QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), views));
        m_host = std::make_unique<Ivmd>(m_ctl->folder());
    }
    void end()
    {
        m_host.reset();
        m_ctl.reset();
    }

    QString sql(const QString &text)
    {
        const auto ran = m_ctl->run({QStringLiteral("--json"), QStringLiteral("sql"), text});
        if (ran.code != 0)
            return ran.err + ran.out;
        QStringList rows;
        const auto list = ran.json().value(u"rows").toArray();
        for (const auto &row : list) {
            QStringList cells;
            const auto values = row.toArray();
            for (const auto &value : values)
                cells.append(value.toVariant().toString());
            rows.append(cells.join(u'|'));
        }
        return rows.join(u' ');
    }
    // The table `many`: 3,000 rows for each of as many r, so that grouping it takes seconds.
    void makeMany()
    {
        QStringList rows;
        for (int i = 0; i < 3000; ++i)
            rows.append(QStringLiteral("'r%1'").arg(i));
        sql(QStringLiteral("CREATE TABLE few (r varchar)"));
        sql(QStringLiteral("INSERT INTO few VALUES ") + rows.join(u','));
        sql(QStringLiteral(
            "CREATE TABLE many AS SELECT a.r AS r, b.r AS x FROM few a CROSS JOIN few b"));
    }
    // Whether verify finds all views equal.
    bool allEqual()
    {
        return m_ctl->run({QStringLiteral("--json"), QStringLiteral("verify")}).code == 0;
    }
    QByteArray file(const QString &name) const
    {
        QFile file(m_ctl->path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QString health(const Ivmd &host) const
    {
        return host.get("/health").object().value(u"status").toString();
    }

    std::unique_ptr<Program> m_ctl;
    std::unique_ptr<Ivmd> m_host;
};

}  // namespace ivm::test
