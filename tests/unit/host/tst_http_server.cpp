#include "framework/host/http_server.h"

#include <QTcpSocket>
#include <QTest>

using namespace ivm;
using namespace std::chrono_literals;

namespace {

constexpr HttpLimits kLimits{
    .connections = 3, .headerBytes = 500, .bodyBytes = 1000, .request = 10s, .idle = 20s};

// A client that reads all that comes.
class Client {
public:
    explicit Client(quint16 port)
    {
        m_socket.connectToHost(QHostAddress::LocalHost, port);
        if (!m_socket.waitForConnected())
            qFatal("no connection");
    }
    void send(const QByteArray &bytes) { m_socket.write(bytes); }
    QByteArray received()
    {
        m_received += m_socket.readAll();
        return m_received;
    }
    bool isOpen() const { return m_socket.state() == QAbstractSocket::ConnectedState; }
    void abort() { m_socket.abort(); }

private:
    QTcpSocket m_socket;
    QByteArray m_received;
};

QByteArray post(qsizetype size)
{
    return "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: " + QByteArray::number(size) +
           "\r\n\r\n" + QByteArray(size, 'b');
}

}  // namespace

class tst_HttpServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { start(kLimits); }
    void cleanup()
    {
        m_waiting.clear();
        m_server.reset();
    }

    void answers();
    void keepsConnectionsOpen();
    void endsThemWhenAsked();
    void answersLater();
    void answersNobodyWhoHasGone();
    void refuses_data();
    void refuses();
    void refusesASlowRequest();
    void dropsIdleConnections();
    void makesRoomForNewClients();
    void makesRoomWhereAllAreSlow();
    void survivesGarbage();
    void saysWhyItCannotListen();
    void knowsTags_data();
    void knowsTags();

private:
    void start(HttpLimits limits)
    {
        m_requests.clear();
        m_server = std::make_unique<HttpServer>(
            limits, [this](const HttpRequest &request, const HttpServer::Answer &answer) {
                m_requests.append(request);
                if (request.path == u"/later")
                    return m_waiting.append(answer);
                answer({.body = request.method + ' ' + request.path.toUtf8() + ' ' +
                                QByteArray::number(request.body.size())});
            });
        const auto port = m_server->listen(QHostAddress::LocalHost, 0);
        QVERIFY(port);
        m_port = *port;
    }

    std::unique_ptr<HttpServer> m_server;
    quint16 m_port = 0;
    QList<HttpRequest> m_requests;
    QList<HttpServer::Answer> m_waiting;
};

void tst_HttpServer::answers()
{
    Client client(m_port);
    client.send("GET /a%20b?c=d HTTP/1.1\r\nHost: here\r\nX-Some: Thing\r\n\r\n");
    QTRY_VERIFY(client.received().endsWith("GET /a b 0"));
    QVERIFY(client.received().startsWith("HTTP/1.1 200 OK\r\n"));
    QVERIFY(client.received().contains("Content-Length: 10\r\n"));
    QCOMPARE(m_requests.first().headers.value("x-some"), QByteArray("Thing"));
    QCOMPARE(m_requests.first().query.queryItemValue(QStringLiteral("c")), u"d");
}

void tst_HttpServer::keepsConnectionsOpen()
{
    Client client(m_port);
    for (int i = 1; i <= 3; ++i) {
        client.send(post(900));
        QTRY_COMPARE(client.received().count("POST /x 900"), i);
    }
    client.send("HEAD /y HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_COMPARE(m_requests.size(), 4);
    QTRY_VERIFY(client.received().endsWith("\r\n\r\n"));
    QVERIFY(client.isOpen());
}

void tst_HttpServer::endsThemWhenAsked()
{
    Client client(m_port);
    client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    QTRY_VERIFY(!client.isOpen());
    QVERIFY(client.received().contains("Connection: close\r\n"));
    QVERIFY(client.received().endsWith("GET /a 0"));
}

void tst_HttpServer::answersLater()
{
    Client client(m_port);
    client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_COMPARE(m_waiting.size(), 1);
    m_waiting.first()({.status = 503, .body = "busy"});
    QTRY_VERIFY(client.received().endsWith("busy"));
    QVERIFY(client.received().startsWith("HTTP/1.1 503 Service Unavailable\r\n"));
    // Once.
    m_waiting.first()({.body = "again"});
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_VERIFY(client.received().endsWith("GET /a 0"));
    QVERIFY(!client.received().contains("again"));
}

void tst_HttpServer::answersNobodyWhoHasGone()
{
    {
        Client client(m_port);
        client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
        QTRY_COMPARE(m_waiting.size(), 1);
        client.abort();
    }
    QTRY_COMPARE(m_server->connections(), 0);
    m_waiting.first()({.body = "late"});
    Client client(m_port);
    client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_COMPARE(m_waiting.size(), 2);
    m_server.reset();
    m_waiting.last()({.body = "later"});
}

void tst_HttpServer::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("status");
    QTest::newRow("a long header")
        << QByteArray("GET /a HTTP/1.1\r\nHost: a\r\nX: ") + QByteArray(600, 'x') + "\r\n\r\n"
        << QByteArray("431 ");
    QTest::newRow("a header without an end")
        << QByteArray("GET /a HTTP/1.1\r\nX: ") + QByteArray(5000, 'x') << QByteArray("431 ");
    QTest::newRow("a long body") << post(1001) << QByteArray("413 ");
    QTest::newRow("a body that is not over") << post(1'000'000).left(3000) << QByteArray("413 ");
    QTest::newRow("a second request before the answer")
        << QByteArray("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") << QByteArray("400 ");
}

void tst_HttpServer::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, status);
    Client client(m_port);
    client.send(bytes);
    if (bytes.contains("/later")) {
        QTRY_COMPARE(m_waiting.size(), 1);
        client.send(bytes);
    }
    QTRY_VERIFY(!client.isOpen());
    QVERIFY2(client.received().startsWith(QByteArray("HTTP/1.1 " + status)),
             client.received().constData());
    QVERIFY(client.received().contains("{\"error\":{\"code\":"));
    QVERIFY(m_requests.size() == m_waiting.size());
}

void tst_HttpServer::refusesASlowRequest()
{
    start({.request = 40ms, .idle = 20s});
    Client client(m_port);
    client.send("GET /a HTTP/1.1\r\nHo");
    QTRY_VERIFY(!client.isOpen());
    QVERIFY(client.received().startsWith("HTTP/1.1 408 "));
}

void tst_HttpServer::dropsIdleConnections()
{
    start({.request = 10s, .idle = 40ms});
    Client idle(m_port);
    Client waiting(m_port);
    waiting.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_VERIFY(!idle.isOpen());
    // One who waits for an answer is not idle.
    QVERIFY(waiting.isOpen());
    QCOMPARE(m_waiting.size(), 1);
}

void tst_HttpServer::makesRoomForNewClients()
{
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<Client>(m_port));
        QTRY_COMPARE(m_server->connections(), i + 1);
    }
    clients[0]->send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_COMPARE(m_waiting.size(), 1);
    Client fourth(m_port);
    fourth.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_VERIFY(fourth.received().endsWith("GET /a 0"));
    QTRY_VERIFY(!clients[1]->isOpen());
    QVERIFY(clients[0]->isOpen());
    QVERIFY(clients[2]->isOpen());
}

void tst_HttpServer::makesRoomWhereAllAreSlow()
{
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<Client>(m_port));
        clients.back()->send(i == 0 ? "GET /later HTTP/1.1\r\nHost: a\r\n\r\n" : "GET /slow");
        QTRY_COMPARE(m_server->connections(), i + 1);
    }
    QTRY_COMPARE(m_waiting.size(), 1);
    Client fourth(m_port);
    fourth.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    QTRY_VERIFY(fourth.received().endsWith("GET /a 0"));
    QVERIFY(clients[0]->isOpen());
    QTRY_VERIFY(!clients[1]->isOpen() || !clients[2]->isOpen());
}

void tst_HttpServer::survivesGarbage()
{
    for (const QByteArray &bytes :
         {QByteArray("\0\1\2\3\r\n\r\n", 8), QByteArray("GET\r\n\r\n"),
          QByteArray("POST /x HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
          QByteArray("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
          QByteArray("GET /\xff\xfe HTTP/9.9\r\n\r\n")}) {
        Client client(m_port);
        client.send(bytes);
        Client other(m_port);
        other.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        QTRY_VERIFY(other.received().endsWith("GET /a 0"));
    }
}

void tst_HttpServer::saysWhyItCannotListen()
{
    HttpServer second({}, {});
    const auto port = second.listen(QHostAddress::LocalHost, m_port);
    QVERIFY(!port);
    QCOMPARE(port.error().text(),
             QStringLiteral("cannot listen on 127.0.0.1:%1: The bound address is already in use. "
                            "Set server.port, or end what listens there")
                 .arg(m_port));
}

void tst_HttpServer::knowsTags_data()
{
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<bool>("known");
    QTest::newRow("none") << QByteArray() << false;
    QTest::newRow("itself") << QByteArray("\"a\"") << true;
    QTest::newRow("weakened by a proxy") << QByteArray("W/\"a\"") << true;
    QTest::newRow("in a list") << QByteArray("\"b\", W/\"a\"") << true;
    QTest::newRow("any") << QByteArray("*") << true;
    QTest::newRow("another") << QByteArray("\"aa\"") << false;
}

void tst_HttpServer::knowsTags()
{
    QFETCH(QByteArray, given);
    QFETCH(bool, known);
    HttpRequest request;
    if (!given.isEmpty())
        request.headers.insert("if-none-match", given);
    QCOMPARE(request.hasTag("\"a\""), known);
}

QTEST_GUILESS_MAIN(tst_HttpServer)
#include "tst_http_server.moc"
