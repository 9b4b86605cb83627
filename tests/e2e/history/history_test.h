// Plays histories of many seeds on one engine, as a Qt test: IVM_SEED plays one alone, IVM_NIGHTLY
// more and longer ones.
#pragma once

#include "tests/e2e/history/history.h"
#include "tests/support/nightly.h"
#include "tests/support/test_host.h"

#include <QLoggingCategory>

namespace ivm::test {

struct HistoryBudget {
    int seeds = 1;
    int steps = 1;
    int atLeast = 1;  // refreshes that have to come together, or the test tests too little
};

inline void playHistories(const HistorySetting &setting, HistoryBudget budget)
{
    const int first = qEnvironmentVariableIntValue("IVM_SEED");
    if (first > 0)
        budget = {1, budget.steps, 1};
    QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false"));
    int refreshes = 0;
    QMap<QString, int> actions;
    for (int i = 0; i < budget.seeds; ++i) {
        const auto seed = quint32(first > 0 ? first : i + 1);
        History history(setting, QStringLiteral("h%1").arg(seed), seed);
        const auto result = history.play(budget.steps);
        QVERIFY2(result.failure.isEmpty(), qPrintable(result.failure));
        refreshes += result.refreshes;
        for (const auto &[action, count] : result.actions.asKeyValueRange())
            actions[action] += count;
    }
    QString text;
    for (const auto &[action, count] : actions.asKeyValueRange())
        text += QStringLiteral(" %1 %2").arg(count).arg(action);
    qInfo("%d seeds, %d refreshes:%s", budget.seeds, refreshes, qPrintable(text));
    QVERIFY2(refreshes >= budget.atLeast, "too few refreshes to say anything");
    if (budget.seeds == 1)
        return;
    // A detector that finds nothing out would be right too, by diffing everything.
    QVERIFY2(actions.value(QStringLiteral("incremental")) >= refreshes / 5, qPrintable(text));
    QVERIFY2(actions.value(QStringLiteral("none")) > 0, qPrintable(text));
}

}  // namespace ivm::test
