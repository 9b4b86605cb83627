// A random history of one source table under several views: everything that people do to a table,
// in any order, and after each refresh the question whether every view still equals its query.
//
// A history follows from its seed alone, so that one that fails is told by its seed and plays
// again.
#pragma once

#include "framework/refresh/refresh.h"
#include "framework/refresh/verify.h"

#include <random>

namespace ivm::test {

struct HistoryResult {
    int refreshes = 0;  // of one view each, those with nothing to do included
    QMap<QString, int> actions;
    QString failure;  // empty when all went well; else the seed, the step and the difference
};

class History {
public:
    // Uses the schema that `services` resolves bare names in; every table's name begins with
    // `prefix`.
    History(RefreshServices services, TableName defaults, QString prefix, quint32 seed);

    HistoryResult play(int steps);

private:
    Status createSource();
    Status changeSource();
    Status changeTarget();
    Status refreshAndCompare();
    Status compare(const View &view);
    Status loseTheStore();

    Status run(const QString &sql);
    Result<std::optional<SnapshotId>> head(const TableName &table);
    QString values(int rows, const QString &base);
    QString instant(int dayRange, QStringView zone = {});
    int pick(int most);

    RefreshServices m_services;
    TableName m_defaults;
    TableName m_source;
    QList<View> m_views;
    std::mt19937 m_random;
    quint32 m_seed;
    std::unique_ptr<Session> m_session;
    QList<SnapshotId> m_snapshots;  // of the source as it is now, to roll back to
    int m_nextValue = 0;
    QStringList m_log;
    HistoryResult m_result;
};

}  // namespace ivm::test
