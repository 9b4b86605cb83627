#include "framework/host/http_server.h"

#include <QHttpServerRequest>
#include <QMetaEnum>
#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>

#include <algorithm>

namespace ivm {

namespace {

using std::chrono::steady_clock;

constexpr QByteArrayView kEndOfHeader = "\r\n\r\n";
constexpr std::chrono::milliseconds kFarewell{2'000};
constexpr std::chrono::milliseconds kBurst{10};

QByteArray reasonOf(int status)
{
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return status < 500 ? "Status" : "Internal Server Error";
    }
}

QByteArray headerOf(const HttpResponse &response, bool keepOpen)
{
    QByteArray out = "HTTP/1.1 " + QByteArray::number(response.status) + ' ' +
                     reasonOf(response.status) + "\r\n";
    const auto header = [&](const QByteArray &name, const QByteArray &value) {
        out += name + ": " + value + "\r\n";
    };
    if (!response.body.isEmpty())
        header("Content-Type", response.type);
    header("Content-Length", QByteArray::number(response.body.size()));
    for (const auto &[name, value] : response.headers)
        header(name, value);
    if (!keepOpen)
        header("Connection", "close");
    return out + "\r\n";
}

HttpResponse refusal(int status, const QByteArray &code, const QByteArray &message)
{
    return {.status = status,
            .body = R"({"error":{"code":")" + code + R"(","message":")" + message + "\"}}\n"};
}

// What is known of one client.
class Connection : public QObject {
public:
    Connection(QTcpSocket *socket, const HttpLimits &limits)
        : QObject(socket), m_socket(socket), m_limits(limits)
    {
        connect(socket, &QTcpSocket::readyRead, this, &Connection::count);
        connect(socket, &QTcpSocket::bytesWritten, this, [this] { touch(); });
    }

    bool isAnswering() const { return m_answering; }
    bool isIdle() const { return !m_answering && m_bytes == 0; }
    // Between requests, or since when it has been sending one.
    steady_clock::time_point since() const { return isIdle() ? m_lastSeen : m_began; }

    // The request is whole.
    void beginAnswer(bool keepOpen)
    {
        m_answering = true;
        m_keepOpen = keepOpen;
        m_bytes = 0;
        m_inBody = false;
        m_tail.clear();
    }

    void answer(const HttpResponse &response, bool withBody)
    {
        m_answering = false;
        touch();
        m_socket->write(headerOf(response, m_keepOpen));
        // By itself: many clients then share the bytes of one body.
        if (withBody)
            m_socket->write(response.body);
        if (!m_keepOpen)
            m_socket->disconnectFromHost();
    }

    // Ends the connection, after a word about why. The client may still be sending: what it sends
    // is read and dropped, since closing over unread bytes would take the word from it.
    void refuse(const HttpResponse &response)
    {
        m_answering = false;
        m_ended = true;
        m_lastSeen = steady_clock::now();
        QObject::disconnect(m_socket, &QTcpSocket::readyRead, nullptr, nullptr);
        connect(m_socket, &QTcpSocket::readyRead, this, [this] { m_socket->readAll(); });
        m_socket->readAll();
        m_socket->write(headerOf(response, false) + response.body);
        m_socket->disconnectFromHost();
    }

    void keepTime(steady_clock::time_point now)
    {
        if (m_ended && now - m_lastSeen > kFarewell)
            m_socket->abort();
        else if (!m_answering && m_bytes > 0 && now - m_began > m_limits.request)
            refuse(refusal(408, "request_timeout", "the request took too long to arrive"));
        else if (isIdle() && now - m_lastSeen > m_limits.idle)
            m_socket->abort();
    }

private:
    void touch() { m_lastSeen = steady_clock::now(); }

    void count()
    {
        touch();
        const QByteArray fresh = m_socket->peek(m_socket->bytesAvailable());
        if (m_answering)
            return refuse(refusal(400, "pipelined", "one request at a time"));
        if (m_bytes == 0)
            m_began = m_lastSeen;
        m_bytes += fresh.size();
        if (!m_inBody) {
            const QByteArray seen = m_tail + fresh;
            const auto end = seen.indexOf(kEndOfHeader);
            if (end >= 0) {
                m_inBody = true;
                m_header = m_bytes - (seen.size() - end - kEndOfHeader.size());
            }
            m_tail = seen.right(kEndOfHeader.size() - 1);
        }
        const qint64 header = m_inBody ? m_header : m_bytes;
        if (header > m_limits.headerBytes)
            return refuse(refusal(431, "header_too_large", "the header is too large"));
        if (m_bytes - header > m_limits.bodyBytes)
            return refuse(refusal(413, "body_too_large", "the body is too large"));
    }

    QTcpSocket *m_socket;
    const HttpLimits m_limits;
    steady_clock::time_point m_lastSeen = steady_clock::now();
    steady_clock::time_point m_began;
    QByteArray m_tail;  // of what was seen, as far as it may begin the end of the header
    qint64 m_bytes = 0;
    qint64 m_header = 0;
    bool m_inBody = false;
    bool m_answering = false;
    bool m_keepOpen = true;
    bool m_ended = false;
};

QByteArray methodName(QHttpServerRequest::Method method)
{
    const char *key = QMetaEnum::fromType<QHttpServerRequest::Method>().valueToKey(int(method));
    return QByteArray(key).toUpper();
}

HttpRequest requestOf(const QHttpServerRequest &request)
{
    HttpRequest out{.method = methodName(request.method()),
                    .path = request.url().path(QUrl::FullyDecoded),
                    .query = request.query(),
                    .headers = {},
                    .body = request.body()};
    const auto headers = request.headers();
    for (const auto &[name, value] : headers)
        out.headers.insert(name.toLower(), value);
    return out;
}

}  // namespace

bool HttpRequest::hasTag(const QByteArray &tag) const
{
    const auto given = headers.value("if-none-match").split(',');
    return std::ranges::any_of(given, [&](const QByteArray &each) {
        const QByteArray one = each.trimmed();
        return one == "*" || one == tag || one == "W/" + tag;
    });
}

class HttpServer::Listener final : public QTcpServer {
public:
    explicit Listener(HttpLimits limits) : m_limits(limits)
    {
        connect(&m_ticks, &QTimer::timeout, this, &Listener::keepTime);
        m_ticks.start(std::min(limits.request, limits.idle) / 4);
    }

    Connection *connectionOf(QTcpSocket *socket) const { return m_connections.value(socket); }
    int size() const { return int(m_connections.size()); }

protected:
    void incomingConnection(qintptr descriptor) override
    {
        if (m_connections.size() >= m_limits.connections)
            makeRoom();
        auto *socket = new QTcpSocket(this);
        socket->setSocketDescriptor(descriptor);
        // A body is sent at once, though the header before it has not been acknowledged.
        socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        if (m_connections.size() >= m_limits.connections) {
            socket->abort();
            socket->deleteLater();
            return;
        }
        m_connections.insert(socket, new Connection(socket, m_limits));
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QObject::destroyed, this,
                [this, socket] { m_connections.remove(socket); });
        addPendingConnection(socket);
    }

private:
    // Drops who has been idle for longest, else who has been sending a request for longest. Whoever
    // waits for an answer stays.
    void makeRoom()
    {
        const auto before = [](const Connection *left, const Connection *right) {
            return left->isIdle() != right->isIdle() ? left->isIdle()
                                                     : left->since() < right->since();
        };
        auto first = m_connections.end();
        for (auto client = m_connections.begin(); client != m_connections.end(); ++client) {
            if (!(*client)->isAnswering() &&
                (first == m_connections.end() || before(*client, *first)))
                first = client;
        }
        if (first == m_connections.end())
            return;
        QTcpSocket *socket = first.key();
        m_connections.erase(first);
        socket->abort();
    }

    void keepTime()
    {
        const auto now = steady_clock::now();
        const auto connections = m_connections.values();
        for (Connection *connection : connections)
            connection->keepTime(now);
    }

    const HttpLimits m_limits;
    QHash<QTcpSocket *, Connection *> m_connections;
    QTimer m_ticks;
};

HttpServer::HttpServer(HttpLimits limits, Handler handler)
    : m_handler(std::move(handler)), m_listener(std::make_unique<Listener>(limits)),
      m_share(limits.processorShare, kBurst)
{
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        handleNext();
        handleAll();
    });
}

HttpServer::~HttpServer() = default;

Result<quint16> HttpServer::listen(const QHostAddress &address, quint16 port)
{
    if (!m_listener->listen(address, port))
        return fail(unavailableError(QStringLiteral("cannot listen on %1:%2: %3")
                                         .arg(address.toString(), QString::number(port),
                                              m_listener->errorString()))
                        .withHint(u"Set server.port, or end what listens there"));
    bind(m_listener.get());
    return m_listener->serverPort();
}

void HttpServer::close() { m_listener->close(); }

int HttpServer::connections() const { return m_listener->size(); }

bool HttpServer::handleRequest(const QHttpServerRequest &request, QTcpSocket *socket)
{
    Connection *connection = m_listener->connectionOf(socket);
    if (!connection)
        return true;
    const HttpRequest wanted = requestOf(request);
    connection->beginAnswer(wanted.headers.value("connection").toLower() != "close");
    m_requests.push_back([this, wanted, client = QPointer<Connection>(connection)] {
        if (!client)
            return;
        const bool withBody = wanted.method != "HEAD";
        m_handler(wanted, [client, withBody](const auto &response) {
            if (client && client->isAnswering())
                client->answer(response, withBody);
        });
    });
    if (!m_rest.isActive())
        handleAll();
    return true;
}

void HttpServer::handleNext()
{
    if (m_requests.empty())
        return;
    const auto handle = std::move(m_requests.front());
    m_requests.pop_front();
    handle();
}

void HttpServer::handleAll()
{
    while (!m_requests.empty()) {
        const auto rest = std::chrono::ceil<std::chrono::milliseconds>(m_share.rest());
        if (rest > rest.zero())
            return m_rest.start(rest);
        handleNext();
    }
}

void HttpServer::missingHandler(const QHttpServerRequest &, QTcpSocket *) {}

}  // namespace ivm
