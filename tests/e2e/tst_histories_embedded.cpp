#include "tests/e2e/history_test.h"

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
    const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};
    playHistories(host, defaults,
                  isNightly() ? HistoryBudget{100, 20, 10'000} : HistoryBudget{12, 8, 400});
}

QTEST_GUILESS_MAIN(tst_HistoriesEmbedded)
#include "tst_histories_embedded.moc"
