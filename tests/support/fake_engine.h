// An engine and a detector that say what a test told them to, and write down what they were asked.
//
// They know no SQL: tests of plans, intents and outcomes need none, and get faults that no real
// engine can be made to show. One thread only.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/plugin.h"
#include "tests/support/views.h"

#include <deque>

namespace ivm::test {

// What stands in for the outside world; the fakes below are views of it.
struct FakeWorld {
    QMap<TableName, TableHead> heads;
    QMap<TableName, TableChanges> changes;  // of a table, whatever the ends
    QList<Column> described;                // the columns of every query
    QMap<TableName, TableInfo> tables;
    QSet<Capability> capabilities;
    // What the next commits do; without one, a commit lands and moves the target's head on.
    std::deque<
        std::function<Result<CommitResult>(const Change &, const Intent &, const IntentRecorder &)>>
        commits;
    Settlement settlement = NotLanded{};
    QMap<QString, Rows> answers;  // by the beginning of the query

    QStringList log;  // "heads 2", "changes t", "describe", "commit v", …
    QList<Change> committed;
    QList<Intent> intents;
    int nextSnapshot = 100;

    TableHead moveOn(const TableName &table)
    {
        TableHead &head = heads[table];
        if (head.tableId.isEmpty())
            head.tableId = table.table + QStringLiteral("-id");
        head.snapshot = ++nextSnapshot;
        head.token = QStringLiteral("%1-%2").arg(table.table).arg(*head.snapshot);
        tables[table].head = head;
        return head;
    }
};

class FakeSession final : public Session {
public:
    explicit FakeSession(FakeWorld &world) : m_world(world) {}

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        IVM_CHECK(call.check(u"the query"));
        m_world.log.append(QStringLiteral("run"));
        for (const auto &[start, rows] : m_world.answers.asKeyValueRange()) {
            if (!sql.startsWith(start))
                continue;
            IVM_CHECK(sink.columns(rows.columns));
            for (const auto &row : rows.rows)
                IVM_CHECK(sink.row(Row(row)));
            return StatementResult{};
        }
        return fail(invalidError(QStringLiteral("no answer was set for: %1").arg(sql)));
    }
    Result<QList<Column>> describe(const QString &, const Call &) override
    {
        m_world.log.append(QStringLiteral("describe"));
        return m_world.described;
    }
    Result<TableInfo> tableInfo(const TableName &name, const Call &) override
    {
        m_world.log.append(QStringLiteral("info %1").arg(name.table));
        if (!m_world.tables.contains(name))
            return fail(notFoundError(QStringLiteral("table %1 does not exist").arg(name.text())));
        return m_world.tables[name];
    }
    Status createTable(const TableSpec &spec, const Call &) override
    {
        m_world.log.append(QStringLiteral("create %1").arg(spec.name.table));
        TableInfo info{.name = spec.name,
                       .columns = spec.columns,
                       .partitioning = {},
                       .sortedBy = {},
                       .head = {},
                       .headSummary = {}};
        info.head.tableId = spec.name.table + QStringLiteral("-id");
        info.head.token = spec.name.table + QStringLiteral("-new");
        m_world.tables.insert(spec.name, info);
        m_world.heads.insert(spec.name, info.head);
        return {};
    }
    Status dropTable(const TableName &name, const Call &) override
    {
        m_world.tables.remove(name);
        m_world.heads.remove(name);
        return {};
    }
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override
    {
        IVM_CHECK(call.check(u"the commit"));
        m_world.log.append(QStringLiteral("commit %1").arg(intent.view));
        m_world.committed.append(change);
        m_world.intents.append(intent);
        if (!m_world.commits.empty()) {
            const auto next = m_world.commits.front();
            m_world.commits.pop_front();
            return next(change, intent, record);
        }
        return CommitResult{
            .target = m_world.moveOn(intent.target), .committed = true, .rowsWritten = 1};
    }
    Result<Settlement> settle(const Intent &intent, const Call &) override
    {
        m_world.log.append(QStringLiteral("settle %1").arg(intent.view));
        return m_world.settlement;
    }

private:
    FakeWorld &m_world;
};

class FakeExecutor final : public Executor {
public:
    explicit FakeExecutor(FakeWorld &world) : m_world(world) {}

    bool can(Capability capability) const override
    {
        return m_world.capabilities.contains(capability);
    }
    TableName defaults() const override { return kDefaults; }
    Result<std::unique_ptr<Session>> openSession(const Call &) override
    {
        m_world.log.append(QStringLiteral("open"));
        return std::unique_ptr<Session>(new FakeSession(m_world));
    }

private:
    FakeWorld &m_world;
};

class FakeDetector final : public Detector {
public:
    explicit FakeDetector(FakeWorld &world) : m_world(world) {}

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &) override
    {
        m_world.log.append(QStringLiteral("heads %1").arg(requests.size()));
        QList<Result<TableHead>> answers;
        for (const auto &request : requests) {
            if (const auto head = m_world.heads.constFind(request.table);
                head != m_world.heads.cend())
                answers.append(*head);
            else
                answers.append(fail(notFoundError(
                    QStringLiteral("table %1 does not exist").arg(request.table.text()))));
        }
        return answers;
    }
    Result<TableChanges> changes(const ChangesRequest &request, const Call &) override
    {
        m_world.log.append(QStringLiteral("changes %1").arg(request.table.table));
        TableChanges changes = m_world.changes.value(request.table);
        if (request.from == request.to)
            changes.files.clear();
        return changes;
    }

private:
    FakeWorld &m_world;
};

}  // namespace ivm::test
