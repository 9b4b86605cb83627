// One HTTP request at a time, as a plain call that ends by answer, deadline or stop.
//
// Threads: belongs to the thread that made it; waiting runs an event loop of that thread. Lifetime:
// any.
#pragma once

#include "framework/base/call.h"

#include <QNetworkAccessManager>
#include <QSslConfiguration>
#include <QUrl>

namespace ivm::trino {

using HttpHeaders = QList<std::pair<QByteArray, QByteArray>>;

struct HttpRequest {
    QByteArray method;
    QUrl url;
    HttpHeaders headers;
    QByteArray body = {};
};

struct HttpAnswer {
    int status = 0;
    HttpHeaders headers;
    QByteArray body;
};

// Codes of Unavailable, apart from the default: whether the request can have reached the server.
inline constexpr auto kNotReached = u"not_reached";
inline constexpr auto kAnswerLost = u"answer_lost";
// Not reached either, and the same request fails again: the server's certificate is not trusted.
inline constexpr auto kNotTrusted = u"not_trusted";

class Http {
public:
    explicit Http(const QSslConfiguration &tls);

    // Any status is an answer; redirections are not followed. Connections are kept, bodies come
    // compressed where the server can. Unavailable with one of the codes above, Cancelled, Timeout
    // (the call's), Corrupt for an answer past all use in size. `patience` is for an answer that
    // does not come: kAnswerLost.
    Result<HttpAnswer> send(const HttpRequest &request, std::chrono::milliseconds patience,
                            const Call &call);

    // Waits. Cancelled, Timeout.
    Status pause(std::chrono::milliseconds time, const Call &call);

private:
    QNetworkAccessManager m_manager;
    const QSslConfiguration m_tls;
};

}  // namespace ivm::trino
