// What every detector must do: run by each detector plugin on tables that an engine writes, and by
// the fake.
//
// A test program derives from DetectorSuite and says which detector and which engine it is; QTest
// runs the slots below for it. Tables have the columns id bigint and ts timestamp(6).
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"

#include <QObject>

namespace ivm::test {

class DetectorSuite : public QObject {
    Q_OBJECT

public:
    virtual Detector &detector() = 0;
    // False for one that tells that a table changed, and not where: its views are diffed.
    virtual bool measures() const { return true; }
    // In the engine's default schema.
    virtual TableName named(const QString &table) const = 0;
    // The engine that writes the tables; none for a fake, which is told by the verbs below.
    virtual Session *writer() { return nullptr; }

    virtual Status make(const TableName &table);
    virtual Status drop(const TableName &table);
    // One data file with the ids, a row each, whose times are that many microseconds; NULL for 0.
    virtual Status append(const TableName &table, const QList<int> &ids);
    virtual Status addColumn(const TableName &table, const QString &name);

private Q_SLOTS:
    void headsAnswersEachTableInItsOrder();
    void headsOfNothingAreNone();
    void headsKnowsATableWithoutRows();
    void headsMovesWithEachCommit();
    void headsMovesWithTheSchemaAlone();
    void headsTellsATableMadeAgainApart();
    void headsIsWhatTheEngineSays();
    void severalThreadsAskAtOnce();
    void everyCallStopsWhenTold_data();
    void everyCallStopsWhenTold();

    void betweenEqualEndsIsNothing();
    void whatIsNotMeasuredHasAReason();
    void anAppendAddsItsFile();
    void theFirstAppendToo();
    void boundsTellNulls_data();
    void boundsTellNulls();
    void aDeleteTouchesWhereItsRowsWere();
    void anUpdateTouchesBothEnds();
    void aFileThatCameAndWentIsThereTwice();
    void aRollbackTakesItsFilesAway();
    void aCompactionIsNothing();
    void aTableMadeAgainCannotBeMeasured();
    void expiredSnapshotsCannotBeMeasured();

    void liveFilesAreThoseThatMayHoldAValue_data();
    void liveFilesAreThoseThatMayHoldAValue();
    void liveFilesOfAnEmptyTableAreNone();

    void columnsHaveTypesAndIds();
    void aColumnAddedSinceMakesASnapshotUnfitForPins();
    void aColumnAddedAgainIsAnother();

private:
    TableName nextTable();
    Result<TableHead> head(const TableName &table);
    Result<TableChanges> changes(const TableName &table, const TableHead &from,
                                 const QStringList &columns = {});
    QString after(const TableName &table, const TableHead &from);
    // Of the column ts, in those intervals of it.
    Result<FileTotals> liveFiles(const TableName &table, const QList<FileBounds> &within);
    Status write(const TableName &table, const QString &statement);
};

}  // namespace ivm::test
