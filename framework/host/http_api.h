// The REST API, the page's files and /metrics, as requests and answers.
//
// Who may do what: see AccessRules. Every error is {"error":{code, message, line, column, hint}}.
// Threads: that of the service. Lifetime: what it is given outlives it.
#pragma once

#include "framework/host/access.h"
#include "framework/host/static_files.h"
#include "framework/host/view_documents.h"

namespace ivm {

class HttpApi {
public:
    HttpApi(Host &host, ViewsKeeper &views, Service &service, Metrics &metrics, AccessRules access,
            StaticFiles files);

    void handle(const HttpRequest &request, const HttpServer::Answer &answer);

private:
    using Handler = void (HttpApi::*)(const HttpRequest &, const QString &name,
                                      const HttpServer::Answer &);
    struct Route {
        QByteArray method;
        QString path;  // {name} stands for one segment
        Needs needs = Needs::Read;
        Handler handler;
    };
    static const QList<Route> &routes();

    void listViews(const HttpRequest &request, const QString &, const HttpServer::Answer &answer);
    void createView(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void changeView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer);
    void deleteView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer);
    void refreshView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer);
    void cancelRefresh(const HttpRequest &, const QString &name, const HttpServer::Answer &answer);
    void verifyView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer);
    void parse(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void listTables(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void listMigrations(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void describe(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void status(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void health(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void live(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void ready(const HttpRequest &, const QString &, const HttpServer::Answer &answer);
    void metrics(const HttpRequest &, const QString &, const HttpServer::Answer &answer);

    static void tell(QList<HttpServer::Answer> &who, const HttpResponse &response);
    Status canWorkOn(const QString &name) const;
    QList<Error> healthProblems() const;

    Host &m_host;
    ViewsKeeper &m_views;
    Service &m_service;
    Metrics &m_metrics;
    ViewDocuments m_documents;
    const AccessRules m_access;
    const StaticFiles m_files;
    QList<HttpServer::Answer> m_wantTables;
    QList<HttpServer::Answer> m_wantMigrations;
    QList<HttpServer::Answer> m_wantMetrics;
    WorkerPool m_writer{1};  // of texts that take long to write; last, since it uses the rest
};

}  // namespace ivm
