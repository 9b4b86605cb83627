#include "framework/host/http_api.h"

#include "framework/host/migration_documents.h"

#include "framework/host/documents.h"
#include "framework/host/table_list.h"

#include <QJsonDocument>
#include <QTimer>

namespace ivm {

namespace {

const QList<std::pair<QByteArray, QByteArray>> kSafety{
    {"Content-Security-Policy",
     "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"}};

HttpResponse document(const QByteArray &json, int status = 200)
{
    return {.status = status, .body = json, .headers = {{"Cache-Control", "no-store"}}};
}

HttpResponse json(const QJsonObject &object, int status = 200)
{
    return document(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n', status);
}

Error noSuchView(const QString &name)
{
    return notFoundError(QStringLiteral("there is no view '%1'").arg(name)).withCode(u"no_view");
}

Result<QJsonObject> bodyOf(const HttpRequest &request)
{
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(request.body, &problem);
    if (document.isObject())
        return document.object();
    return fail(invalidError(QStringLiteral("the body is no JSON object: %1")
                                 .arg(document.isNull() ? problem.errorString()
                                                        : QStringLiteral("it is a list")))
                    .withCode(u"not_json"));
}

// Of a refresh: {"full": true}, or nothing.
Result<bool> isFull(const HttpRequest &request)
{
    if (request.body.isEmpty())
        return false;
    IVM_TRY(const QJsonObject options, bodyOf(request));
    const QJsonValue full = options.value(QStringLiteral("full"));
    if (full.isUndefined() || full.isBool())
        return full.toBool();
    return fail(
        invalidError(QStringLiteral("'full' is neither true nor false")).withCode(u"bad_request"));
}

Result<QString> nameIn(const QJsonObject &entry)
{
    const QString name = entry.value(QStringLiteral("name")).toString();
    if (name.isEmpty())
        return fail(invalidError(QStringLiteral("'name' is missing"))
                        .withCode(u"bad_request")
                        .withHint(u"Send an entry of views.yaml as a JSON object"));
    return name;
}

Error inQuery(Error error, const ViewSpec &spec)
{
    error.place = spec.placeInQuery(error.place);
    return error;
}

QJsonObject problemJson(const Error &error, QStringView severity)
{
    QJsonObject out = errorJson(error);
    out.insert(QStringLiteral("severity"), severity.toString());
    return out;
}

}  // namespace

HttpApi::HttpApi(Host &host, ViewsKeeper &views, Service &service, Metrics &metrics,
                 AccessRules access, StaticFiles files)
    : m_host(host), m_views(views), m_service(service), m_metrics(metrics),
      m_documents(host, views, service), m_access(std::move(access)), m_files(std::move(files))
{
}

const QList<HttpApi::Route> &HttpApi::routes()
{
    static const QList<Route> all{
        {"GET", QStringLiteral("/api/views"), Needs::Read, &HttpApi::listViews},
        {"POST", QStringLiteral("/api/views"), Needs::Write, &HttpApi::createView},
        {"PUT", QStringLiteral("/api/views/{name}"), Needs::Write, &HttpApi::changeView},
        {"DELETE", QStringLiteral("/api/views/{name}"), Needs::Write, &HttpApi::deleteView},
        {"POST", QStringLiteral("/api/views/{name}/refresh"), Needs::Write, &HttpApi::refreshView},
        {"DELETE", QStringLiteral("/api/views/{name}/refresh"), Needs::Write,
         &HttpApi::cancelRefresh},
        {"POST", QStringLiteral("/api/views/{name}/verify"), Needs::Write, &HttpApi::verifyView},
        {"POST", QStringLiteral("/api/parse"), Needs::Read, &HttpApi::parse},
        {"GET", QStringLiteral("/api/tables"), Needs::Read, &HttpApi::listTables},
        {"GET", QStringLiteral("/api/migrations"), Needs::Read, &HttpApi::listMigrations},
        {"GET", QStringLiteral("/api/openapi.json"), Needs::Nothing, &HttpApi::describe},
        {"GET", QStringLiteral("/api/status"), Needs::Nothing, &HttpApi::status},
        {"GET", QStringLiteral("/health"), Needs::Nothing, &HttpApi::health},
        {"GET", QStringLiteral("/live"), Needs::Nothing, &HttpApi::live},
        {"GET", QStringLiteral("/ready"), Needs::Nothing, &HttpApi::ready},
        {"GET", QStringLiteral("/metrics"), Needs::Read, &HttpApi::metrics}};
    return all;
}

void HttpApi::handle(const HttpRequest &request, const HttpServer::Answer &answer)
{
    const HttpServer::Answer safely = [answer](HttpResponse response) {
        response.headers.append(kSafety);
        answer(response);
    };
    QStringList allowed;
    for (const auto &route : routes()) {
        const QString start = route.path.section(QStringLiteral("{name}"), 0, 0);
        const QString end = route.path.section(QStringLiteral("{name}"), 1, 1);
        QString name;
        if (start.size() < route.path.size()) {
            if (!request.path.startsWith(start) || !request.path.endsWith(end) ||
                request.path.size() <= start.size() + end.size())
                continue;
            name = request.path.sliced(start.size()).chopped(end.size());
            if (name.contains(u'/'))
                continue;
        } else if (request.path != route.path) {
            continue;
        }
        const QByteArray method = request.method == "HEAD" ? "GET" : request.method;
        if (method != route.method) {
            allowed.append(QString::fromLatin1(route.method));
            continue;
        }
        if (auto refused = m_access.refusal(request, route.needs))
            return safely(*std::move(refused));
        return (this->*route.handler)(request, name, safely);
    }
    if (const auto refused = m_access.refusal(request, Needs::Nothing))
        return safely(*refused);
    if (const auto file = m_files.answer(request))
        return safely(*file);
    if (allowed.isEmpty())
        return safely(errorResponse(
            404, notFoundError(QStringLiteral("there is nothing here")).withCode(u"not_found")));
    auto response = errorResponse(
        405,
        invalidError(
            QStringLiteral("this does not take %1").arg(QString::fromLatin1(request.method)))
            .withCode(u"wrong_method")
            .withHint(QString(QStringLiteral("It takes ") + allowed.join(QStringLiteral(", ")))));
    response.headers.emplaceBack("Allow", allowed.join(QStringLiteral(", ")).toLatin1());
    safely(response);
}

void HttpApi::listViews(const HttpRequest &request, const QString &name,
                        const HttpServer::Answer &answer)
{
    const auto list = m_documents.list();
    if (!list)
        return QTimer::singleShot(0, &m_documents, [=, this] { listViews(request, name, answer); });
    if (request.hasTag(list->tag))
        return answer({.status = 304, .body = {}, .headers = {{"ETag", list->tag}}});
    auto response = document(list->text);
    response.headers.emplaceBack("ETag", list->tag);
    answer(response);
}

void HttpApi::createView(const HttpRequest &request, const QString &,
                         const HttpServer::Answer &answer)
{
    const auto entry = bodyOf(request);
    if (!entry)
        return answer(errorResponse(entry.error()));
    const auto name = nameIn(*entry);
    if (!name)
        return answer(errorResponse(name.error()));
    if (const auto put = m_views.put(*name, *entry, ViewsKeeper::Wanted::New); !put)
        return answer(errorResponse(put.error()));
    answer(document(m_documents.entry(*m_views.definitions().find(*name)) + '\n', 201));
}

void HttpApi::changeView(const HttpRequest &request, const QString &name,
                         const HttpServer::Answer &answer)
{
    const auto entry = bodyOf(request);
    if (!entry)
        return answer(errorResponse(entry.error()));
    if (const auto given = entry->value(QStringLiteral("name"));
        !given.isUndefined() && given.toString() != name)
        return answer(errorResponse(
            invalidError(QStringLiteral("'name' is '%1', and the address says '%2'")
                             .arg(given.toString(), name))
                .withCode(u"bad_request")
                .withHint(u"A view keeps its name; make another and delete this one")));
    if (const auto put = m_views.put(name, *entry, ViewsKeeper::Wanted::There); !put)
        return answer(errorResponse(put.error()));
    answer(document(m_documents.entry(*m_views.definitions().find(name)) + '\n'));
}

void HttpApi::deleteView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer)
{
    const auto *definition = m_views.definitions().find(name);
    if (!definition)
        return answer(errorResponse(noSuchView(name)));
    const QByteArray last = m_documents.entry(*definition) + '\n';
    if (const auto removed = m_views.remove(name); !removed)
        return answer(errorResponse(removed.error()));
    answer(document(last));
}

// Whether the view is there and not refused.
Status HttpApi::canWorkOn(const QString &name) const
{
    const auto *definition = m_views.definitions().find(name);
    if (!definition)
        return fail(noSuchView(name));
    if (definition->isRefused())
        return fail(definition->problems.first());
    return {};
}

void HttpApi::refreshView(const HttpRequest &request, const QString &name,
                          const HttpServer::Answer &answer)
{
    const auto full = isFull(request);
    if (!full)
        return answer(errorResponse(full.error()));
    if (const auto there = canWorkOn(name); !there)
        return answer(errorResponse(there.error()));
    const auto mode = *full ? RefreshMode::Full : RefreshMode::IfChanged;
    m_service.refresh(name, mode, [answer](const RefreshOutcome &outcome) {
        answer(json({{QStringLiteral("views"), QJsonArray{outcomeJson(outcome)}}}));
    });
}

void HttpApi::cancelRefresh(const HttpRequest &, const QString &name,
                            const HttpServer::Answer &answer)
{
    if (const auto there = canWorkOn(name); !there)
        return answer(errorResponse(there.error()));
    answer(json({{QStringLiteral("cancelled"), m_service.cancel(name)}}));
}

void HttpApi::verifyView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer)
{
    if (const auto there = canWorkOn(name); !there)
        return answer(errorResponse(there.error()));
    m_service.verify(name, [answer](const Result<VerifyOutcome> &outcome) {
        answer(outcome ? json({{QStringLiteral("views"), QJsonArray{verifyJson(*outcome)}}})
                       : errorResponse(outcome.error()));
    });
}

void HttpApi::parse(const HttpRequest &request, const QString &, const HttpServer::Answer &answer)
{
    const auto entry = bodyOf(request);
    if (!entry)
        return answer(errorResponse(entry.error()));
    QString name = entry->value(QStringLiteral("name")).toString();
    if (name.isEmpty())
        name = QStringLiteral("unnamed");
    QJsonArray problems;
    QJsonValue meaning;
    const auto tell = [&](const Error &error, QStringView severity) {
        problems.append(problemJson(error, severity));
    };
    const auto tried = m_views.tried(name, *entry);
    const auto *definition = tried ? tried->find(name) : nullptr;
    if (!definition) {
        tell(tried ? noSuchView(name) : tried.error(), u"error");
    } else {
        for (const auto &problem : definition->problems)
            tell(inQuery(problem, definition->spec), u"error");
        for (const auto &warning : definition->warnings)
            tell(inQuery(warning, definition->spec), u"warning");
        if (definition->shape)
            meaning = meaningJson(*definition);
    }
    const bool ok = definition && !definition->isRefused();
    answer(json({{QStringLiteral("ok"), ok},
                 {QStringLiteral("problems"), problems},
                 {QStringLiteral("view"), meaning}}));
}

void HttpApi::tell(QList<HttpServer::Answer> &who, const HttpResponse &response)
{
    const auto waiting = std::exchange(who, {});
    for (const auto &answer : waiting)
        answer(response);
}

void HttpApi::listTables(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    // Who asks while an answer is looked for gets that one.
    m_wantTables.append(answer);
    if (m_wantTables.size() > 1)
        return;
    m_service.runAside(
        [this](const Call &call) -> Result<QJsonObject> {
            IVM_TRY(Executor * executor, m_host.executor());
            IVM_TRY(const auto session, executor->openSession({}, call));
            IVM_TRY(const auto tables, tablesOf(*session, m_host.tableDefaults(), call));
            QJsonArray list;
            for (const auto &table : tables)
                list.append(tableJson(table));
            return QJsonObject{{QStringLiteral("tables"), list}};
        },
        [this](const Result<QJsonObject> &tables) {
            tell(m_wantTables, tables ? json(*tables) : errorResponse(tables.error()));
        });
}

void HttpApi::listMigrations(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    m_wantMigrations.append(answer);
    if (m_wantMigrations.size() > 1)
        return;
    m_service.runAside(
        [this](const Call &call) -> Result<QJsonObject> {
            IVM_TRY(HistoryStore * store, m_host.history());
            return migrationsJson(*store, call);
        },
        [this](const Result<QJsonObject> &migrations) {
            tell(m_wantMigrations,
                 migrations ? json(*migrations) : errorResponse(migrations.error()));
        });
}

void HttpApi::describe(const HttpRequest &request, const QString &,
                       const HttpServer::Answer &answer)
{
    HttpRequest file = request;
    file.path = QStringLiteral("/openapi.json");
    answer(m_files.answer(file).value_or(
        errorResponse(404, notFoundError(QStringLiteral("openapi.json was not installed")))));
}

void HttpApi::status(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    answer(json({{QStringLiteral("version"), hostVersion()},
                 {QStringLiteral("engine"), m_host.config().executor.plugin},
                 {QStringLiteral("poll_interval_seconds"), secondsJson(m_service.lookInterval())},
                 {QStringLiteral("read_only"), false},
                 {QStringLiteral("token_required"), !m_access.token.isEmpty()}}));
}

QList<Error> HttpApi::healthProblems() const
{
    QList<Error> problems = m_views.problems();
    if (m_service.trouble())
        problems.append(*m_service.trouble());
    for (const auto &definition : m_views.definitions().all()) {
        if (definition.isRefused())
            problems.append(definition.problems.first());
        else if (const auto error = m_service.status(definition.spec.name).error)
            problems.append(*error);
        if (definition.contradiction)
            problems.append(*definition.contradiction);
    }
    return problems;
}

// Whoever may not read is told whether, not what.
void HttpApi::health(const HttpRequest &request, const QString &, const HttpServer::Answer &answer)
{
    QJsonArray problems;
    const auto found = healthProblems();
    const bool mayRead = !m_access.refusal(request, Needs::Read);
    for (const auto &problem : found) {
        if (mayRead)
            problems.append(errorJson(problem));
    }
    answer(json({{QStringLiteral("status"),
                  found.isEmpty() ? QStringLiteral("ok") : QStringLiteral("degraded")},
                 {QStringLiteral("views"), m_views.definitions().all().size()},
                 {QStringLiteral("problems"), problems}}));
}

void HttpApi::live(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    answer(json({{QStringLiteral("status"), QStringLiteral("ok")}}));
}

void HttpApi::ready(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    QJsonArray reasons;
    if (m_service.trouble())
        reasons.append(m_service.trouble()->text());
    else if (!m_service.hasLooked())
        reasons.append(QStringLiteral("the tables have not been looked at yet"));
    answer(
        json({{QStringLiteral("ready"), reasons.isEmpty()}, {QStringLiteral("reasons"), reasons}},
             reasons.isEmpty() ? 200 : 503));
}

void HttpApi::metrics(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    m_wantMetrics.append(answer);
    if (m_wantMetrics.size() > 1)
        return;
    m_service.tellMetrics();
    m_writer.run([this](const std::stop_token &) {
        HttpResponse response{.type = "text/plain; version=0.0.4; charset=utf-8",
                              .body = m_metrics.text()};
        QMetaObject::invokeMethod(
            &m_documents, [this, response] { tell(m_wantMetrics, response); },
            Qt::QueuedConnection);
    });
}

}  // namespace ivm
