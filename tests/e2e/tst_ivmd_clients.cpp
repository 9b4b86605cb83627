// Crowds of clients that are up to no good: refreshes go on, and others are still answered.
#include "tests/e2e/ivmd.h"

#include <QDir>

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace ivm::test;

namespace {

constexpr int kClients = 1000;
constexpr int kMostConnections = 512;  // HttpLimits

const QByteArray kViews = R"(views:
  - name: counts
    query: SELECT k, count(*) AS n FROM ev GROUP BY k
)";

// Connections that send something at first, and never read.
class Crowd {
public:
    Crowd(quint16 port, const QByteArray &first)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (int i = 0; i < kClients; ++i) {
            const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            m_clients.append(client);
            if (connect(client, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
                send(client, first);
        }
    }
    ~Crowd()
    {
        for (const int client : m_clients)
            close(client);
    }

    void drip()
    {
        for (const int client : m_clients)
            send(client, "x");
    }
    // Those that the host has not closed.
    qsizetype left() const { return std::ranges::count_if(m_clients, isOpen); }

private:
    static void send(int client, const QByteArray &bytes)
    {
        ::send(client, bytes.constData(), size_t(bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    static bool isOpen(int client)
    {
        pollfd asked{.fd = client, .events = POLLRDHUP, .revents = 0};
        return poll(&asked, 1, 0) == 0;
    }

    QList<int> m_clients;
};

}  // namespace

class tst_IvmdClients : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { end(); }

    void keepNobodyFromWork_data();
    void keepNobodyFromWork();

private:
    int openFiles() const
    {
        const QDir folder(QStringLiteral("/proc/%1/fd").arg(m_host->id()));
        return int(folder.entryList(QDir::Files | QDir::System).size());
    }
};

void tst_IvmdClients::initTestCase()
{
    rlimit limit{};
    QCOMPARE(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < kClients + 200)
        QSKIP("this process may not have so many files open");
    limit.rlim_cur = std::max(limit.rlim_cur, rlim_t(kClients + 200));
    QCOMPARE(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

void tst_IvmdClients::init()
{
    begin(kViews);
    sql(QStringLiteral("CREATE TABLE ev (k varchar)"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('a')"));
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
}

void tst_IvmdClients::keepNobodyFromWork_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::newRow("idle") << QByteArray();
    QTest::newRow("dripping") << QByteArray("GET /api/views HTTP/1.1\r\nX-Slow: ");
    QTest::newRow("sending a body of which the end is missing")
        << QByteArray("POST /api/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
                      "Content-Type: application/json\r\n\r\n{");
    QTest::newRow("asking and not listening")
        << QByteArray("GET /api/views HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QTest::newRow("no HTTP") << QByteArray("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 13);
    QTest::newRow("a long header") << QByteArray("GET / HTTP/1.1\r\nX: ") + QByteArray(20'000, 'x');
}

void tst_IvmdClients::keepNobodyFromWork()
{
    QFETCH(QByteArray, first);
    Crowd crowd(m_host->port(), first);
    sql(QStringLiteral("INSERT INTO ev VALUES ('b')"));
    const auto counts = [&] {
        crowd.drip();
        return sql(QStringLiteral("SELECT k, n FROM counts ORDER BY 1"));
    };
    QTRY_COMPARE(counts(), QStringLiteral("a|1 b|1"));
    QCOMPARE(m_host->get("/health").status, 200);
    QCOMPARE(m_host->ask("POST", "/api/views/counts/refresh").status, 200);
    QTRY_VERIFY(crowd.left() <= kMostConnections);
    // The rest is tables, the catalog, the state.
    QVERIFY2(openFiles() < kMostConnections + 100, qPrintable(QString::number(openFiles())));
    QCOMPARE(health(*m_host), QStringLiteral("ok"));
}

QTEST_GUILESS_MAIN(tst_IvmdClients)
#include "tst_ivmd_clients.moc"
