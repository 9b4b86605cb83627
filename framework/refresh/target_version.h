// How a view's target stands: what is needed to bring it back after another definition has taken
// its place.
//
// Plain data; any thread.
#pragma once

#include "framework/refresh/refresh.h"

namespace ivm {

struct TargetVersion {
    TableSpec table;                   // its columns have their field ids
    TableHead head;                    // empty: there was no table
    std::optional<Bookmark> bookmark;  // what was known of its rows

    bool exists() const { return !head.tableId.isEmpty(); }

    QByteArray toJson() const;  // compact, stable
    // Corrupt, naming `what`, when the bytes are not a version.
    static Result<TargetVersion> fromJson(const QByteArray &bytes, QStringView what);
};

// How the view's target stands now. As the engine, the detector and the store.
Result<TargetVersion> versionNow(RefreshServices &services, const View &view, Session &session,
                                 const Call &call);

// Whether two tables take the same rows and are read the same: columns by name, type and order,
// partitioning, sort order, comment. Not the format of their files, which views cannot choose.
bool sameLayout(const TableSpec &left, const TableSpec &right);

// The version's columns in its snapshot; it has one.
QString rowsOf(const TargetVersion &version);

}  // namespace ivm
