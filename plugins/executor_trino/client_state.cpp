#include "plugins/executor_trino/client_state.h"

#include "plugins/trino_sql/at_work.h"

#include <QUuid>

namespace ivm::trino {

using std::chrono::milliseconds;

namespace {

constexpr auto kRunTime = "query_max_run_time";

QByteArray joined(const QMap<QByteArray, QByteArray> &pairs)
{
    QByteArrayList parts;
    for (const auto &[name, value] : pairs.asKeyValueRange())
        parts.append(QByteArray(name + '=' + value));
    return parts.join(',');
}

std::pair<QByteArray, QByteArray> split(const QByteArray &assignment)
{
    const qsizetype at = assignment.indexOf('=');
    return {assignment.first(at < 0 ? assignment.size() : at).trimmed(),
            at < 0 ? QByteArray() : assignment.sliced(at + 1).trimmed()};
}

// A header that came several times is one list, comma or newline between.
QByteArrayList valuesOf(const QByteArray &header)
{
    QByteArray list = header;
    list.replace('\n', ',');
    QByteArrayList values;
    for (const auto &part : list.split(',')) {
        if (!part.trimmed().isEmpty())
            values.append(part.trimmed());
    }
    return values;
}

void insertAll(QMap<QByteArray, QByteArray> &pairs, const QByteArray &header)
{
    for (const auto &assignment : valuesOf(header)) {
        const auto [name, value] = split(assignment);
        pairs.insert(name, value);
    }
}

void removeAll(QMap<QByteArray, QByteArray> &pairs, const QByteArray &header)
{
    for (const auto &name : valuesOf(header))
        pairs.remove(name);
}

}  // namespace

std::optional<milliseconds> parseTrinoDuration(const QByteArray &text)
{
    static const QMap<QByteArray, double> units{{"ns", 1e-6},     {"us", 1e-3},  {"ms", 1},
                                                {"s", 1000},      {"m", 60'000}, {"h", 3'600'000},
                                                {"d", 86'400'000}};
    qsizetype end = 0;
    while (end < text.size() && (QChar::isDigit(uint(text[end])) || text[end] == '.'))
        ++end;
    bool isNumber = false;
    const double value = text.first(end).toDouble(&isNumber);
    const auto unit = units.constFind(text.sliced(end).trimmed());
    if (!isNumber || unit == units.cend())
        return {};
    constexpr double longest = 1e15;
    return milliseconds(qint64(qMin(value * *unit, longest)));
}

ClientState::ClientState(const TrinoOptions &options, const SessionOptions &session)
    : m_user(options.user.toUtf8()), m_source(options.source.toUtf8()),
      m_tags(options.clientTags.join(u',').toUtf8()),
      m_info(session.purpose.isEmpty() ? QByteArray("iceberg-ivm")
                                       : "iceberg-ivm: " + purposeLine(session.purpose).toUtf8()),
      m_traceToken("ivm-" + QUuid::createUuid().toByteArray(QUuid::Id128)),
      m_catalog(options.catalog.toUtf8()), m_schema(options.schema.toUtf8())
{
    for (const auto *properties : {&options.sessionProperties, &session.properties}) {
        for (const auto &[name, value] : properties->asKeyValueRange())
            m_properties.insert(name.toUtf8(), QUrl::toPercentEncoding(value));
    }
    for (const auto &[catalog, role] : options.roles.asKeyValueRange())
        m_roles.insert(catalog.toUtf8(), QUrl::toPercentEncoding(role));
}

HttpHeaders ClientState::common() const
{
    return {{"User-Agent", "iceberg-ivm"}, {"X-Trino-User", m_user}};
}

// The shorter of what the user set and of what is left.
QByteArray ClientState::properties(const Call &call) const
{
    if (!call.deadline)
        return joined(m_properties);
    const auto left = qMax(milliseconds(1), call.remaining(std::chrono::hours(24 * 365)));
    auto all = m_properties;
    const auto asked = parseTrinoDuration(QByteArray::fromPercentEncoding(all.value(kRunTime)));
    if (!asked || left < *asked)
        all.insert(kRunTime, QByteArray::number(qint64(left.count())) + "ms");
    return joined(all);
}

HttpHeaders ClientState::ofStatement(const Call &call) const
{
    HttpHeaders headers;
    const auto add = [&headers](const char *name, const QByteArray &value) {
        if (!value.isEmpty())
            headers.append({name, value});
    };
    add("User-Agent", "iceberg-ivm");
    add("X-Trino-User", m_authorizationUser.isEmpty() ? m_user : m_authorizationUser);
    add("X-Trino-Original-User", m_authorizationUser.isEmpty() ? QByteArray() : m_user);
    add("Content-Type", "text/plain; charset=utf-8");
    add("X-Trino-Source", m_source);
    add("X-Trino-Catalog", m_catalog);
    add("X-Trino-Schema", m_schema);
    add("X-Trino-Path", m_path);
    add("X-Trino-Time-Zone", "UTC");
    add("X-Trino-Language", "en-US");
    add("X-Trino-Client-Info", m_info);
    add("X-Trino-Trace-Token", m_traceToken);
    add("X-Trino-Client-Tags", m_tags);
    // Without this, times and timestamps come cut to milliseconds. No encoding of spooled results
    // is named, so that none are.
    add("X-Trino-Client-Capabilities", "PATH,PARAMETRIC_DATETIME,SESSION_AUTHORIZATION");
    add("X-Trino-Session", properties(call));
    add("X-Trino-Prepared-Statement", joined(m_prepared));
    add("X-Trino-Role", joined(m_roles));
    return headers;
}

Status ClientState::setProperty(const QByteArray &assignment)
{
    const auto [name, value] = split(assignment);
    if (name == "time_zone_id")
        return fail(timeZoneIsSet());
    m_properties.insert(name, value);
    return {};
}

Status ClientState::remember(const HttpHeaders &headers)
{
    for (const auto &[rawName, value] : headers) {
        const QByteArray name = rawName.toLower();
        if (!name.startsWith("x-trino-"))
            continue;
        if (name == "x-trino-set-catalog")
            m_catalog = value;
        else if (name == "x-trino-set-schema")
            m_schema = value;
        else if (name == "x-trino-set-path")
            m_path = value;
        else if (name == "x-trino-set-authorization-user")
            m_authorizationUser = value;
        else if (name == "x-trino-reset-authorization-user")
            m_authorizationUser.clear();
        else if (name == "x-trino-set-session") {
            for (const auto &assignment : valuesOf(value))
                IVM_CHECK(setProperty(assignment));
        } else if (name == "x-trino-clear-session")
            removeAll(m_properties, value);
        else if (name == "x-trino-set-role")
            insertAll(m_roles, value);
        else if (name == "x-trino-added-prepare")
            insertAll(m_prepared, value);
        else if (name == "x-trino-deallocated-prepare")
            removeAll(m_prepared, value);
    }
    return {};
}

}  // namespace ivm::trino
