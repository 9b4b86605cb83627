// The long-running host's work: looks at all tables again and again, refreshes what is out of date,
// and knows how each view is doing.
//
// Threads: lives in the main thread, which it never blocks; looks and refreshes run in a pool of
// workers, and come back as events. Lifetime: the host and the metrics outlive it.
#pragma once

#include "framework/host/history_watch.h"
#include "framework/host/host.h"
#include "framework/host/metrics.h"
#include "framework/host/scheduler.h"
#include "framework/host/worker_pool.h"
#include "framework/refresh/verify.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <thread>

namespace ivm {

class Service final : public QObject {
    Q_OBJECT

public:
    using Time = Scheduler::Time;
    using OnRefreshed = std::function<void(const RefreshOutcome &)>;
    using OnVerified = std::function<void(const Result<VerifyOutcome> &)>;

    // A refresh that has ended; its ranges are known since the host was started only.
    struct Ended {
        RefreshRecord record;
        QList<TextRange> ranges = {};
        bool nullBucket = false;
    };

    // How a view compared with its query.
    struct Verified {
        QDateTime when;
        bool equal = false;
        qint64 missing = 0;
        qint64 extra = 0;
    };

    // What is known of a view beside its definition.
    struct ViewStatus {
        std::optional<Bookmark> bookmark;
        std::deque<Ended> history;  // newest first
        qint64 refreshes = 0;       // since the host was started, as the next
        qint64 errors = 0;
        std::optional<Error> error;        // of the last refresh
        std::optional<Verified> verified;  // last, since the host was started
    };

    Service(Host &host, Metrics &metrics);
    ~Service() override;

    // Takes the place of the only host on this state, and reads its bookmarks. Conflict, naming the
    // other host, where there is one; as Host::services().
    Status start();
    // Lets others who know the state know where this host is.
    Status announce(const QUrl &address);
    // Views that are gone are no longer refreshed, and their tables stay.
    void setDefinitions(const Definitions &definitions);
    // Begins nothing more, cancels what runs, and waits for it. Whether all has ended by then.
    bool stop(std::chrono::milliseconds grace);

    const Definitions &definitions() const { return m_definitions; }
    // Until the next event.
    const ViewStatus &status(const QString &view) const;
    Scheduler::Progress progress(const QString &view) const;
    // How long the view has been out of date; zero when it is not, as far as the last look tells.
    Scheduler::Duration lag(const QString &view) const;
    // Why no look at the tables has worked of late; none when the last one did.
    const std::optional<Error> &trouble() const { return m_trouble; }
    bool hasLooked() const { return m_hasLooked; }
    std::chrono::milliseconds lookInterval() const;

    // Queue and lags, which change without anything happening.
    void tellMetrics();

    // Refreshes a view that is not refused as soon as may be, and tells.
    void refresh(const QString &view, RefreshMode mode, const OnRefreshed &done);
    // Cancels the view's refresh where one runs, which then ends with an error. Whether one did.
    bool cancel(const QString &view);

    // Compares a view with its query as verifyView(), once no refresh of it runs and those that
    // were asked for before have been compared, and tells.
    void verify(const QString &view, const OnVerified &done);

    // Asks the engine something, beside the refreshes, and tells here.
    using Question = std::function<Result<QJsonObject>(const Call &)>;
    using OnAnswered = std::function<void(const Result<QJsonObject> &)>;
    void runAside(const Question &ask, const OnAnswered &done);

Q_SIGNALS:
    // A refresh or a verification of the view has ended.
    void changed(const QString &view);
    // The views of migrations, as they are now: setDefinitions() is called with what follows from
    // them before this returns, and nothing is refreshed before the first of it.
    void migrated(const QList<MigratedView> &views);

private:
    struct Look {
        quint64 begun = 0;
        Result<Heads> heads;
        Scheduler::Duration took;
    };
    struct Done {
        RefreshOutcome outcome;
        Heads given;  // what the refresh began with
        Heads heads;
        Result<std::optional<Bookmark>> bookmark;
    };

    // A refresh that runs.
    struct Running {
        std::shared_ptr<std::stop_source> stop;
        QString definition;  // hash
    };

    Result<std::unique_ptr<Lease>> placeFor(const QString &owner) const;
    Status takePlace(const QString &owner);
    // One that slept may have lost it, to another or to nobody.
    bool hasPlace() const { return m_place && !m_place->call().stop.stop_requested(); }
    void takePlaceAgain();
    bool givePlaceBack(Time end);
    void look();
    void take(Look look);
    std::chrono::milliseconds backOff() const;
    void readHistory(const Heads &heads);
    void take(const Result<MigrationHistory> &history);
    void failed(const Error &error, QStringView what);
    void take(Heads heads, quint64 begun);
    void judge(const QString &view);
    void startNext();
    void verifyNext();
    void run(const Scheduler::Start &start);
    void take(Done done);
    void take(const QString &view, const Result<VerifyOutcome> &outcome, const OnVerified &done);
    QSet<QString> takeHeads(const Done &done);
    QStringList takeHead(const TableName &table, const Result<TableHead> &head);
    void note(const RefreshOutcome &outcome);
    bool isOutdated(const QString &view) const;
    Status checkSourcesBuilt(const View &view) const;
    void readRecords(const QStringList &views);
    void take(const QString &view, const Result<QList<RefreshRecord>> &records);
    void tell(QMultiHash<QString, OnRefreshed> &who, const RefreshOutcome &outcome);
    void indexViews();
    static Error goneError(const QString &view);
    // Runs `what` here, from a worker.
    template <typename What>
    void post(What &&what)
    {
        QMetaObject::invokeMethod(this, std::forward<What>(what), Qt::QueuedConnection);
    }

    Host &m_host;
    Metrics &m_metrics;
    std::optional<RefreshServices> m_services;
    std::unique_ptr<Lease> m_place;
    QString m_owner;  // as others are told
    bool m_isTakingPlace = false;
    Definitions m_definitions;
    QHash<QString, View> m_views;
    QHash<TableName, QStringList> m_viewsOf;  // by a table that they read or write
    QHash<QString, ViewStatus> m_statuses;
    QSet<QString> m_known;  // whose records were read
    Scheduler m_scheduler;

    // The history of migrations. While it is read nothing is begun and no look is taken: what the
    // tables look like may follow from definitions that are not known yet.
    HistoryStore *m_history = nullptr;
    std::optional<HistoryWatch> m_watch;
    bool m_isReadingHistory = false;

    // What was seen last. A look that began before a refresh ended knows less than it of the
    // tables that the refresh saw, and nothing about the view.
    Heads m_heads;
    QHash<TableName, quint64> m_seen;
    QHash<QString, quint64> m_finished;
    quint64 m_events = 0;

    QHash<QString, Running> m_running;
    QMultiHash<QString, OnRefreshed> m_asked;    // for a refresh that has not begun
    QMultiHash<QString, OnRefreshed> m_waiting;  // for one that runs
    struct Verification {
        QString view;
        OnVerified done;
    };
    std::deque<Verification> m_toVerify;
    bool m_isVerifying = false;
    MeasuredRanges m_measured;
    QTimer m_nextLook;
    QTimer m_nextStart;
    std::optional<Error> m_trouble;
    int m_failedLooks = 0;
    bool m_hasLooked = false;
    bool m_stopping = false;
    // Last: their jobs end before the rest goes.
    std::jthread m_leaving;
    std::unique_ptr<WorkerPool> m_workers;
    std::unique_ptr<WorkerPool>
        m_aside;  // what people ask must not wait for refreshes, nor they for it
};

}  // namespace ivm
