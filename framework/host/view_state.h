// What is known of a view beside its definition: what `ivmctl views` and the API tell.
//
// Plain data; any thread. Lifetime: the definition outlives it.
#pragma once

#include "framework/api/store.h"
#include "framework/host/definitions.h"

#include <QJsonObject>

namespace ivm {

struct ViewState {
    const Definition *definition = nullptr;
    std::optional<Bookmark> bookmark;
    QList<RefreshRecord> records;  // newest first
    bool isUnderWay = false;       // somebody refreshes it

    QString status() const;  // "pending", "idle", "refreshing", "error", "refused"
    QString error() const;   // why; empty where nothing is wrong
    const RefreshRecord *lastSuccess() const;
    QStringList sources() const;
};

// Without a store nothing is known. As the store.
Result<ViewState> viewStateOf(const Definition &definition, StateStore *store);

// One of the list of `ivmctl views --json`.
QJsonObject viewJson(const ViewState &state, const QDateTime &now);

// RFC 3339 in UTC, as everything that is told to programs.
QString timeText(const QDateTime &time);

}  // namespace ivm
