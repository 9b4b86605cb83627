// Which process holds a lease, told so that another process on this machine can see whether it
// still lives.
//
// Pure functions over /proc; any thread.
#pragma once

#include <QString>

namespace ivm {

struct ProcessIdentity {
    // Boot, process namespace and host name: equal only where process ids mean the same processes.
    QString machine;
    qint64 pid = 0;
    // Clock ticks from boot to the process's start: tells a process from a later one with its id.
    qint64 started = 0;

    bool operator==(const ProcessIdentity &) const = default;
};

ProcessIdentity thisProcess();

// False only when it is certain: the process was on this machine and is gone, or its id belongs to
// another process now.
bool mayLive(const ProcessIdentity &process, const ProcessIdentity &self);

}  // namespace ivm
