#include "framework/migrate/journal.h"

#include <QUuid>

#include <algorithm>

namespace ivm::migrate {

QDateTime Journal::now()
{
    QDateTime now = m_clock.now();
    // QDateTime counts milliseconds, and so does the order of events.
    if (m_last.isValid() && now <= m_last)
        now = m_last.addMSecs(1);
    m_last = now;
    return now;
}

void Journal::note(const Entry &entry)
{
    m_noted.append({.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                    .at = now(),
                    .version = entry.version,
                    .line = m_line,
                    .event = entry.event.toString(),
                    .step = entry.step,
                    .actor = m_actor.name,
                    .host = m_actor.host,
                    .toolVersion = m_actor.toolVersion,
                    .checksum = entry.checksum,
                    .detail = entry.detail});
}

Status Journal::write(const Call &call)
{
    if (m_noted.isEmpty())
        return {};
    IVM_CHECK(m_store.append(m_noted, call));
    m_noted.clear();
    return {};
}

}  // namespace ivm::migrate
