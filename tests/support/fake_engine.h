// An engine and a detector that say what a test told them to, and write down what they were asked.
//
// They know no SQL: tests of plans, intents and outcomes need none, and get faults that no real
// engine can be made to show. They pass the conformance suites of the real ones as far as those ask
// nothing of rows. One call at a time.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/plugin.h"
#include "tests/support/views.h"

#include <deque>

namespace ivm::test {

// What stands in for the outside world; the fakes below are views of it.
struct FakeWorld {
    QMap<TableName, TableHead> heads;
    QMap<TableName, TableChanges> changes;     // of a table, whatever the ends
    QMap<TableName, QList<FileChange>> files;  // the live ones of a table
    QMap<TableName, FileTotals> live;          // their totals, whatever is asked
    QList<Column> described;                   // the columns of every query
    QMap<TableName, TableInfo> tables;
    QSet<Capability> capabilities;
    // What the next commits do; without one, a commit lands and moves the target's head on.
    std::deque<
        std::function<Result<CommitResult>(const Change &, const Intent &, const IntentRecorder &)>>
        commits;
    // Of every intent; without one, whether its commit landed here.
    std::optional<Settlement> settlement;
    QMap<QString, Landed> landed;   // by the intent's id
    QMap<QString, Rows> answers;    // by the beginning of the query
    QMap<QString, Error> refusals;  // the same

    QMap<TableName, int> timesMade;

    QString atWork;  // the purpose of the sessions that have a statement at work

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

    // None: no answer was set.
    std::optional<Result<Rows>> answerTo(const QString &sql) const
    {
        for (const auto &[start, refusal] : refusals.asKeyValueRange()) {
            if (sql.startsWith(start))
                return fail(refusal);
        }
        for (const auto &[start, answer] : answers.asKeyValueRange()) {
            if (sql.startsWith(start))
                return answer;
        }
        return {};
    }
};

class FakeSession final : public Session {
public:
    explicit FakeSession(FakeWorld &world) : m_world(world) {}

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        IVM_CHECK(call.check(u"the query"));
        m_world.log.append(QStringLiteral("run"));
        const auto answer = m_world.answerTo(sql);
        if (!answer)
            return fail(invalidError(QStringLiteral("no answer was set for: %1").arg(sql)));
        IVM_TRY(const Rows rows, *answer);
        IVM_CHECK(sink.columns(rows.columns));
        for (const auto &row : rows.rows)
            IVM_CHECK(sink.row(Row(row)));
        return StatementResult{};
    }
    Result<QList<Column>> describe(const QString &sql, const Call &call) override
    {
        IVM_CHECK(call.check(u"describing"));
        m_world.log.append(QStringLiteral("describe"));
        const auto answer = m_world.answerTo(sql);
        if (!answer || (*answer && (*answer)->columns.isEmpty()))
            return m_world.described;
        IVM_TRY(const Rows rows, *answer);
        return rows.columns;
    }
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override
    {
        IVM_CHECK(call.check(u"looking at a table"));
        m_world.log.append(QStringLiteral("info %1").arg(name.table));
        if (!m_world.tables.contains(name))
            return fail(notFoundError(QStringLiteral("table %1 does not exist").arg(name.text())));
        return m_world.tables[name];
    }
    Status createTable(const TableSpec &spec, const Call &call) override
    {
        IVM_CHECK(call.check(u"making a table"));
        m_world.log.append(QStringLiteral("create %1").arg(spec.name.table));
        if (m_world.tables.contains(spec.name))
            return fail(
                alreadyExistsError(QStringLiteral("table %1 exists").arg(spec.name.text())));
        TableInfo info{.name = spec.name,
                       .columns = spec.columns,
                       .partitioning = spec.partitioning,
                       .sortedBy = spec.sortedBy,
                       .head = {},
                       .headSummary = {},
                       .comment = spec.comment};
        const QString times = QString(m_world.timesMade[spec.name]++, u'\'');
        info.head.tableId = spec.name.table + QStringLiteral("-id") + times;
        info.head.token = spec.name.table + QStringLiteral("-new") + times;
        m_world.tables.insert(spec.name, info);
        m_world.heads.insert(spec.name, info.head);
        return {};
    }
    Status dropTable(const TableName &name, const Call &call) override
    {
        IVM_CHECK(call.check(u"dropping a table"));
        if (m_world.tables.remove(name) == 0)
            return fail(notFoundError(QStringLiteral("table %1 does not exist").arg(name.text())));
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
        return land(change, intent, record);
    }
    Result<Settlement> settle(const Intent &intent, const Call &call) override
    {
        IVM_CHECK(call.check(u"settling"));
        m_world.log.append(QStringLiteral("settle %1").arg(intent.view));
        if (m_world.settlement)
            return *m_world.settlement;
        const auto landed = m_world.landed.constFind(intent.id);
        if (landed == m_world.landed.cend() || !m_world.tables.contains(intent.target))
            return NotLanded{};
        return *landed;
    }
    Result<bool> isAtWork(const QString &purpose, const Call &call) override
    {
        IVM_CHECK(call.check(u"looking at statements"));
        return purpose == m_world.atWork;
    }

private:
    Result<CommitResult> land(const Change &change, const Intent &intent,
                              const IntentRecorder &record)
    {
        if (const auto answer = m_world.answerTo(replacementOf(change).query); answer && !*answer)
            return fail(answer->error());
        if (m_world.capabilities.contains(Capability::QueryIdBeforeStart))
            IVM_CHECK(record(QStringLiteral("q-") + intent.id));
        const TableHead &head = m_world.heads[intent.target];
        if (head.tableId != intent.targetHead.tableId || head.token != intent.targetHead.token)
            return fail(
                conflictError(QStringLiteral("target %1 is elsewhere").arg(intent.target.text())));
        const TableHead moved = m_world.moveOn(intent.target);
        if (m_world.capabilities.contains(Capability::AtomicSummary))
            m_world.tables[intent.target].headSummary = intent.summary;
        m_world.landed.insert(intent.id, {moved, intent.summary});
        return CommitResult{.target = moved, .committed = true, .rowsWritten = 1};
    }

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
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &, const Call &call) override
    {
        IVM_CHECK(call.check(u"opening a session"));
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
                                           const Call &call) override
    {
        IVM_CHECK(call.check(u"looking at the heads"));
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
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override
    {
        IVM_CHECK(call.check(u"looking at the changes"));
        m_world.log.append(QStringLiteral("changes %1").arg(request.table.table));
        TableChanges changes = m_world.changes.value(request.table);
        if (request.from == request.to)
            changes.files.clear();
        if (request.from.tableId != request.to.tableId)
            changes.unmeasurable = QStringLiteral("the table was made again");
        QList<Column> asked;
        for (const auto &name : request.columns) {
            for (const auto &column : std::as_const(changes.columns)) {
                if (column.name == name)
                    asked.append(column);
            }
        }
        changes.columns = asked;
        changes.pinnable = changes.pinnable && asked.size() == request.columns.size();
        return changes;
    }
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override
    {
        IVM_CHECK(call.check(u"looking at the files"));
        m_world.log.append(QStringLiteral("files %1").arg(request.table.table));
        if (m_world.live.contains(request.table))
            return m_world.live[request.table];
        FileTotals totals;
        const QList<FileChange> files = m_world.files.value(request.table);
        for (const auto &file : files) {
            const bool isMeant = std::ranges::any_of(
                request.within, [&](const auto &bounds) { return mayHold(file.bounds, bounds); });
            if (isMeant)
                totals.add(file);
        }
        return totals;
    }

private:
    FakeWorld &m_world;
};

}  // namespace ivm::test
