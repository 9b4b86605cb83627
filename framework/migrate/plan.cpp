#include "framework/migrate/plan.h"

#include "framework/migrate/version_text.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

Error usage(QString message, const QString &hint)
{
    return invalidError(std::move(message)).withCode(u"usage").withHint(hint);
}

Result<PlannedStep> planStep(const Step &step, qint64 number, const OpenRun *open)
{
    const auto *begun = open && number <= open->steps.size() ? &open->steps[number - 1] : nullptr;
    // A step that failed may have been edited since, and then notes nothing.
    const bool isSame = begun && begun->checksum == step.checksum;
    PlannedStep out{.step = &step,
                    .number = number,
                    .state = begun ? begun->state : StepState::Pending,
                    .begun = isSame ? begun->begun : QString(),
                    .statements = {},
                    .loss = lossOf(step.operation),
                    .changes = changedBy(step.operation),
                    .view = std::nullopt,
                    .reads = {},
                    .how = {}};
    auto statements = statementsOf(step.operation);
    if (!statements)
        return fail(std::move(statements).error().at(step.place));
    out.statements = *statements;
    return out;
}

class Planner {
public:
    Planner(const MigrationFolder &folder, const LineState &state, ViewSet views)
        : m_folder(folder), m_state(state), m_views(std::move(views))
    {
    }

    Result<MigrationPlan> upgrade(qint64 goal)
    {
        for (const auto &migration : m_folder.migrations) {
            if (migration.version <= goal && !m_state.isApplied(migration.version))
                IVM_CHECK(add(migration, Direction::Upgrade, migration.upgrade));
        }
        IVM_CHECK(m_views.checkCycles());
        return m_plan;
    }

    Result<MigrationPlan> downgrade(qint64 goal)
    {
        QList<const Migration *> down;
        for (auto migration = m_folder.migrations.crbegin();
             migration != m_folder.migrations.crend(); ++migration) {
            const auto &open = m_state.open();
            const bool isBegun = open && open->direction == Direction::Downgrade &&
                                 open->version == migration->version;
            if (migration->version > goal && (m_state.isApplied(migration->version) || isBegun))
                down.append(&*migration);
        }
        // All of them first: nothing is taken back where one on the way cannot be.
        for (const auto *migration : std::as_const(down)) {
            if (!migration->downgrade)
                return fail(invalidError(QStringLiteral("%1 cannot be taken back: %2")
                                             .arg(migration->label(), migration->whyIrreversible))
                                .withCode(u"irreversible")
                                .at({migration->file, 0, 0})
                                .withHint(QStringLiteral("Nothing was done. 'ivmctl migrate "
                                                         "downgrade %1' is possible")
                                              .arg(migration->version)));
        }
        for (const auto *migration : std::as_const(down))
            IVM_CHECK(add(*migration, Direction::Downgrade, *migration->downgrade));
        return m_plan;
    }

private:
    Status add(const Migration &migration, Direction direction, const QList<Step> &steps)
    {
        const auto &open = m_state.open();
        const bool isBegun =
            open && open->version == migration.version && open->direction == direction;
        const OpenRun *begun = isBegun ? &*open : nullptr;
        PlannedMigration planned{.migration = &migration,
                                 .direction = direction,
                                 .steps = {},
                                 .goesOn = begun != nullptr};
        for (qsizetype i = 0; i < steps.size(); ++i) {
            IVM_TRY(auto step, planStep(steps[i], i + 1, begun));
            // What is done is in the history's views already, what is unclear may be.
            if (step.state != StepState::Done) {
                auto applied = m_views.apply(steps[i], m_state.line(), planned.versionAfter());
                const bool mayBeDone = step.state == StepState::Unclear || !step.begun.isEmpty();
                if (const auto name = viewAfter(steps[i].operation)) {
                    if (const auto *known = m_views.find(*name))
                        step.view = known->view;
                }
                // That it is done explains all but that the name is another's by now.
                if (!applied && (!mayBeDone || applied.error().code == u"other_owner"))
                    return fail(std::move(applied).error());
            }
            planned.steps.append(std::move(step));
        }
        m_plan.migrations.append(std::move(planned));
        return {};
    }

    const MigrationFolder &m_folder;
    const LineState &m_state;
    ViewSet m_views;
    MigrationPlan m_plan;
};

// A run the other way would leave what was begun as it is.
Status checkDirection(const LineState &state, Direction wanted)
{
    const auto &open = state.open();
    if (!open || open->direction == wanted || open->hasDoneNothing())
        return {};
    return fail(conflictError(QStringLiteral("the %1 of %2 did not end: %3")
                                  .arg(directionName(open->direction), versionText(open->version),
                                       open->doneText()))
                    .withCode(u"migration_open")
                    .withHint(QStringLiteral("End it with '%1', or see 'ivmctl migrate repair'")
                                  .arg(open->command())));
}

// The views once all files are applied, as far as they can be followed.
ViewSet lastOf(const MigrationFolder &folder, const LineState &state, const ViewSet &views)
{
    ViewSet last = views.ofMigrations();
    for (const auto &migration : folder.migrations) {
        if (state.isApplied(migration.version))
            continue;
        for (const auto &step : migration.upgrade) {
            if (!last.apply(step, state.line(), migration.version))
                return last;
        }
    }
    return last;
}

}  // namespace

qint64 PlannedMigration::versionAfter() const
{
    return direction == Direction::Upgrade ? migration->version : migration->version - 1;
}

bool MigrationPlan::isDestructive() const
{
    return std::ranges::any_of(migrations, [](const PlannedMigration &planned) {
        return std::ranges::any_of(planned.steps, &PlannedStep::loses);
    });
}

Error noMigrationError(const MigrationFolder &folder, qint64 version)
{
    const QString files =
        folder.migrations.isEmpty()
            ? QStringLiteral("%1 has no migrations").arg(folder.path)
            : QStringLiteral("%1 has 1 to %2").arg(folder.path, QString::number(folder.head()));
    return usage(QStringLiteral("there is no migration %1").arg(version), files);
}

Result<MigrationGoal> parseGoal(Direction direction, const QString &text,
                                const MigrationFolder &folder, const LineState &state)
{
    MigrationGoal goal{direction, folder.head()};
    const bool isUp = direction == Direction::Upgrade;
    if (isUp && (text.isEmpty() || text == u"head"))
        return goal;
    const QChar sign = isUp ? u'+' : u'-';
    const bool isRelative = text.startsWith(sign);
    bool isNumber = false;
    const qint64 number = QStringView(text).sliced(isRelative ? 1 : 0).toLongLong(&isNumber);
    if (!isNumber || number < 0 || (!isRelative && !text.at(0).isDigit()))
        return fail(
            usage(QStringLiteral("'%1' is no version").arg(text.left(40)),
                  isUp ? QStringLiteral("Say a number, +n for so many more, or head")
                       : QStringLiteral("Say a number (0: all of it), or -n for so many back")));
    if (isRelative)
        goal.version = isUp ? std::min(state.current() + number, folder.head())
                            : std::max<qint64>(state.lastToTakeBack() - number, 0);
    else
        goal.version = number;
    if (isUp && goal.version > folder.head())
        return fail(noMigrationError(folder, goal.version));
    return goal;
}

Result<MigrationPlan> makePlan(const MigrationFolder &folder, const LineState &state,
                               const MigrationGoal &goal, ViewSet views)
{
    if (!folder.problems.isEmpty())
        return fail(folder.problems.first());
    if (const auto drift = driftOf(folder, state); !drift.isEmpty())
        return fail(drift.first());
    IVM_CHECK(checkDirection(state, goal.direction));
    // views.yaml may hold the state that is wanted: what the files come to, not each on the way.
    views.leaveOut(lastOf(folder, state, views));
    Planner planner(folder, state, std::move(views));
    return goal.direction == Direction::Upgrade ? planner.upgrade(goal.version)
                                                : planner.downgrade(goal.version);
}

}  // namespace ivm::migrate
