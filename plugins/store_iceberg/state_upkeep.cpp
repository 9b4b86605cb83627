// Few files, few snapshots, few records: every write leaves a snapshot and up to two files, which
// cost whoever opens the table.
#include "framework/base/log.h"
#include "plugins/store_iceberg/iceberg_state.h"

#include <random>

namespace ivm::store_iceberg {

namespace {

constexpr int kTidiesBetweenTrims = 4;

// Trino keeps snapshots and files for days, unless the session asks for less.
SessionOptions optionsFor(const QString &catalog)
{
    SessionOptions options;
    options.purpose = QStringLiteral("state of the views: upkeep");
    for (const auto *name : {"expire_snapshots_min_retention", "remove_orphan_files_min_retention"})
        options.properties.insert(catalog + u'.' + QString::fromLatin1(name), QStringLiteral("0s"));
    return options;
}

}  // namespace

int IcebergState::anyOf(int count)
{
    std::random_device device;
    return std::uniform_int_distribution<int>(0, count - 1)(device);
}

bool IcebergState::isDue()
{
    if (++m_writes < kWritesBetween || m_isTidying.exchange(true))
        return false;
    m_writes = 0;
    return true;
}

void IcebergState::wrote()
{
    if (!isDue())
        return;
    tidy();
    m_isTidying = false;
}

// For whoever must not be kept waiting: a host that is idle does nothing but renew its lease.
void IcebergState::wroteAside()
{
    if (!isDue())
        return;
    const std::scoped_lock lock(m_mutex);
    m_aside = std::jthread([this](const std::stop_token &stop) {
        tidy(stop);
        m_isTidying = false;
    });
}

void IcebergState::tidy(const std::stop_token &stop)
{
    const Call call = Call{stop, {}}.within(std::chrono::minutes(5));
    const auto session = m_access.session(optionsFor(m_tables.views.catalog), call);
    if (!session || !m_access.tidy(**session, m_options.upkeep, call))
        return tidyAsAllowed(call);
    const int round = ++m_tidied;
    if (round % kTidiesBetweenTrims == 0)
        m_access.tidyBy(**session, trimRecordsSql(m_tables), call);
    // Metadata files that the tables' logs do not name any more.
    if (round % kTidiesBetween == 0) {
        for (const auto &table : {m_tables.views, m_tables.leases, m_tables.records})
            m_access.tidyBy(**session,
                            QStringLiteral("ALTER TABLE %1 EXECUTE "
                                           "remove_orphan_files(retention_threshold => '1h')")
                                .arg(table.quoted()),
                            call);
    }
}

// Where a session may not lower what Trino keeps.
void IcebergState::tidyAsAllowed(const Call &call)
{
    const auto session = this->session(call);
    if (!session)
        return;
    Upkeep upkeep = m_options.upkeep;
    upkeep.kept = std::chrono::days(7);
    m_access.tidy(**session, upkeep, call);
    m_access.tidyBy(**session, trimRecordsSql(m_tables), call);
}

}  // namespace ivm::store_iceberg
