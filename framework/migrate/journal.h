// Writes the events of one line's run.
//
// Threads: that of the run. Lifetime: of the run; the store and the clock outlive it.
#pragma once

#include "framework/api/history.h"
#include "framework/base/clock.h"

namespace ivm::migrate {

struct Actor {
    QString name;  // the user, as the system calls him
    QString host;
    QString toolVersion;
    QString owner;  // of the lock, for people: program, host, process
};

class Journal {
public:
    // `last` is the time of the line's last event: later ones follow it, whatever the clock says.
    Journal(HistoryStore &store, const Clock &clock, const Actor &actor, const QString &line,
            const QDateTime &last)
        : m_store(store), m_clock(clock), m_actor(actor), m_line(line), m_last(last)
    {
    }

    struct Entry {
        QStringView event;
        qint64 version = 0;
        qint64 step = 0;
        QString checksum = {};
        QString detail = {};
    };
    // Is written with the next write().
    void note(const Entry &entry);
    // In one statement; nothing where nothing was noted.
    Status write(const Call &call);

    QDateTime now();  // as an event would have it

private:
    HistoryStore &m_store;
    const Clock &m_clock;
    const Actor &m_actor;
    QString m_line;
    QDateTime m_last;
    QList<MigrationEvent> m_noted;
};

}  // namespace ivm::migrate
