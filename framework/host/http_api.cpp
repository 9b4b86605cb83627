#include "framework/host/http_api.h"

#include "framework/host/documents.h"
#include "framework/host/table_list.h"
#include "framework/host/view_state.h"

#include <QJsonDocument>

namespace ivm {

namespace {

using std::chrono::steady_clock;

const QList<std::pair<QByteArray, QByteArray>> kSafety{
    {"Content-Security-Policy",
     "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"}};

HttpResponse document(const QJsonDocument &json, int status)
{
    return {.status = status,
            .body = json.toJson(QJsonDocument::Compact) + '\n',
            .headers = {{"Cache-Control", "no-store"}}};
}

HttpResponse json(const QJsonObject &object, int status = 200)
{
    return document(QJsonDocument(object), status);
}

Error noSuchView(const QString &name)
{
    return notFoundError(QStringLiteral("there is no view '%1'").arg(name))
        .withCode(u"no_such_view");
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

QJsonValue secondsJson(std::optional<std::chrono::milliseconds> time)
{
    return time ? QJsonValue(double(time->count()) / 1000) : QJsonValue();
}

QJsonValue waitingJson(Scheduler::Waiting waiting)
{
    switch (waiting) {
    case Scheduler::Waiting::None: return {};
    case Scheduler::Waiting::Sources: return QStringLiteral("waiting");
    case Scheduler::Waiting::Turn: return QStringLiteral("queued");
    case Scheduler::Waiting::Running: return QStringLiteral("running");
    case Scheduler::Waiting::Failing: return QStringLiteral("failing");
    }
    Q_UNREACHABLE();
}

// What the text of a view means, for one who is writing it.
QJsonObject meaningJson(const Definition &definition)
{
    const ViewShape &shape = *definition.shape;
    const QStringList sources = sourceNames(shape);
    QStringList keys;
    for (const auto &column : shape.columns) {
        if (column.columnClass == ColumnClass::Key)
            keys.append(column.name);
    }
    return {
        {QStringLiteral("source"), sources.value(0)},
        {QStringLiteral("sources"), QJsonArray::fromStringList(sources)},
        {QStringLiteral("target"), definition.spec.target.text()},
        {QStringLiteral("strategy"), strategyName(shape.strategy)},
        {QStringLiteral("why"), shape.why},
        {QStringLiteral("keys"), QJsonArray::fromStringList(keys)},
        {QStringLiteral("bucket"), shape.bucket ? QJsonValue(shape.bucket->words) : QJsonValue()},
        {QStringLiteral("columns"), columnsJson(shape)}};
}

}  // namespace

HttpApi::HttpApi(Host &host, ViewsKeeper &views, Service &service, Metrics &metrics,
                 AccessRules access, StaticFiles files)
    : m_host(host), m_views(views), m_service(service), m_metrics(metrics),
      m_access(std::move(access)), m_files(std::move(files))
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
        {"POST", QStringLiteral("/api/parse"), Needs::Read, &HttpApi::parse},
        {"GET", QStringLiteral("/api/tables"), Needs::Read, &HttpApi::listTables},
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

QJsonObject HttpApi::viewDocument(const Definition &definition) const
{
    const QString &name = definition.spec.name;
    const auto now = QDateTime::currentDateTimeUtc();
    const Service::ViewStatus known = m_service.status(name);
    const Scheduler::Progress progress = m_service.progress(name);
    const auto lag = m_service.lag(name);
    ViewState state{.definition = &definition,
                    .bookmark = known.bookmark,
                    .records = {},
                    .isUnderWay = progress.waiting == Scheduler::Waiting::Running};
    for (const auto &ended : known.history)
        state.records.append(ended.record);
    QJsonObject out = viewJson(state, now);
    const auto set = [&](const char *key, const QJsonValue &value) {
        out.insert(QLatin1StringView(key), value);
    };
    const auto uri = [&](const QString &statement) -> QJsonValue {
        if (statement.isEmpty())
            return {};
        const auto executor = m_host.executor();
        const QString text = executor ? (*executor)->statementUri(statement) : QString();
        return text.isEmpty() ? QJsonValue() : QJsonValue(text);
    };
    QJsonArray queries;
    QJsonArray history;
    for (const auto &[record, ranges, nullBucket] : known.history) {
        const QJsonValue id =
            record.statementId.isEmpty() ? QJsonValue() : QJsonValue(record.statementId);
        const QJsonValue url = uri(record.statementId);
        const bool failed = !record.error.isEmpty();
        if (!record.statementId.isEmpty())
            queries.append(
                QJsonObject{{QStringLiteral("kind"), record.action},
                            {QStringLiteral("query_id"), id},
                            {QStringLiteral("url"), url},
                            {QStringLiteral("started"), timeText(record.started)},
                            {QStringLiteral("seconds"), record.seconds},
                            {QStringLiteral("state"),
                             failed ? QStringLiteral("failed") : QStringLiteral("finished")}});
        history.append(QJsonObject{
            {QStringLiteral("started"), timeText(record.started)},
            {QStringLiteral("action"), record.action},
            {QStringLiteral("reason"), record.reason},
            {QStringLiteral("rows_read"), record.rowsRead},
            {QStringLiteral("rows_written"), record.rowsWritten},
            {QStringLiteral("rows_deleted"), record.rowsDeleted},
            {QStringLiteral("seconds"), record.seconds},
            {QStringLiteral("query_id"), id},
            {QStringLiteral("url"), url},
            {QStringLiteral("error"), failed ? QJsonValue(record.error) : QJsonValue()}});
    }
    const std::optional<Error> problem =
        definition.isRefused() ? std::optional(definition.problems.first()) : known.error;
    const auto &target = definition.spec.targetLag;
    QJsonValue nextAttempt;
    if (progress.nextAttempt)
        nextAttempt = timeText(now.addMSecs(std::chrono::duration_cast<std::chrono::milliseconds>(
                                                *progress.nextAttempt - steady_clock::now())
                                                .count()));
    set("query", definition.spec.query);
    set("refresh_interval_seconds", secondsJson(definition.spec.refreshInterval));
    set("refreshes", known.refreshes);
    set("errors", known.errors);
    set("last_duration_seconds",
        known.history.empty() ? QJsonValue() : QJsonValue(known.history.front().record.seconds));
    set("recent_queries", queries);
    set("history", history);
    set("problem",
        problem ? QJsonValue(errorJson(inQuery(*problem, definition.spec))) : QJsonValue());
    set("lag_seconds", secondsJson(lag));
    set("target_lag_seconds", secondsJson(target));
    set("lag_met", target ? QJsonValue(lag <= *target) : QJsonValue());
    set("waiting", waitingJson(progress.waiting));
    set("next_attempt", nextAttempt);
    set("definition", m_views.entry(name));
    return out;
}

void HttpApi::listViews(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    QJsonArray list;
    for (const auto &definition : m_views.definitions().all())
        list.append(viewDocument(definition));
    answer(document(QJsonDocument(list), 200));
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
    answer(json(viewDocument(*m_views.definitions().find(*name)), 201));
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
    answer(json(viewDocument(*m_views.definitions().find(name))));
}

void HttpApi::deleteView(const HttpRequest &, const QString &name, const HttpServer::Answer &answer)
{
    const auto *definition = m_views.definitions().find(name);
    if (!definition)
        return answer(errorResponse(noSuchView(name)));
    const QJsonObject last = viewDocument(*definition);
    if (const auto removed = m_views.remove(name); !removed)
        return answer(errorResponse(removed.error()));
    answer(json(last));
}

void HttpApi::refreshView(const HttpRequest &request, const QString &name,
                          const HttpServer::Answer &answer)
{
    const auto full = isFull(request);
    if (!full)
        return answer(errorResponse(full.error()));
    const auto *definition = m_views.definitions().find(name);
    if (!definition)
        return answer(errorResponse(noSuchView(name)));
    if (definition->isRefused())
        return answer(errorResponse(definition->problems.first()));
    const auto mode = *full ? RefreshMode::Full : RefreshMode::IfChanged;
    m_service.refresh(name, mode, [answer](const RefreshOutcome &outcome) {
        answer(json({{QStringLiteral("views"), QJsonArray{outcomeJson(outcome)}}}));
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

void HttpApi::listTables(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
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
        [answer](const Result<QJsonObject> &tables) {
            answer(tables ? json(*tables) : errorResponse(tables.error()));
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
    }
    return problems;
}

void HttpApi::health(const HttpRequest &, const QString &, const HttpServer::Answer &answer)
{
    QJsonArray problems;
    const auto found = healthProblems();
    for (const auto &problem : found)
        problems.append(errorJson(problem));
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
    m_service.tellMetrics();
    answer({.type = "text/plain; version=0.0.4; charset=utf-8", .body = m_metrics.text()});
}

}  // namespace ivm
