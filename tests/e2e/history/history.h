// A random history of one source table under several views: everything that people do to a table,
// in any order and with any writer, and after each refresh the question whether every view still
// equals its query.
//
// A history follows from its seed alone, so that one that fails is told by its seed and plays
// again.
#pragma once

#include "framework/refresh/refresh.h"
#include "framework/refresh/verify.h"
#include "tests/e2e/history/source_table.h"

namespace ivm::test {

// Somebody who changes tables: the engine that keeps the views, or another program on the same
// catalog.
struct Writer {
    QString name;
    QString catalog;                                // what it calls the catalog
    std::function<bool(const QString &sql)> takes;  // whether it can do such a change
    std::function<Status(const QString &table, const QString &sql)> run;
};

struct HistoryResult {
    int refreshes = 0;  // of one view each, those with nothing to do included
    QMap<QString, int> actions;
    QString failure;  // empty when all went well; else the seed, the step and the difference
};

struct HistorySetting {
    RefreshServices services;
    TableName defaults;    // the schema that `services` resolves bare names in
    QList<Writer> others;  // besides the engine itself
    FormatV1 formatV1 = FormatV1::Never;
    bool writesV1 = false;  // the engine itself; else the first of the others does
};

class History {
public:
    // Every table's name begins with `prefix`.
    History(HistorySetting setting, const QString &prefix, quint32 seed);

    HistoryResult play(int steps);

private:
    Status changeSource();
    Status changeTarget();
    Status refreshAndCompare();
    Status staysQuiet();
    Result<QList<RefreshOutcome>> refresh();
    Status compare(const View &view);
    Status loseTheStore();

    Status run(const QString &sql);
    Status runOnSource(const QStringList &statements);

    HistorySetting m_setting;
    quint32 m_seed;
    Dice m_dice;
    SourceTable m_table;
    TableName m_source;
    QList<View> m_views;
    std::unique_ptr<Session> m_session;
    QStringList m_log;
    HistoryResult m_result;
};

}  // namespace ivm::test
