// HTTP/1.1 with limits, so that slow, idle, greedy and malformed clients cost next to nothing.
//
// Qt parses; the limits are kept on the sockets before Qt sees their bytes. One request at a time a
// connection; an answer may be given later, and goes nowhere when its client has gone. Requests
// wait while the thread has used up its share of a processor, which others do the host's own work
// on.
//
// Threads: that of the object, which runs an event loop; answers are given there too.
#pragma once

#include "framework/base/result.h"
#include "framework/host/time_share.h"

#include <QAbstractHttpServer>
#include <QHash>
#include <QHostAddress>
#include <QTimer>
#include <QUrl>
#include <QUrlQuery>

#include <deque>
#include <functional>
#include <memory>

class QTcpSocket;

namespace ivm {

struct HttpRequest {
    QByteArray method;  // "GET" …
    QString path;       // decoded, beginning with '/'
    QUrlQuery query;
    QHash<QByteArray, QByteArray> headers;  // names in lower case
    QByteArray body;

    // Whether If-None-Match names this tag: by itself or in a list, weakened by a proxy or not.
    bool hasTag(const QByteArray &tag) const;
};

struct HttpResponse {
    int status = 200;
    QByteArray type = "application/json";
    QByteArray body;
    QList<std::pair<QByteArray, QByteArray>> headers = {};
};

struct HttpLimits {
    int connections = 512;
    qint64 headerBytes = 16 * 1024;
    qint64 bodyBytes = 1024 * 1024;
    std::chrono::milliseconds request{15'000};  // from its first byte to its last
    std::chrono::milliseconds idle{60'000};     // between requests, and for taking an answer
    int processorShare = 8;                     // one part in so many
};

class HttpServer final : public QAbstractHttpServer {
public:
    using Answer = std::function<void(const HttpResponse &)>;
    using Handler = std::function<void(const HttpRequest &, const Answer &)>;

    HttpServer(HttpLimits limits, Handler handler);
    ~HttpServer() override;

    // Gives the port, for one that was asked for as 0. Unavailable, naming the address and why.
    Result<quint16> listen(const QHostAddress &address, quint16 port);
    // Takes no new connection.
    void close();
    int connections() const;

protected:
    bool handleRequest(const QHttpServerRequest &request, QTcpSocket *socket) override;
    void missingHandler(const QHttpServerRequest &request, QTcpSocket *socket) override;

private:
    class Listener;

    void handleNext();
    void handleAll();

    const Handler m_handler;
    std::unique_ptr<Listener> m_listener;
    std::deque<std::function<void()>> m_requests;  // that have not been handled
    TimeShare m_share;
    QTimer m_rest;
};

}  // namespace ivm
