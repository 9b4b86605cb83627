#include "framework/host/daemon.h"

#include "framework/base/log.h"
#include "framework/host/process.h"

#include <QCoreApplication>

namespace ivm {

namespace {

QByteArray variable(const HostRequest &request, const char *name)
{
    return request.config.environment.value(QString::fromLatin1(name)).toUtf8();
}

}  // namespace

Daemon::Daemon(const DaemonRequest &request)
    : m_request(request), m_host(request.host), m_views(m_host), m_service(m_host, m_metrics)
{
    connect(&m_service, &Service::migrated, &m_views, &ViewsKeeper::setMigrated);
    connect(&m_views, &ViewsKeeper::changed, this, [this] {
        m_metrics.setConfigurationGood(m_views.problems().isEmpty());
        if (m_views.problems().isEmpty()) {
            m_metrics.reloaded();
            m_service.setDefinitions(m_views.definitions());
        }
    });
}

Daemon::~Daemon() = default;

AccessRules Daemon::accessRules() const
{
    AccessRules rules{.token = variable(m_request.host, "IVM_API_TOKEN"),
                      .readToken = variable(m_request.host, "IVM_API_READ_TOKEN"),
                      .hosts = {}};
    const QString hosts = QString::fromUtf8(variable(m_request.host, "IVM_API_HOSTS"));
    rules.hosts = hosts.split(u',', Qt::SkipEmptyParts);
    return rules;
}

Status Daemon::checkAccess(const AccessRules &rules) const
{
    const QString &listen = m_host.config().listen;
    const QHostAddress address(listen);
    if (address.isNull())
        return fail(
            invalidError(QStringLiteral("server.listen is '%1', which is no address").arg(listen))
                .withHint(u"127.0.0.1 is this machine alone, 0.0.0.0 all networks"));
    if (address.isLoopback() || !rules.token.isEmpty())
        return {};
    return fail(invalidError(QStringLiteral("server.listen is %1, so that others can reach the "
                                            "API, and there is no token")
                                 .arg(listen))
                    .withCode(u"no_token")
                    .withHint(u"Set IVM_API_TOKEN to a long random text, or listen on 127.0.0.1"));
}

Result<QUrl> Daemon::start()
{
    if (!m_host.problems().isEmpty())
        return fail(m_host.problems().first());
    const AccessRules rules = accessRules();
    IVM_CHECK(checkAccess(rules));
    IVM_TRY(auto files, StaticFiles::load(m_request.webFolder));
    IVM_CHECK(m_host.makeWarehouse());
    IVM_CHECK(m_service.start());
    m_views.start();
    m_api =
        std::make_unique<HttpApi>(m_host, m_views, m_service, m_metrics, rules, std::move(files));
    m_server =
        std::make_unique<HttpServer>(HttpLimits{}, [this](const auto &request, const auto &answer) {
            m_api->handle(request, answer);
        });
    const Config &config = m_host.config();
    IVM_TRY(const quint16 port,
            m_server->listen(QHostAddress(config.listen), quint16(config.port)));
    const QUrl url = address(port);
    IVM_CHECK(m_service.announce(url));
    notifyManager("READY=1");
    return url;
}

QUrl Daemon::address(quint16 port) const
{
    const QHostAddress address(m_host.config().listen);
    const bool isAny = address == QHostAddress::AnyIPv4 || address == QHostAddress::AnyIPv6 ||
                       address == QHostAddress::Any;
    QUrl url;
    url.setScheme(QStringLiteral("http"));
    url.setHost(isAny ? QStringLiteral("localhost") : address.toString());
    url.setPort(port);
    url.setPath(QStringLiteral("/"));
    return url;
}

void Daemon::stop()
{
    qCInfo(logHost, "stopping");
    notifyManager("STOPPING=1");
    if (m_server)
        m_server->close();
    if (!m_service.stop(m_host.config().shutdownGrace)) {
        qCWarning(logHost, "work did not end within server.shutdown_grace_seconds; leaving it");
        m_hasLeftWork = true;
    }
    QCoreApplication::quit();
}

void Daemon::reload() { m_views.reload(); }

}  // namespace ivm
