// The Java process that holds the JDBC driver, one for all sessions of this process: requests are
// lines of JSON that it reads, answers lines that it writes. README.md has the protocol.
//
// Threads: any; a thread of its own owns the process, and nothing here blocks it. Lifetime: the
// process starts with the first call, and ends with the last holder of this or with our process,
// whichever way that ends.
#pragma once

#include "framework/base/call.h"

#include <QJsonObject>
#include <QThread>

#include <atomic>
#include <memory>

namespace ivm::jdbc {

struct BridgeCommand {
    QString program;
    QStringList arguments;
    // A call that takes longer tells that the bridge hangs. Trino answers within seconds; the
    // driver asks again for `retryFor`, and takes half a minute for each address of a host.
    std::chrono::milliseconds patience{300'000};
    // After its second end in a row the bridge is not started again for this time, and twice as
    // long each time after, up to a minute.
    std::chrono::milliseconds firstDelay{1'000};
    // Of an answer. One page of rows; Trino keeps them to a few megabytes.
    qsizetype longestLine = qsizetype(256) << 20;

    bool operator==(const BridgeCommand &) const = default;
};

// Codes of Unavailable. The bridge that a request was for is gone, and the request has not reached
// it; the bridge ended while it had the request.
inline constexpr QStringView kBridgeGone = u"bridge_gone";
inline constexpr QStringView kBridgeEnded = u"bridge_ended";

struct BridgeAnswer {
    QByteArray line;
    quint64 run = 0;  // counts the starts of the process
};

class BridgeOwner;

class Bridge {
public:
    explicit Bridge(const BridgeCommand &command);
    ~Bridge();

    // Sends a request and waits for its answer. `run`: for that start of the process alone; without
    // it the process is started where it does not run. Unavailable with one of the codes above, or
    // where it cannot be started; Invalid: longer than the bridge takes; Cancelled, Timeout: the
    // answer is not waited for any longer.
    Result<BridgeAnswer> call(QJsonObject request, std::optional<quint64> run, const Call &call);

    // Sends a request whose answer nobody waits for, where the process runs.
    void tell(QJsonObject request, std::optional<quint64> run);

    // The process, for tests and figures; 0 where it does not run.
    qint64 processId() const { return m_processId; }

private:
    const BridgeCommand m_command;
    std::atomic<quint64> m_lastCall = 0;
    std::atomic<qint64> m_processId = 0;
    QThread m_thread;
    BridgeOwner *m_owner = nullptr;  // lives in the thread
};

// The one bridge of this process for that command.
std::shared_ptr<Bridge> sharedBridge(const BridgeCommand &command);

}  // namespace ivm::jdbc
