// What every history store must do: run by each store plugin and by the fake.
//
// A test program derives from HistorySuite and says how a store is opened; QTest runs the slots
// below for it.
#pragma once

#include "framework/api/history.h"

#include <QObject>

#include <memory>

namespace ivm::test {

class HistorySuite : public QObject {
    Q_OBJECT

public:
    // A store where nothing was ever written, as the process `self` has it.
    virtual std::unique_ptr<HistoryStore> openEmpty(const ProcessIdentity &self) = 0;
    // What the last openEmpty() made, a second time, as another process would.
    virtual std::unique_ptr<HistoryStore> openAgain(const ProcessIdentity &self) = 0;
    // Whether anything was made in the place of the last openEmpty().
    virtual bool isMade() = 0;
    // Time goes by for the locks of the last openEmpty().
    virtual void pass(std::chrono::seconds time) = 0;
    // From now on a statement of sessions with this purpose is at work, or none is; false where an
    // engine's statements end with their process.
    virtual bool setAtWork(const QString &purpose, bool atWork)
    {
        Q_UNUSED(purpose)
        Q_UNUSED(atWork)
        return false;
    }

private Q_SLOTS:
    void knowsNothingAtFirstAndMakesNothing();
    void stopsWhenTheCallIsStopped();

    void keepsRecordsWhole();
    void replacesTheRecordOfAVersionAndLine();

    void givesTheEventsOfALineInOrder();
    void theOpenEventsAreThoseAfterTheLastThatClosed_data();
    void theOpenEventsAreThoseAfterTheLastThatClosed();

    void keepsViewsWhole();
    void replacesAddsAndRemovesViewsAtOnce();

    void aViewIsOfOneLine();
    void aLineIsHeldByOne();
    void showsWhoHoldsALine();
    void theLocksOfTwoLinesDoNotMeet();
    void aReleasedLockIsFree();
    void aLockWithoutASignOfLifeIsTakenOver();
    void aRenewedLockLivesOn();
    void aLostLockCannotBeRenewed();
    void releasingALostLockLeavesTheNewOne();
    void aLockIsTakenAway();
    void theLockOfAProcessThatIsGoneIsFreeAtOnce();
    void aProcessElsewhereIsNotTakenForGone();
    void aLockIsNotTakenOverWhileItsOwnersStatementRuns();
    void oneOfManyThatRaceGetsTheLock();
    void aLockThatManyFindAbandonedIsTakenOverByOne();

    void keepsTextsOfAnyCharacters_data();
    void keepsTextsOfAnyCharacters();
    void neverCutsATextAtNul();
    void keepsMuchAtOnce();
    void whatOneProcessWritesAnotherReads();

private:
    std::unique_ptr<HistoryStore> openEmpty() { return openEmpty(thisProcess()); }
    std::unique_ptr<HistoryStore> openAgain() { return openAgain(thisProcess()); }
    int winnersOf(int racers);
};

}  // namespace ivm::test
