// An engine around a real one, whose statements meet what a test wants: their answers are lost,
// they lose against others, or go on after their owner is gone.
//
// One call at a time, as far as the fate is told.
#pragma once

#include "framework/api/executor.h"

#include <functional>

namespace ivm::test {

// What happens to the statements that begin with a word.
struct Fate {
    QString start;
    int times = 0;
    bool lands = false;  // before its answer is lost
    ErrorKind kind = ErrorKind::CommitUnknown;
    int met = 0;
    int statements = 0;  // all that were run
    // It lands when somebody asks for the second time whether it still runs.
    std::function<void()> later = {};
    int asked = 0;
    bool allowsProperties = true;  // of sessions
    QString atWork = {};           // the purpose of sessions that have a statement at work
};

class FatedSession final : public Session {
public:
    FatedSession(std::unique_ptr<Session> inner, Fate &fate)
        : m_inner(std::move(inner)), m_fate(fate)
    {
    }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        ++m_fate.statements;
        if (!sql.startsWith(m_fate.start) || m_fate.met == m_fate.times)
            return m_inner->run(sql, sink, call);
        ++m_fate.met;
        if (m_fate.lands && m_fate.later) {
            m_fate.later = [this, sql] { (void)execute(*m_inner, sql, {}); };
        } else if (m_fate.lands) {
            IVM_CHECK(m_inner->run(sql, sink, call));
        }
        const QString message = QStringLiteral("the answer was lost");
        if (m_fate.kind == ErrorKind::Timeout)
            return fail(timeoutError(message));
        return fail(m_fate.kind == ErrorKind::Conflict ? conflictError(message)
                                                       : commitUnknownError(message));
    }
    Result<QList<Column>> describe(const QString &sql, const Call &call) override
    {
        return m_inner->describe(sql, call);
    }
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override
    {
        return m_inner->tableInfo(name, call);
    }
    Status createTable(const TableSpec &spec, const Call &call) override
    {
        return m_inner->createTable(spec, call);
    }
    Status dropTable(const TableName &name, const Call &call) override
    {
        return m_inner->dropTable(name, call);
    }
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override
    {
        return m_inner->commit(change, intent, record, call);
    }
    Result<Settlement> settle(const Intent &intent, const Call &call) override
    {
        return m_inner->settle(intent, call);
    }

    Result<bool> isAtWork(const QString &purpose, const Call &) override
    {
        if (!m_fate.atWork.isEmpty())
            return purpose == m_fate.atWork;
        if (!m_fate.later || ++m_fate.asked < 2)
            return m_fate.later != nullptr;
        std::exchange(m_fate.later, {})();
        return false;
    }

private:
    std::unique_ptr<Session> m_inner;
    Fate &m_fate;
};

class FatedExecutor final : public Executor {
public:
    FatedExecutor(Executor &inner, Fate &fate) : m_inner(inner), m_fate(fate) {}

    bool can(Capability capability) const override { return m_inner.can(capability); }
    TableName defaults() const override { return m_inner.defaults(); }
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override
    {
        if (!options.properties.isEmpty() && !m_fate.allowsProperties)
            return fail(invalidError(QStringLiteral("session properties may not be set")));
        IVM_TRY(auto session, m_inner.openSession(options, call));
        return std::make_unique<FatedSession>(std::move(session), m_fate);
    }

private:
    Executor &m_inner;
    Fate &m_fate;
};

}  // namespace ivm::test
