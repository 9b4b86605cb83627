// Starts the bridge's process, writes to it, and hands its answers to who waits for them.
//
// Threads: lives in the bridge's own thread; only Waiter is shared. Lifetime: that of the thread.
#pragma once

#include "plugins/executor_jdbc/bridge.h"

#include <QHash>
#include <QProcess>

#include <condition_variable>
#include <mutex>

namespace ivm::jdbc {

// Where a call's outcome is put by the owner and waited for by the caller.
class Waiter {
public:
    void put(Result<BridgeAnswer> outcome);
    // Nothing when the call is over, or the time.
    std::optional<Result<BridgeAnswer>> wait(std::chrono::milliseconds time, const Call &call);

private:
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<Result<BridgeAnswer>> m_outcome;
};

class BridgeOwner : public QObject {
public:
    BridgeOwner(const BridgeCommand &command, std::atomic<qint64> &processId)
        : m_command(command), m_processId(processId)
    {
    }

    // `waiter` may be null: then nothing is started for it.
    void send(quint64 id, const QByteArray &line, std::optional<quint64> run,
              const std::shared_ptr<Waiter> &waiter);
    void forget(quint64 id) { m_waiters.remove(id); }
    // Ends the process where that run is still it.
    void giveUp(quint64 id, const QString &why);
    // Lets it end, or kills it.
    void stop();

private:
    Status start();
    void readAnswers();
    void takeAnswer(const QByteArray &line);
    void readLog();
    void fault(const QString &why);
    void ended(const QString &how);
    QString howItEnded() const;
    QStringView nextStep(const QString &how) const;

    const BridgeCommand m_command;
    std::atomic<qint64> &m_processId;
    std::unique_ptr<QProcess> m_process;
    quint64 m_run = 0;
    QHash<quint64, std::shared_ptr<Waiter>> m_waiters;
    QByteArray m_output;
    qsizetype m_searched = 0;  // of the output, for the end of a line
    QByteArray m_log;
    QString m_lastWords;
    QString m_fault;
    bool m_hasAnswered = false;
    int m_ends = 0;  // in a row
    std::chrono::steady_clock::time_point m_started;
    std::chrono::steady_clock::time_point m_notBefore;
    Error m_whyNot;
};

}  // namespace ivm::jdbc
