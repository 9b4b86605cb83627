// Random histories of a host that keeps its state in Iceberg tables of the same warehouse.
#include "tests/e2e/history/history_test.h"

#include <QTemporaryDir>

using namespace ivm;
using namespace ivm::test;

class tst_HistoriesState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewEqualsItsQuery();
};

void tst_HistoriesState::everyViewEqualsItsQuery()
{
    QTemporaryDir folder;
    auto host = TestHost::embeddedWithStateTables(folder.path());
    playHistories({.services = host.services(),
                   .defaults = {QStringLiteral("iceberg"), QStringLiteral("main"), {}},
                   .others = {}},
                  isNightly() ? HistoryBudget{30, 20, 4'000} : HistoryBudget{2, 5, 50});
}

QTEST_GUILESS_MAIN(tst_HistoriesState)
#include "tst_histories_state.moc"
