// Where migrations stand, for people and as JSON: `ivmctl migrate status`, the API.
//
// Pure; any thread. Lifetime: a status points into its folder.
#pragma once

#include "framework/migrate/history_state.h"

#include <QJsonArray>
#include <QJsonObject>

namespace ivm {

struct LineStatus {
    migrate::LineState state;
    QList<const migrate::Migration *> pending;
    QList<Error> drift;

    bool isAtHead() const { return pending.isEmpty() && drift.isEmpty() && !state.open(); }
};

LineStatus lineStatus(const migrate::MigrationFolder &folder, const MigrationHistory &history);

// Of the line's open run: "the upgrade of 0002 by ann failed: 1 of its steps is done: …", or "… is
// at work: …" while its lock is alive. Empty where there is none.
QString openRunText(const migrate::LineState &state);

// The document of `ivmctl migrate status --json`.
QJsonObject lineStatusJson(const migrate::MigrationFolder &folder, const LineStatus &status);
QJsonObject migrationEventJson(const MigrationEvent &event);
QJsonValue migrationLockJson(const std::optional<MigrationLock> &lock);

// All lines as the history has them, without the files: {"namespaces": [{"namespace", "current",
// "applied", "open", "lock", "views"}], "events": [the newest last]}. As HistoryStore.
Result<QJsonObject> migrationsJson(HistoryStore &store, const Call &call);

}  // namespace ivm
