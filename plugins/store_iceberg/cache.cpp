#include "plugins/store_iceberg/cache.h"

#include "framework/api/table_json.h"
#include "framework/base/json.h"
#include "framework/base/log.h"

#include <QFile>
#include <QSaveFile>

namespace ivm::store_iceberg {

namespace {

// Another version of the file is none.
constexpr qint64 kVersion = 1;

const QString kWhat = QStringLiteral("the cache of the migration history");

QString timeText(const QDateTime &time)
{
    return time.isValid() ? time.toUTC().toString(Qt::ISODateWithMs) : QString();
}

QJsonObject toJson(const MigrationRecord &record)
{
    return {{QStringLiteral("version"), record.version},
            {QStringLiteral("line"), record.line},
            {QStringLiteral("description"), record.description},
            {QStringLiteral("applied_at"), timeText(record.appliedAt)},
            {QStringLiteral("status"), migrationStatusName(record.status)},
            {QStringLiteral("error"), record.error},
            {QStringLiteral("checksum"), record.checksum},
            {QStringLiteral("duration_ms"), record.durationMs},
            {QStringLiteral("applied_by"), record.appliedBy}};
}

QJsonObject toJson(const MigrationEvent &event)
{
    return {{QStringLiteral("id"), event.id},
            {QStringLiteral("at"), timeText(event.at)},
            {QStringLiteral("version"), event.version},
            {QStringLiteral("line"), event.line},
            {QStringLiteral("event"), event.event},
            {QStringLiteral("step"), event.step},
            {QStringLiteral("actor"), event.actor},
            {QStringLiteral("host"), event.host},
            {QStringLiteral("tool_version"), event.toolVersion},
            {QStringLiteral("checksum"), event.checksum},
            {QStringLiteral("detail"), event.detail}};
}

QJsonObject toJson(const MigratedView &view)
{
    QJsonArray held;
    for (const auto id : view.held)
        held.append(id);
    return {
        {QStringLiteral("name"), view.name},       {QStringLiteral("line"), view.line},
        {QStringLiteral("version"), view.version}, {QStringLiteral("definition"), view.definition},
        {QStringLiteral("earlier"), view.earlier}, {QStringLiteral("held"), held}};
}

template <typename T>
QJsonArray arrayOf(const QList<T> &list)
{
    QJsonArray array;
    for (const auto &one : list)
        array.append(toJson(one));
    return array;
}

// The members of one object. What is missing or of another type makes the whole file useless.
class Members {
public:
    explicit Members(const QJsonValue &value) : m_object(value.toObject()) {}

    QString text(QStringView key) { return keep(json::string(m_object, key, kWhat)); }
    qint64 number(QStringView key) { return keep(json::integer(m_object, key, kWhat)); }
    QJsonArray array(QStringView key) { return keep(json::array(m_object, key, kWhat)); }
    QDateTime time(QStringView key)
    {
        const QString written = text(key);
        const auto time = QDateTime::fromString(written, Qt::ISODateWithMs);
        m_isWhole = m_isWhole && (written.isEmpty() || time.isValid());
        return time;
    }
    MigrationStatus status(QStringView key)
    {
        const auto status = migrationStatusFromName(text(key));
        m_isWhole = m_isWhole && status;
        return status.value_or(MigrationStatus::Failed);
    }

    bool isWhole() const { return m_isWhole; }

private:
    template <typename T>
    T keep(Result<T> value)
    {
        m_isWhole = m_isWhole && value.has_value();
        return value ? *std::move(value) : T{};
    }

    const QJsonObject m_object;
    bool m_isWhole = true;
};

void read(Members &from, MigrationRecord &record)
{
    record = {.version = from.number(u"version"),
              .line = from.text(u"line"),
              .description = from.text(u"description"),
              .appliedAt = from.time(u"applied_at"),
              .status = from.status(u"status"),
              .error = from.text(u"error"),
              .checksum = from.text(u"checksum"),
              .durationMs = from.number(u"duration_ms"),
              .appliedBy = from.text(u"applied_by")};
}

void read(Members &from, MigrationEvent &event)
{
    event = {.id = from.text(u"id"),
             .at = from.time(u"at"),
             .version = from.number(u"version"),
             .line = from.text(u"line"),
             .event = from.text(u"event"),
             .step = from.number(u"step"),
             .actor = from.text(u"actor"),
             .host = from.text(u"host"),
             .toolVersion = from.text(u"tool_version"),
             .checksum = from.text(u"checksum"),
             .detail = from.text(u"detail")};
}

void read(Members &from, MigratedView &view)
{
    view = {.name = from.text(u"name"),
            .line = from.text(u"line"),
            .version = from.number(u"version"),
            .definition = from.text(u"definition"),
            .earlier = from.text(u"earlier"),
            .held = {}};
    const auto held = from.array(u"held");
    for (const auto &id : held)
        view.held.append(id.toInteger());
}

template <typename T>
bool readAll(const QJsonArray &array, QList<T> &out)
{
    for (const auto &value : array) {
        Members members(value);
        T one;
        read(members, one);
        if (!members.isWhole())
            return false;
        out.append(one);
    }
    return true;
}

std::optional<CachedHistory> fromJson(const QJsonObject &object)
{
    CachedHistory cached;
    Members root(object);
    const auto heads = root.array(u"heads");
    for (const auto &value : heads) {
        const auto head = headFromJson(value.toObject(), kWhat);
        if (!head)
            return std::nullopt;
        cached.heads.append(*head);
    }
    MigrationHistory &history = cached.history;
    const bool lists = readAll(root.array(u"records"), history.records) &&
                       readAll(root.array(u"open"), history.open) &&
                       readAll(root.array(u"views"), history.views);
    const auto last = object.value(u"last_event").toObject();
    for (auto it = last.begin(); it != last.end(); ++it)
        history.lastEvent.insert(it.key(),
                                 QDateTime::fromString(it.value().toString(), Qt::ISODateWithMs));
    const bool isOurs = root.number(u"version") == kVersion;
    return lists && isOurs && root.isWhole() ? std::optional(cached) : std::nullopt;
}

QJsonObject toJson(const CachedHistory &cached)
{
    QJsonArray heads;
    for (const auto &head : cached.heads)
        heads.append(headToJson(head));
    QJsonObject last;
    for (const auto &[line, at] : cached.history.lastEvent.asKeyValueRange())
        last.insert(line, timeText(at));
    return {{QStringLiteral("version"), kVersion},
            {QStringLiteral("heads"), heads},
            {QStringLiteral("records"), arrayOf(cached.history.records)},
            {QStringLiteral("open"), arrayOf(cached.history.open)},
            {QStringLiteral("views"), arrayOf(cached.history.views)},
            {QStringLiteral("last_event"), last}};
}

}  // namespace

std::optional<CachedHistory> readCache(const QString &path)
{
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const auto object = json::parseObject(file.readAll(), kWhat);
    return object ? fromJson(*object) : std::nullopt;
}

void writeCache(const QString &path, const CachedHistory &cached)
{
    QSaveFile file(path);
    const QByteArray bytes = json::compact(toJson(cached));
    const bool written =
        file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    if (!written)
        qCInfo(logStore, "%s cannot be written to %s: %s", qPrintable(kWhat), qPrintable(path),
               qPrintable(file.errorString()));
}

}  // namespace ivm::store_iceberg
