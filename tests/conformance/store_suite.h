// What every state store must do: run by each store plugin and by the fake.
//
// A test program derives from StoreSuite and says how a store is opened; QTest runs the slots below
// for it.
#pragma once

#include "framework/api/store.h"
#include "tests/support/fake_clock.h"

#include <QObject>

#include <memory>

namespace ivm::test {

class StoreSuite : public QObject {
    Q_OBJECT

public:
    // An empty store, with the given clock, which outlives it.
    virtual std::unique_ptr<StateStore> openEmpty(const Clock &clock) = 0;
    // Opens what the last openEmpty() made a second time, as another process would; none for a
    // store that only lives in memory.
    virtual std::unique_ptr<StateStore> openAgain(const Clock &) { return nullptr; }
    // How often each of several threads writes; fewer for stores where each call takes long.
    virtual int roundsOfAThread() const { return 25; }
    // Whether a child of this process may open it: not where threads of an engine are in it.
    virtual bool mayFork() const { return false; }

private Q_SLOTS:
    void knowsNothingAtFirst();
    void keepsABookmarkWhole();
    void replacesABookmark();
    void listsTheBookmarksOfAllViews();
    void keepsAnIntentWhole();
    void replacesAnIntent();
    void savingABookmarkForgetsItsViewsIntentOnly();
    void forgetsAnIntent();
    void forgetsWhatIsKnownOfATarget();
    void forgetsAllAboutAView();

    void aTargetIsHeldByOneLease();
    void leasesOfTwoTargetsDoNotMeet();
    void aReleasedLeaseIsFree();
    void aLeaseRunsOut();
    void aRenewedLeaseLivesOn();
    void aLostLeaseCannotBeRenewed();
    void releasingALostLeaseLeavesTheNewOne();
    void aLeaseThatRanOutAndWasNotTakenIsRenewed();

    void keepsARecordWhole();
    void givesTheNewestRecordsFirst();
    void addsRecordsOfSeveralViewsInTheirOrder();
    void keepsABoundedNumberOfRecordsAView();

    void takesNamesOfAnyCharacters();
    void whatOneProcessWritesAnotherReads();
    void anotherProcessRespectsALease();
    void servesManyThreadsAtOnce();
    void aWriterThatDiesLeavesAWholeStore();
};

}  // namespace ivm::test
