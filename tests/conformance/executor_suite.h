// What every executor must do: run by each executor plugin on its engine, and by the fake.
//
// A test program derives from ExecutorSuite and says which executor it is; QTest runs the slots
// below for it. Tables are made in the executor's default schema, each with a name of its own.
#pragma once

#include "framework/api/executor.h"

#include <QObject>

#include <memory>

namespace ivm::test {

class ExecutorSuite : public QObject {
    Q_OBJECT

public:
    virtual Executor &executor() = 0;
    // A statement that the engine understands and does not do.
    virtual QString unsupportedStatement() const = 0;
    // A statement that the user may not run; empty for an engine whose users may do everything.
    virtual QString refusedStatement() const { return {}; }
    // A statement that does not end by itself; empty where statements end with their process.
    virtual QString endlessStatement() const { return {}; }
    // Tells a fake what the engine would answer; an engine knows.
    virtual void willAnswer(const QString &, const Result<Rows> &) {}
    // False for a fake that keeps no rows: what is said about rows is not asked of it then.
    virtual bool keepsRows() const { return true; }
    // False for an engine that tells how many rows a commit touched, and not how many of them are
    // gone.
    virtual bool tellsDeletedRows() const { return true; }
    // Types that the engine has no values of, as givesEveryTypeExactly names them: that it refuses
    // them is asked then.
    virtual QStringList missingTypes() const { return {}; }

private Q_SLOTS:
    void init();
    void cleanup();

    void namesWhereBareNamesAreLookedUp();

    void runHandsRowsInOrderWithTheirTypes();
    void runNamesTheColumnsOfNoRows();
    void givesEveryTypeExactly_data();
    void givesEveryTypeExactly();
    void givesManyRows();
    void runStopsWhenTheSinkFails_data();
    void runStopsWhenTheSinkFails();
    void runSaysWhatIsWrong_data();
    void runSaysWhatIsWrong();
    void runCountsTheRowsItChanged();
    void sessionsOfTwoThreadsWorkAtOnce();
    void aSessionWorksOnAfterAnError();
    void bucketsAreOfUtc();
    void aStatementEndsInItsTime_data();
    void aStatementEndsInItsTime();

    void describeTellsWhatRunWouldGive();
    void describeRunsNothing();
    void describeSaysWhatIsWrong_data();
    void describeSaysWhatIsWrong();

    void createTableMakesAnEmptyTable();
    void createTableMakesTheSchemaToo();
    void createTableRefusesATableThatIsThere();
    void createTableRefusesWhatCannotBe();
    void dropTableTakesItAway();
    void tableInfoKnowsNoOtherTable();
    void theHeadMovesWithRowsAndComesBackNever();
    void theTokenMovesWithTheSchemaAlone();

    void everyCallStopsWhenTold_data();
    void everyCallStopsWhenTold();

    void commitMakesTheTargetEqual();
    void commitTouchesNoRowThatIsRight();
    void commitIsOneSnapshot();
    void commitReplacesTheBucketsOfItsRangesOnly();
    void commitReplacesTheNullBucket();
    void commitMendsDuplicatedKeys();
    void commitRefusesAQueryWithOneKeyTwice();
    void commitRefusesATargetThatIsElsewhere();
    void commitRefusesATargetMadeAgain();
    void commitOfAFailingQueryWritesNothing_data();
    void commitOfAFailingQueryWritesNothing();
    void commitSaysWhereTheQueryIsWrong();
    void commitsOfTwoSessionsAreOneAfterTheOther();
    void commitIsGivenUpWhenItsIdCannotBeKept();
    void commitCarriesTheIntentsSummary();

    void nothingIsAtWorkForAPurposeThatNobodyHas();
    void aStatementIsAtWorkForItsPurposeUntilItEnds();
    void noPrivilegeIsMissingForWhatItMayDo();

    void settleSaysThatItLanded();
    void settleSaysThatItLandedAfterOthersWroteToo();
    void settleSaysThatItDidNotLand_data();
    void settleSaysThatItDidNotLand();

private:
    struct Target {
        TableName name;
        TableHead head;
    };

    QString nextName();
    TableName named(const QString &name);
    Result<Target> makeTarget();
    Result<Target> makeBuckets();
    Result<TableHead> head(const TableName &table);
    Status write(const QString &sql);
    QStringList rowsOf(const TableName &table);

    QString wanted(const QString &values);
    ReplaceAll replaceAll(const TableName &table, const QString &values);
    Change replaceBuckets(const TableName &table, const QString &values,
                          const BucketFilter &filter);
    Result<CommitResult> commit(const Change &change, const TableHead &head);
    QString settled(const Intent &intent);
    // Whether the engine knows a commit of its own again: else "unknown" is a right answer, too.
    bool knowsItsCommits();

    std::unique_ptr<Session> m_session;
    Intent m_intent;  // of the last commit, with the statement's id
};

}  // namespace ivm::test
