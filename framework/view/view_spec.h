// A view as somebody wrote it down: the entry of views.yaml, checked for form but not for meaning.
//
// Plain data; any thread. Keys and defaults: share/schema/views.schema.json.
#pragma once

#include "framework/api/table.h"
#include "framework/base/error.h"

#include <QMap>
#include <QStringList>

#include <chrono>
#include <optional>

namespace ivm {

// Whether a view may fall back to being recomputed and diffed.
enum class Incremental { Auto, Required };

struct MaintenanceSpec {
    std::chrono::seconds interval{0};  // 0: never
    bool optimize = true;
    bool expireSnapshots = true;
    bool removeOrphanFiles = true;
    std::chrono::seconds expireSnapshotsRetention{std::chrono::days(7)};
    std::chrono::seconds removeOrphanFilesRetention{std::chrono::days(7)};
    QString optimizeFileSizeThreshold;  // empty: the engine's default

    bool operator==(const MaintenanceSpec &) const = default;
};

struct ViewSpec {
    QString name;
    QString query;  // as written, without trailing space
    // Where the query's first character stands in its file, and the indentation that every further
    // line has there; so a place in the query can be told as a place in the file. A query that is
    // not written as a block has queryIndent -1: only its start is known.
    Place queryPlace;
    int queryIndent = -1;

    TableName target;
    QList<PartitionField> targetPartitioning;
    QStringList sortedBy;
    QString format = QStringLiteral("PARQUET");
    std::chrono::milliseconds refreshInterval{60'000};
    std::optional<std::chrono::milliseconds> targetLag;
    std::optional<QString> fullRefreshChunk;  // a bucket unit: minute … year
    std::optional<std::chrono::milliseconds> queryTimeout;
    QStringList keys;
    Incremental incremental = Incremental::Auto;
    QMap<QString, QString> sessionProperties;
    QString comment;
    MaintenanceSpec maintenance;

    // The place in the spec's file of a line and column (from 1) in the query.
    Place placeInFile(int line, int column) const;
    // The other way round; none for a place outside of the query.
    Place placeInQuery(const Place &inFile) const;
    // SHA-256 in hex over all that decides the target's rows and shape (query, target, keys);
    // layout options are left out, and of the query what says nothing: spacing, comments, the
    // letter case of words.
    QString definitionHash() const;
};

}  // namespace ivm
