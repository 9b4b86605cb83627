#include "plugins/executor_trino/http.h"

#include <QEventLoop>
#include <QNetworkReply>
#include <QTimer>

#include <memory>

namespace ivm::trino {

using std::chrono::milliseconds;

namespace {

// Trino keeps its answers to a few megabytes; one row can be larger.
constexpr qint64 kMaxBody = qint64(1) << 30;

// An event loop of this thread that a stop from any thread ends.
class Waiting {
public:
    explicit Waiting(const Call &call) : m_onStop(call.stop, Quit{&m_loop}) {}

    QEventLoop *loop() { return &m_loop; }
    void runFor(milliseconds time)
    {
        QTimer timer;
        timer.setSingleShot(true);
        timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&timer, &QTimer::timeout, &m_loop, &QEventLoop::quit);
        timer.start(time);
        m_loop.exec();
    }

private:
    struct Quit {
        QEventLoop *loop;
        void operator()() const
        {
            QMetaObject::invokeMethod(loop, &QEventLoop::quit, Qt::QueuedConnection);
        }
    };
    QEventLoop m_loop;
    std::stop_callback<Quit> m_onStop;
};

QNetworkRequest networkRequest(const HttpRequest &request, const QSslConfiguration &tls)
{
    QNetworkRequest out(request.url);
    out.setSslConfiguration(tls);
    // Bodies are limited by kMaxBody; pages of equal rows shrink more than Qt takes for honest.
    out.setDecompressedSafetyCheckThreshold(-1);
    out.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    out.setAttribute(QNetworkRequest::RedirectPolicyAttribute,
                     QNetworkRequest::ManualRedirectPolicy);
    out.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    for (const auto &[name, value] : request.headers)
        out.setRawHeader(name, value);
    return out;
}

bool neverReached(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::ConnectionRefusedError:
    case QNetworkReply::HostNotFoundError:
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProxyConnectionRefusedError:
    case QNetworkReply::ProxyNotFoundError: return true;
    default: return false;
    }
}

QStringView codeOf(QNetworkReply::NetworkError error)
{
    if (error == QNetworkReply::SslHandshakeFailedError)
        return kNotTrusted;
    return neverReached(error) ? kNotReached : kAnswerLost;
}

HttpAnswer answerOf(QNetworkReply &reply, int status)
{
    HttpAnswer answer{.status = status, .headers = {}, .body = reply.readAll()};
    for (const auto &[name, value] : reply.rawHeaderPairs())
        answer.headers.append({name, value});
    return answer;
}

}  // namespace

Http::Http(const QSslConfiguration &tls) : m_tls(tls) { m_manager.setAutoDeleteReplies(false); }

Result<HttpAnswer> Http::send(const HttpRequest &request, milliseconds patience, const Call &call)
{
    const QString what = QStringLiteral("the request to ") + request.url.host();
    IVM_CHECK(call.check(what));
    Waiting waiting(call);
    const std::unique_ptr<QNetworkReply> reply(
        m_manager.sendCustomRequest(networkRequest(request, m_tls), request.method, request.body));
    bool tooLarge = false;
    QObject::connect(reply.get(), &QNetworkReply::finished, waiting.loop(), &QEventLoop::quit);
    QObject::connect(reply.get(), &QNetworkReply::downloadProgress, waiting.loop(),
                     [&](qint64 received, qint64) {
                         tooLarge = received > kMaxBody;
                         if (tooLarge)
                             waiting.loop()->quit();
                     });
    const auto left = call.remaining(patience);
    if (!reply->isFinished())
        waiting.runFor(left);

    const bool finished = reply->isFinished() && !tooLarge;
    const auto error = reply->error();
    if (!finished) {
        reply->disconnect();
        reply->abort();
        IVM_CHECK(call.check(what));
        if (tooLarge)
            return fail(
                corruptError(QStringLiteral("the answer is larger than %1 bytes").arg(kMaxBody)));
        if (left < patience)
            return fail(timeoutError(what + QStringLiteral(" ran out of time")));
        return fail(
            unavailableError(QStringLiteral("no answer within %1 s").arg(patience.count() / 1000))
                .withCode(kAnswerLost));
    }
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    // A status with an error below the HTTP level is an answer that broke off.
    const bool brokeOff =
        error == QNetworkReply::ProtocolFailure ||
        (error != QNetworkReply::NoError && error < QNetworkReply::ContentAccessDenied);
    if (status != 0 && !brokeOff)
        return answerOf(*reply, status);
    return fail(unavailableError(reply->errorString()).withCode(codeOf(error)));
}

Status Http::pause(milliseconds time, const Call &call)
{
    const QStringView what = u"waiting for Trino";
    IVM_CHECK(call.check(what));
    Waiting(call).runFor(call.remaining(time));
    return call.check(what);
}

}  // namespace ivm::trino
