#include "framework/migrate/plan_estimate.h"

#include "framework/migrate/step_runner.h"

#include <QSet>

#include <algorithm>

namespace ivm::migrate {

namespace {

class Estimator {
public:
    Estimator(const MigrationHistory &history, const EstimateServices &services, const Call &call)
        : m_history(history), m_services(services), m_call(call)
    {
    }

    Status estimate(PlannedStep &step, qint64 version)
    {
        IVM_CHECK(look(step, version));
        note(step);
        return {};
    }

private:
    Status look(PlannedStep &step, qint64 version)
    {
        if (step.state == StepState::Done || !step.view)
            return {};
        for (const auto &source : step.view->shape.sources) {
            IVM_TRY(auto table, rowsOf(source.table));
            step.reads.append(std::move(table));
        }
        if (const auto *restore = std::get_if<RestoreView>(&step.step->operation)) {
            IVM_TRY(step.how, howOf(*restore, *step.view));
        } else if (std::holds_alternative<ReplaceView>(step.step->operation)) {
            step.how = QStringLiteral("built beside as %1, compared with its query, then switched "
                                      "to in one commit")
                           .arg(besideOf(*step.view, version).spec.target.text());
        }
        return {};
    }

    Result<PlannedStep::Read> rowsOf(const TableName &table)
    {
        IVM_TRY(const auto info, m_services.looks.at(table));
        return PlannedStep::Read{.table = table,
                                 .rows = info ? totalsOf(info->headSummary).rows : std::nullopt,
                                 .isThere = info.has_value(),
                                 .isMade = m_made.contains(table)};
    }

    void note(const PlannedStep &step)
    {
        if (step.changes)
            m_made.insert(*step.changes);
        if (step.view)
            m_made.insert(step.view->spec.target);
        if (const auto *rename = std::get_if<RenameTable>(&step.step->operation))
            m_made.insert(rename->to);
    }

    // Of the first one of a view in the plan: what a second one comes back to is not there yet.
    Result<QString> howOf(const RestoreView &node, const View &view)
    {
        const auto row = std::ranges::find(m_history.views, node.name, &MigratedView::name);
        const bool isFirst = !std::exchange(m_restored[node.name], true);
        if (row == m_history.views.end() || row->earlier.isEmpty() || !isFirst)
            return QString();
        IVM_TRY(const auto earlier, readEarlier(*row, m_services.defaults));
        const auto can =
            m_services.builder.canRestore(view, {earlier.target, earlier.held}, m_call);
        // A step before it may bring that.
        const bool isMissing = !can && (can.error().kind == ErrorKind::Invalid ||
                                        can.error().kind == ErrorKind::NotFound);
        if (isMissing)
            return QString(QStringLiteral("as things stand it cannot: ") + can.error().message);
        if (!can)
            return fail(can.error());
        return *can ? QStringLiteral("comes back by time travel, then catches up")
                    : QStringLiteral("is built anew: its earlier rows are gone, or fit no more");
    }

    const MigrationHistory &m_history;
    const EstimateServices &m_services;
    const Call &m_call;
    QSet<TableName> m_made;
    QHash<QString, bool> m_restored;
};

}  // namespace

Status estimate(MigrationPlan &plan, const MigrationHistory &history,
                const EstimateServices &services, const Call &call)
{
    Estimator estimator(history, services, call);
    for (auto &planned : plan.migrations) {
        for (auto &step : planned.steps)
            IVM_CHECK(estimator.estimate(step, planned.versionAfter()));
    }
    return {};
}

}  // namespace ivm::migrate
