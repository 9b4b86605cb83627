// Does one step of a migration.
//
// Threads: that of the run. Lifetime: of one migration's run; what is passed in outlives it.
#pragma once

#include "framework/api/executor.h"
#include "framework/migrate/plan.h"
#include "framework/migrate/view_builder.h"

namespace ivm::migrate {

struct StepServices {
    HistoryStore &history;
    std::function<Result<Executor *>()> executor;
    ViewBuilder &builder;
    TableName defaults;
    QString purpose;  // of every session, by which the engine's statements are known as this run's
};

class StepRunner {
public:
    // `version`: what the views that the steps change are of afterwards.
    StepRunner(const StepServices &services, QString line, qint64 version, const Call &call)
        : m_services(services), m_line(std::move(line)), m_version(version), m_call(call)
    {
    }

    // What it took, as JSON for the history. A step whose state is Unclear is looked at first, and
    // is not repeated where it took effect. Conflict (code `step_unclear`) where only a person can
    // tell.
    Result<QJsonObject> run(const PlannedStep &step);
    // Whether the step that was run last, and failed, had changed something before.
    bool hasChanged() const { return m_hasChanged; }
    // What the history has to keep before the step is begun, so that a run that dies in it can be
    // gone on with: PlannedStep::begun of the next one. Empty for most.
    Result<QString> noteBefore(const PlannedStep &step);
    // Whether the query gives exactly one row with one column, which is true. Invalid (code
    // `verify_failed`), telling what it gave.
    Status verify(const VerifyQuery &query);

private:
    struct Owned {
        MigratedView row;
        View view;
    };

    Result<QJsonObject> runSql(const PlannedStep &step);
    Result<QStringList> remaining(const PlannedStep &step, Session &session);
    Result<QStringList> remainingOf(const AlterColumn &node, Session &session);

    Result<QJsonObject> create(const CreateView &node);
    Result<QJsonObject> replace(const ReplaceView &node, const PlannedStep &step);
    Result<QJsonObject> restore(const RestoreView &node, const PlannedStep &step);
    Result<QJsonObject> drop(const DropView &node, const PlannedStep &step);
    Result<QJsonObject> rename(const RenameView &node, const PlannedStep &step);
    Result<QJsonObject> backfill(const Backfill &node);
    Status checkFree(const ViewSpec &beside);
    Result<QJsonObject> rollOut(const MigratedView &row, const View &view, bool verify,
                                const std::function<Status(const TargetVersion &)> &before);

    Status changeViews(const QList<MigratedView> &saved, const QStringList &removed = {});
    Result<View> understood(const ViewSpec &spec) const;
    Result<std::optional<Owned>> find(const QString &name);
    Result<Owned> owned(const QString &name);
    Result<Owned> ownedOf(const MigratedView &row) const;
    // Of a step that is gone on with: the view as it was before it.
    Result<Owned> begunOrNow(const QString &name, const PlannedStep &step);
    MigratedView rowOf(const ViewSpec &spec) const;
    Result<Session *> session();

    const StepServices &m_services;
    QString m_line;
    qint64 m_version;
    const Call &m_call;
    std::unique_ptr<Session> m_session;
    bool m_hasChanged = false;
};

// The view of the same definition that a rollout builds beside it.
View besideOf(const View &view, qint64 version);

}  // namespace ivm::migrate
