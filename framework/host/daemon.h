// ivmd: the parts of the long-running host, put together, from its start to its end.
//
// Threads: the main thread, which runs the event loop.
#pragma once

#include "framework/host/http_api.h"

namespace ivm {

struct DaemonRequest {
    HostRequest host;
    QString webFolder;
};

class Daemon final : public QObject {
    Q_OBJECT

public:
    explicit Daemon(const DaemonRequest &request);
    ~Daemon() override;

    // Everything that can be wrong with the configuration is told here. Gives the address at which
    // it serves.
    Result<QUrl> start();

    // Ends the event loop when all has ended, at the latest after server.shutdown_grace_seconds.
    void stop();
    // Whether threads were left behind that cannot be joined. What they commit is settled at the
    // next start.
    bool hasLeftWork() const { return m_hasLeftWork; }
    void reload();

private:
    AccessRules accessRules() const;
    Status checkAccess(const AccessRules &rules) const;
    QUrl address(quint16 port) const;

    const DaemonRequest m_request;
    Host m_host;
    Metrics m_metrics;
    ViewsKeeper m_views;
    Service m_service;
    std::unique_ptr<HttpApi> m_api;
    std::unique_ptr<HttpServer> m_server;
    bool m_hasLeftWork = false;
};

}  // namespace ivm
