// What the statements of both stores have in common: the tables are made by the first that writes,
// and one that lost against another writer is written again.
//
// Threads: any; a session as its own rules. Lifetime: until the process ends.
#pragma once

#include "framework/api/plugin.h"
#include "plugins/store_iceberg/together.h"

#include <QMap>

namespace ivm::store_iceberg {

// Those that lost against one another come back at different times.
void pause(int attempt, const Call &call);

// Lost against another writer; or it is not known whether it did.
bool isLost(const Error &error);

// How a statement that writes ended.
struct Written {
    qint64 rows = 0;
    bool again = false;  // an earlier try of it may have landed, too
};

// When tidy() does something.
struct Upkeep {
    int mostFiles = 0;             // of a table, beside two for each of its partitions
    int mostSnapshots = 0;         // that are older than `kept`
    std::chrono::seconds kept{0};  // younger snapshots stay
};

class TableAccess {
public:
    static constexpr int kMostTries = 20;

    // `what` is what the tables hold, for people: "history of migrations". Those that are made get
    // the extra properties, where the engine takes them. No I/O.
    TableAccess(QString what, QList<TableSpec> tables, ExecutorProvider executor,
                QMap<QString, QString> properties = {});

    Result<std::unique_ptr<Session>> session(const SessionOptions &options, const Call &call) const;
    // Nothing where there is no such table.
    Result<Rows> read(Session &session, const QString &sql, const Call &call) const;
    // The rows of each part, by one statement where all their tables are there.
    Result<QList<Rows>> readTogether(Session &session, const QList<Part> &parts,
                                     const Call &call) const;
    // Makes the tables where they are missing.
    Result<StatementResult> writeOnce(Session &session, const QString &sql, const Call &call) const;
    // Of a statement that may be run twice.
    Result<Written> write(Session &session, const QString &sql, const Call &call) const;
    // As write(), of one that takes away: where there is no table, nothing is made.
    Result<Written> remove(Session &session, const QString &sql, const Call &call) const;
    // Compacts tables of many files and expires their old snapshots. Nothing depends on it: the
    // next one tries again. False where not even a look was possible.
    bool tidy(Session &session, const Upkeep &upkeep, const Call &call) const;
    // By one statement, where the engine has it.
    void tidyBy(Session &session, const QString &sql, const Call &call) const;

    Error neverEnds(const Error &error) const;

private:
    using Once = Result<StatementResult> (TableAccess::*)(Session &, const QString &,
                                                          const Call &) const;

    Status makeTable(Session &session, const TableSpec &spec, const Call &call) const;
    void setProperties(Session &session, const TableName &table, const Call &call) const;
    Result<StatementResult> removeOnce(Session &session, const QString &sql,
                                       const Call &call) const;
    Result<Written> untilKnown(Once once, Session &session, const QString &sql,
                               const Call &call) const;
    QString upkeepSql(const Upkeep &upkeep) const;
    void notTidied(const Error &error) const;

    const QString m_what;
    const QList<TableSpec> m_tables;
    const ExecutorProvider m_executor;
    const QMap<QString, QString> m_properties;
};

}  // namespace ivm::store_iceberg
