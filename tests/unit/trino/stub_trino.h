// A server that answers as it is told: a script of answers, with everything that can go wrong on
// the way.
//
// Lives in the test's own thread; the session under test runs that thread's event loop while it
// waits.
#pragma once

#include <QHostAddress>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSslServer>
#include <QSslSocket>
#include <QTcpSocket>
#include <QUrl>

#include <functional>
#include <memory>

namespace ivm::trino {

struct StubRequest {
    QString client;  // the common name in its certificate
    QByteArray method;
    QByteArray path;
    QMap<QByteArray, QByteArray> headers;  // names in lower case
    QByteArray body;

    QString line() const { return QString::fromUtf8(method + ' ' + path); }
};

struct StubReply {
    enum Fault { None, CutBefore, CutWithin, Hang };

    int status = 200;
    QByteArray body = {};
    QList<std::pair<QByteArray, QByteArray>> headers = {};
    Fault fault = None;
    // Called when the request has come, before the answer goes.
    std::function<void()> then = {};
};

class StubTrino : public QObject {
public:
    StubTrino() : StubTrino(std::make_unique<QTcpServer>(), u"http://127.0.0.1") {}

    // Over TLS, as localhost.
    explicit StubTrino(const QSslConfiguration &tls)
        : StubTrino(serverWith(tls), u"https://localhost")
    {
    }

    QUrl url() const
    {
        return QUrl(QStringLiteral("%1:%2").arg(m_origin).arg(m_server->serverPort()));
    }
    QString uri(const QString &path) const { return url().toString() + path; }

    // The next answers, in order. A request beyond them gets HTTP 500.
    void plan(const QList<StubReply> &replies) { m_replies.append(replies); }

    int connections() const { return m_connections; }
    const QList<StubRequest> &requests() const { return m_requests; }
    QStringList lines() const
    {
        QStringList out;
        for (const auto &request : m_requests)
            out.append(request.line());
        return out;
    }
    bool isDone() const { return m_replies.isEmpty(); }

    // An answer of the protocol: an id, the next address if there is one, and what else is given.
    StubReply page(const QString &next, const QByteArray &more = {}) const
    {
        QByteArray body =
            "{\"id\":\"20260101_000000_00001_stubs\",\"stats\":{\"state\":\"RUNNING\"}";
        if (!next.isEmpty())
            body += ",\"nextUri\":\"" + uri(next).toUtf8() + '"';
        if (!more.isEmpty())
            body += ',' + more;
        return {.body = body + '}'};
    }

    static StubReply error(const QByteArray &name, const QByteArray &type,
                           const QByteArray &message)
    {
        return {.body = "{\"id\":\"20260101_000000_00001_stubs\",\"stats\":{\"state\":\"FAILED\"},"
                        "\"error\":{\"message\":\"" +
                        message + "\",\"errorName\":\"" + name + "\",\"errorType\":\"" + type +
                        "\"}}"};
    }

private:
    StubTrino(std::unique_ptr<QTcpServer> server, QStringView origin)
        : m_origin(origin.toString()), m_server(std::move(server))
    {
        if (!m_server->listen(QHostAddress::LocalHost))
            qFatal("the stub cannot listen");
        connect(m_server.get(), &QTcpServer::pendingConnectionAvailable, this,
                [this] { accept(m_server->nextPendingConnection()); });
    }

    static std::unique_ptr<QTcpServer> serverWith(const QSslConfiguration &tls)
    {
        auto server = std::make_unique<QSslServer>();
        server->setSslConfiguration(tls);
        return server;
    }

    void accept(QTcpSocket *socket)
    {
        ++m_connections;
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
            m_buffers[socket] += socket->readAll();
            while (takeRequest(*socket)) {
            }
        });
        connect(socket, &QObject::destroyed, this, [this, socket] { m_buffers.remove(socket); });
    }

    bool takeRequest(QTcpSocket &socket)
    {
        QByteArray &buffer = m_buffers[&socket];
        const qsizetype end = buffer.indexOf("\r\n\r\n");
        if (end < 0)
            return false;
        auto lines = buffer.first(end).split('\n');
        StubRequest request;
        if (const auto *secure = qobject_cast<QSslSocket *>(&socket))
            request.client =
                secure->peerCertificate().subjectInfo(QSslCertificate::CommonName).value(0);
        const auto words = lines.takeFirst().split(' ');
        request.method = words.value(0);
        request.path = words.value(1);
        for (const auto &line : lines) {
            const qsizetype colon = line.indexOf(':');
            request.headers.insert(line.first(colon).toLower(), line.sliced(colon + 1).trimmed());
        }
        const qsizetype length = request.headers.value("content-length").toLongLong();
        if (buffer.size() < end + 4 + length)
            return false;
        request.body = buffer.sliced(end + 4, length);
        buffer.remove(0, end + 4 + length);
        m_requests.append(request);
        answer(socket);
        return true;
    }

    void answer(QTcpSocket &socket)
    {
        const StubReply reply = m_replies.isEmpty()
                                    ? StubReply{.status = 500, .body = "beyond the script"}
                                    : m_replies.takeFirst();
        if (reply.then)
            reply.then();
        if (reply.fault == StubReply::Hang)
            return;
        if (reply.fault == StubReply::CutBefore) {
            socket.abort();
            return;
        }
        const bool cut = reply.fault == StubReply::CutWithin;
        QByteArray out =
            "HTTP/1.1 " + QByteArray::number(reply.status) +
            " Stub\r\nContent-Length: " + QByteArray::number(reply.body.size() + (cut ? 10 : 0)) +
            "\r\n";
        for (const auto &[name, value] : reply.headers)
            out += name + ": " + value + "\r\n";
        socket.write(out + "\r\n" + reply.body);
        if (cut)
            socket.disconnectFromHost();
    }

    QMap<QObject *, QByteArray> m_buffers;
    QList<StubReply> m_replies;
    QList<StubRequest> m_requests;
    int m_connections = 0;
    const QString m_origin;
    std::unique_ptr<QTcpServer> m_server;  // goes first: its sockets still use what is above
};

}  // namespace ivm::trino
