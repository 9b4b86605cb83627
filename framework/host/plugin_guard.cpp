#include "framework/host/plugin_guard.h"

namespace ivm {

namespace {

// Where an exception leaves it open whether a statement has changed anything.
Error unknownOutcome(const Error &error)
{
    return commitUnknownError(
               QStringLiteral("the outcome of the statement is not known: %1").arg(error.message))
        .withHint(u"Look at the table before running it again");
}

// Who reads a row looks at its cells by the columns that were named.
Error ragged(const Row &row, qsizetype width)
{
    return internalError(QStringLiteral("it gave a row of %1 values for %2 columns")
                             .arg(QString::number(row.size()), QString::number(width)));
}

bool onlyReads(const QString &sql)
{
    const QString start = sql.trimmed().left(10).toUpper();
    for (const auto word : {u"SELECT ", u"SELECT\n", u"SHOW ", u"VALUES ", u"DESCRIBE "}) {
        if (start.startsWith(QStringView(word)))
            return true;
    }
    return false;
}

class Guard {
public:
    explicit Guard(const QString &plugin) : m_plugin(plugin) {}

    template <typename Run>
    auto operator()(Run run) const
    {
        return guarded(std::move(run),
                       [this](const QString &what) { return named(pluginException(what)); });
    }

    // As above, of a call that may have changed something all the same.
    template <typename Run>
    auto writing(Run run) const
    {
        return guarded(std::move(run), [this](const QString &what) {
            return unknownOutcome(named(pluginException(what)));
        });
    }

    // Of a call that has no error to give.
    template <typename Run>
    auto orElse(decltype(std::declval<Run>()()) otherwise, Run run) const noexcept
    {
        try {
            return run();
        } catch (...) {
            return otherwise;
        }
    }

    Error named(Error error) const
    {
        return std::move(error).during(QStringLiteral("plugin %1").arg(m_plugin));
    }

private:
    const QString m_plugin;
};

class GuardedSession final : public Session {
public:
    GuardedSession(std::unique_ptr<Session> session, const Guard &guard)
        : m_session(std::move(session)), m_guard(guard)
    {
    }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        qsizetype width = 0;
        RowSink checked{.columns =
                            [&](const QList<Column> &columns) {
                                width = columns.size();
                                return sink.columns(columns);
                            },
                        .row = [&](Row &&row) -> Status {
                            if (qsizetype(row.size()) != width)
                                return fail(m_guard.named(ragged(row, width)));
                            return sink.row(std::move(row));
                        }};
        const auto running = [&] { return m_session->run(sql, checked, call); };
        return onlyReads(sql) ? m_guard(running) : m_guard.writing(running);
    }
    Result<QList<Column>> describe(const QString &sql, const Call &call) override
    {
        return m_guard([&] { return m_session->describe(sql, call); });
    }
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override
    {
        return m_guard([&] { return m_session->tableInfo(name, call); });
    }
    Status createTable(const TableSpec &spec, const Call &call) override
    {
        return m_guard([&] { return m_session->createTable(spec, call); });
    }
    Status dropTable(const TableName &name, const Call &call) override
    {
        return m_guard([&] { return m_session->dropTable(name, call); });
    }
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override
    {
        return m_guard.writing([&] { return m_session->commit(change, intent, record, call); });
    }
    Result<QList<Error>> missingPrivileges(const Replacement &view, const QList<TableName> &sources,
                                           const Call &call) override
    {
        return m_guard([&] { return m_session->missingPrivileges(view, sources, call); });
    }
    Result<Settlement> settle(const Intent &intent, const Call &call) override
    {
        return m_guard([&] { return m_session->settle(intent, call); });
    }
    Result<bool> isAtWork(const QString &purpose, const Call &call) override
    {
        return m_guard([&] { return m_session->isAtWork(purpose, call); });
    }

private:
    const std::unique_ptr<Session> m_session;
    const Guard m_guard;
};

class GuardedExecutor final : public Executor {
public:
    GuardedExecutor(std::unique_ptr<Executor> executor, const QString &plugin)
        : m_executor(std::move(executor)), m_guard(plugin)
    {
    }

    bool can(Capability capability) const override
    {
        return m_guard.orElse(false, [&] { return m_executor->can(capability); });
    }
    TableName defaults() const override
    {
        return m_guard.orElse(TableName(), [&] { return m_executor->defaults(); });
    }
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override
    {
        IVM_TRY(auto session, m_guard([&] { return m_executor->openSession(options, call); }));
        if (!session)
            return fail(m_guard.named(internalError(QStringLiteral("it opened no session"))));
        return std::make_unique<GuardedSession>(std::move(session), m_guard);
    }
    QString statementUri(const QString &statementId) const override
    {
        return m_guard.orElse(QString(), [&] { return m_executor->statementUri(statementId); });
    }

private:
    const std::unique_ptr<Executor> m_executor;
    const Guard m_guard;
};

class GuardedDetector final : public Detector {
public:
    GuardedDetector(std::unique_ptr<Detector> detector, const QString &plugin)
        : m_detector(std::move(detector)), m_guard(plugin)
    {
    }

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override
    {
        auto heads = m_guard([&] { return m_detector->heads(requests, call); });
        if (heads && heads->size() != requests.size())
            return fail(m_guard.named(
                internalError(QStringLiteral("it gave the heads of %1 tables, asked for %2")
                                  .arg(heads->size())
                                  .arg(requests.size()))));
        return heads;
    }
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override
    {
        return m_guard([&] { return m_detector->changes(request, call); });
    }
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override
    {
        return m_guard([&] { return m_detector->liveFiles(request, call); });
    }

private:
    const std::unique_ptr<Detector> m_detector;
    const Guard m_guard;
};

class GuardedState final : public StateStore {
public:
    GuardedState(std::unique_ptr<StateStore> store, const QString &plugin)
        : m_store(std::move(store)), m_guard(plugin)
    {
    }

    Result<QList<Bookmark>> bookmarks() override
    {
        return m_guard([&] { return m_store->bookmarks(); });
    }
    Result<std::optional<Bookmark>> bookmark(const QString &view) override
    {
        return m_guard([&] { return m_store->bookmark(view); });
    }
    Status saveBookmark(const Bookmark &bookmark) override
    {
        return m_guard([&] { return m_store->saveBookmark(bookmark); });
    }
    Status forgetBookmark(const QString &view) override
    {
        return m_guard([&] { return m_store->forgetBookmark(view); });
    }
    Status forgetView(const QString &view) override
    {
        return m_guard([&] { return m_store->forgetView(view); });
    }
    Result<std::optional<Intent>> intent(const QString &view) override
    {
        return m_guard([&] { return m_store->intent(view); });
    }
    Status saveIntent(const Intent &intent) override
    {
        return m_guard([&] { return m_store->saveIntent(intent); });
    }
    Status forgetIntent(const QString &view) override
    {
        return m_guard([&] { return m_store->forgetIntent(view); });
    }
    Result<QString> acquireLease(const LeaseRequest &request) override
    {
        return m_guard([&] { return m_store->acquireLease(request); });
    }
    Result<QString> leaseHolder(const TableName &target) override
    {
        return m_guard([&] { return m_store->leaseHolder(target); });
    }
    Status renewLease(const QString &token, std::chrono::seconds lifetime) override
    {
        return m_guard([&] { return m_store->renewLease(token, lifetime); });
    }
    Status releaseLease(const QString &token) override
    {
        return m_guard([&] { return m_store->releaseLease(token); });
    }
    Status addRecords(const QList<RefreshRecord> &records) override
    {
        return m_guard([&] { return m_store->addRecords(records); });
    }
    Result<QList<RefreshRecord>> records(const QString &view, int most) override
    {
        return m_guard([&] { return m_store->records(view, most); });
    }

private:
    const std::unique_ptr<StateStore> m_store;
    const Guard m_guard;
};

class GuardedHistory final : public HistoryStore {
public:
    GuardedHistory(std::unique_ptr<HistoryStore> store, const QString &plugin)
        : m_store(std::move(store)), m_guard(plugin)
    {
    }

    Result<MigrationHistory> history(const Call &call) override
    {
        return m_guard([&] { return m_store->history(call); });
    }
    Result<QList<MigrationEvent>> events(const QString &line, const Call &call) override
    {
        return m_guard([&] { return m_store->events(line, call); });
    }
    std::optional<TableName> watched() const override
    {
        return m_guard.orElse(std::optional<TableName>(), [&] { return m_store->watched(); });
    }
    Result<MigrationLock> acquire(const LockRequest &request, const Call &call) override
    {
        return m_guard([&] { return m_store->acquire(request, call); });
    }
    Status renew(const MigrationLock &lock, const QString &doing, const Call &call) override
    {
        return m_guard([&] { return m_store->renew(lock, doing, call); });
    }
    Status release(const MigrationLock &lock, const Call &call) override
    {
        return m_guard([&] { return m_store->release(lock, call); });
    }
    Status breakLock(const QString &line, const Call &call) override
    {
        return m_guard([&] { return m_store->breakLock(line, call); });
    }
    Status append(const QList<MigrationEvent> &events, const Call &call) override
    {
        return m_guard([&] { return m_store->append(events, call); });
    }
    Status save(const MigrationRecord &record, const Call &call) override
    {
        return m_guard([&] { return m_store->save(record, call); });
    }
    Status changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                       const Call &call) override
    {
        return m_guard([&] { return m_store->changeViews(saved, removed, call); });
    }

private:
    const std::unique_ptr<HistoryStore> m_store;
    const Guard m_guard;
};

}  // namespace

Error pluginException(const QString &what)
{
    const QString text = QStringLiteral("it threw an exception");
    return internalError(what.isEmpty() ? text : QString(text + QStringLiteral(": ") + what))
        .withCode(u"plugin_exception");
}

std::unique_ptr<Executor> guard(std::unique_ptr<Executor> executor, const QString &plugin)
{
    return std::make_unique<GuardedExecutor>(std::move(executor), plugin);
}

std::unique_ptr<Detector> guard(std::unique_ptr<Detector> detector, const QString &plugin)
{
    return std::make_unique<GuardedDetector>(std::move(detector), plugin);
}

std::unique_ptr<StateStore> guard(std::unique_ptr<StateStore> store, const QString &plugin)
{
    return std::make_unique<GuardedState>(std::move(store), plugin);
}

std::unique_ptr<HistoryStore> guard(std::unique_ptr<HistoryStore> store, const QString &plugin)
{
    return std::make_unique<GuardedHistory>(std::move(store), plugin);
}

}  // namespace ivm
