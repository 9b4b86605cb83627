#include "framework/host/view_documents.h"

#include "framework/base/json.h"
#include "framework/host/documents.h"
#include "framework/host/view_state.h"

namespace ivm {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto kListKept = 250ms;
constexpr auto kLongestSlice = 15ms;

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

QJsonValue verifiedJson(const std::optional<Service::Verified> &verified)
{
    if (!verified)
        return {};
    return QJsonObject{{QStringLiteral("when"), timeText(verified->when)},
                       {QStringLiteral("equal"), verified->equal},
                       {QStringLiteral("missing"), verified->missing},
                       {QStringLiteral("extra"), verified->extra}};
}

QJsonValue orNull(const QString &text) { return text.isEmpty() ? QJsonValue() : QJsonValue(text); }

QJsonObject queryJson(const RefreshRecord &record, const QJsonValue &url)
{
    return {{QStringLiteral("kind"), record.action},
            {QStringLiteral("query_id"), record.statementId},
            {QStringLiteral("url"), url},
            {QStringLiteral("started"), timeText(record.started)},
            {QStringLiteral("seconds"), record.seconds},
            {QStringLiteral("state"),
             record.error.isEmpty() ? QStringLiteral("finished") : QStringLiteral("failed")}};
}

QJsonObject refreshJson(const Service::Ended &ended, const QJsonValue &url)
{
    const RefreshRecord &record = ended.record;
    return {{QStringLiteral("started"), timeText(record.started)},
            {QStringLiteral("action"), record.action},
            {QStringLiteral("reason"), record.reason},
            {QStringLiteral("ranges"), rangesJson(ended.ranges)},
            {QStringLiteral("null_bucket"), ended.nullBucket},
            {QStringLiteral("rows_read"), record.rowsRead},
            {QStringLiteral("rows_written"), record.rowsWritten},
            {QStringLiteral("rows_deleted"), record.rowsDeleted},
            {QStringLiteral("seconds"), record.seconds},
            {QStringLiteral("query_id"), orNull(record.statementId)},
            {QStringLiteral("url"), url},
            {QStringLiteral("error"), orNull(record.error)}};
}

QJsonValue problemJson(const Definition &definition, const std::optional<Error> &error)
{
    std::optional<Error> problem = error;
    if (definition.isRefused())
        problem = definition.problems.first();
    if (!problem)
        return {};
    problem->place = definition.spec.placeInQuery(problem->place);
    return errorJson(*problem);
}

ViewState stateOf(const Definition &definition, const Service::ViewStatus &known)
{
    ViewState state{.definition = &definition, .bookmark = known.bookmark, .records = {}};
    for (const auto &ended : known.history)
        state.records.append(ended.record);
    return state;
}

}  // namespace

QJsonValue secondsJson(std::optional<std::chrono::milliseconds> time)
{
    return time ? QJsonValue(double(time->count()) / 1000) : QJsonValue();
}

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

ViewDocuments::ViewDocuments(Host &host, const ViewsKeeper &views, const Service &service)
    : m_host(host), m_views(views), m_service(service),
      m_begun(QByteArray::number(QDateTime::currentMSecsSinceEpoch()))
{
    connect(&service, &Service::changed, this, &ViewDocuments::forget);
    connect(&views, &ViewsKeeper::changed, this, [this] {
        m_kept.clear();
        m_isListCurrent = false;
    });
}

void ViewDocuments::forget(const QString &view)
{
    m_kept.remove(view);
    m_isListCurrent = false;
}

QByteArray ViewDocuments::entry(const Definition &definition)
{
    const Kept &known = kept(definition);
    return known.text + ',' + json::compact(passing(definition, known.status)).sliced(1);
}

std::optional<ViewDocuments::List> ViewDocuments::list()
{
    const auto begun = steady_clock::now();
    if (m_isListCurrent && begun - m_listedAt < kListKept)
        return m_list;
    const auto &definitions = m_views.definitions().all();
    for (const auto &definition : definitions) {
        if (m_kept.contains(definition.spec.name))
            continue;
        if (steady_clock::now() - begun > kLongestSlice)
            return {};
        kept(definition);
    }
    QByteArray text = "[";
    for (const auto &definition : definitions)
        text += (text.size() > 1 ? "," : "") + entry(definition);
    text += "]\n";
    if (!m_list || m_list->text != text)
        m_list = List{text, '"' + m_begun + '-' + QByteArray::number(++m_lists) + '"'};
    m_listedAt = begun;
    m_isListCurrent = true;
    return m_list;
}

const ViewDocuments::Kept &ViewDocuments::kept(const Definition &definition)
{
    auto found = m_kept.find(definition.spec.name);
    if (found == m_kept.end()) {
        const auto &known = m_service.status(definition.spec.name);
        found = m_kept.insert(definition.spec.name,
                              {json::compact(lasting(definition, known)).chopped(1),
                               stateOf(definition, known).status()});
    }
    return *found;
}

QJsonObject ViewDocuments::lasting(const Definition &definition,
                                   const Service::ViewStatus &known) const
{
    QJsonArray queries;
    QJsonArray history;
    for (const auto &ended : known.history) {
        const QJsonValue url = statementUri(ended.record.statementId);
        if (!ended.record.statementId.isEmpty())
            queries.append(queryJson(ended.record, url));
        history.append(refreshJson(ended, url));
    }
    QJsonObject out = viewJson(stateOf(definition, known), QDateTime::currentDateTimeUtc());
    // These pass.
    out.remove(u"status");
    out.remove(u"lag_seconds");
    const auto set = [&](const char *key, const QJsonValue &value) {
        out.insert(QLatin1StringView(key), value);
    };
    set("query", definition.spec.query);
    set("refresh_interval_seconds", secondsJson(definition.spec.refreshInterval));
    set("refreshes", known.refreshes);
    set("errors", known.errors);
    set("last_duration_seconds",
        known.history.empty() ? QJsonValue() : QJsonValue(known.history.front().record.seconds));
    set("recent_queries", queries);
    set("history", history);
    set("problem", problemJson(definition, known.error));
    set("last_verify", verifiedJson(known.verified));
    set("target_lag_seconds", secondsJson(definition.spec.targetLag));
    set("definition", m_views.entry(definition.spec.name));
    if (definition.owner == ViewOwner::Migration)
        set("migration", definition.migration);
    return out;
}

QJsonObject ViewDocuments::passing(const Definition &definition, const QString &status) const
{
    const QString &name = definition.spec.name;
    const Scheduler::Progress progress = m_service.progress(name);
    const auto lag = m_service.lag(name);
    const auto &target = definition.spec.targetLag;
    const bool isRunning = progress.waiting == Scheduler::Waiting::Running;
    QJsonValue nextAttempt;
    if (progress.nextAttempt) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            *progress.nextAttempt - steady_clock::now());
        nextAttempt = timeText(QDateTime::currentDateTimeUtc().addMSecs(left.count()));
    }
    return {{QStringLiteral("status"),
             isRunning && !definition.isRefused() ? QStringLiteral("refreshing") : status},
            {QStringLiteral("lag_seconds"), secondsJson(lag)},
            {QStringLiteral("lag_met"), target ? QJsonValue(lag <= *target) : QJsonValue()},
            {QStringLiteral("waiting"), waitingJson(progress.waiting)},
            {QStringLiteral("next_attempt"), nextAttempt}};
}

QJsonValue ViewDocuments::statementUri(const QString &statement) const
{
    if (statement.isEmpty())
        return {};
    const auto executor = m_host.executor();
    return executor ? orNull((*executor)->statementUri(statement)) : QJsonValue();
}

}  // namespace ivm
