#include "framework/host/view_state.h"

#include "framework/host/documents.h"

#include <QJsonArray>

#include <algorithm>

namespace ivm {

namespace {

bool isError(const RefreshRecord &record) { return record.action == u"error"; }

bool failedLast(const QList<RefreshRecord> &records)
{
    return !records.isEmpty() && isError(records.first());
}

QJsonValue orNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

QJsonValue bookmarkJson(const std::optional<Bookmark> &bookmark)
{
    if (!bookmark)
        return {};
    QJsonObject out;
    for (const auto &source : bookmark->sources)
        out.insert(source.table.text(), source.head.snapshot
                                            ? QJsonValue(QString::number(*source.head.snapshot))
                                            : QJsonValue(QJsonValue::Null));
    return out;
}

}  // namespace

QString ViewState::status() const
{
    if (definition->isRefused())
        return QStringLiteral("refused");
    if (isUnderWay)
        return QStringLiteral("refreshing");
    if (failedLast(records))
        return QStringLiteral("error");
    const bool isBuilt = bookmark && bookmark->resumeFrom.isEmpty();
    return isBuilt ? QStringLiteral("idle") : QStringLiteral("pending");
}

QString ViewState::error() const
{
    if (definition->isRefused())
        return definition->problems.first().text();
    return failedLast(records) ? records.first().error : QString();
}

const RefreshRecord *ViewState::lastSuccess() const
{
    const auto found = std::ranges::find_if_not(records, isError);
    return found == records.end() ? nullptr : &*found;
}

QStringList ViewState::sources() const
{
    return definition->shape ? sourceNames(*definition->shape) : QStringList();
}

Result<ViewState> viewStateOf(const Definition &definition, StateStore *store)
{
    ViewState state;
    state.definition = &definition;
    if (!store)
        return state;
    const QString &name = definition.spec.name;
    IVM_TRY(state.bookmark, store->bookmark(name));
    IVM_TRY(const QString holder, store->leaseHolder(definition.spec.target));
    state.isUnderWay = !holder.isEmpty();
    IVM_TRY(state.records, store->records(name, kRecordsKept));
    return state;
}

QString timeText(const QDateTime &time) { return time.toUTC().toString(Qt::ISODate); }

QJsonObject viewJson(const ViewState &state, const QDateTime &now)
{
    const Definition &definition = *state.definition;
    const QStringList sources = state.sources();
    const RefreshRecord *success = state.lastSuccess();
    const RefreshRecord *last = state.records.isEmpty() ? nullptr : &state.records.first();
    return {{QStringLiteral("name"), definition.spec.name},
            {QStringLiteral("source"), orNull(sources.value(0))},
            {QStringLiteral("sources"), QJsonArray::fromStringList(sources)},
            {QStringLiteral("target"), definition.spec.target.text()},
            {QStringLiteral("status"), state.status()},
            {QStringLiteral("strategy"), definition.shape
                                             ? QJsonValue(strategyName(definition.shape->strategy))
                                             : QJsonValue()},
            {QStringLiteral("bookmark"), bookmarkJson(state.bookmark)},
            {QStringLiteral("lag_seconds"),
             success ? QJsonValue(double(success->started.msecsTo(now)) / 1000) : QJsonValue()},
            {QStringLiteral("last_refresh"),
             success ? QJsonValue(timeText(success->started)) : QJsonValue()},
            {QStringLiteral("last_action"), last ? QJsonValue(last->action) : QJsonValue()},
            {QStringLiteral("errors"), qint64(std::ranges::count_if(state.records, isError))},
            {QStringLiteral("error"), orNull(state.error())},
            {QStringLiteral("owner"), ownerName(definition.owner)}};
}

}  // namespace ivm
