#include "tests/e2e/history/history_test.h"

#include <QTemporaryDir>

using namespace ivm;
using namespace ivm::test;

class tst_HistoriesEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewEqualsItsQuery();
};

void tst_HistoriesEmbedded::everyViewEqualsItsQuery()
{
    QTemporaryDir folder;
    auto host = TestHost::embedded(folder.path());
    playHistories({.services = host.services(),
                   .defaults = {QStringLiteral("iceberg"), QStringLiteral("main"), {}},
                   .others = {}},
                  isNightly() ? HistoryBudget{150, 20, 20'000} : HistoryBudget{16, 10, 1'300});
}

QTEST_GUILESS_MAIN(tst_HistoriesEmbedded)
#include "tst_histories_embedded.moc"
