// The host as a process of its machine: signals, the service manager, and what it may use.
//
// Threads: the main thread; followSignals() before there are others.
#pragma once

#include <QObject>

#include <functional>

namespace ivm {

// SIGTERM, SIGINT and SIGHUP, as events of the thread, for as long as `context` lives.
void followSignals(QObject &context, const std::function<void(int)> &onSignal);

// Tells the service manager how things stand, where one asks (systemd's Type=notify).
void notifyManager(const QByteArray &state);

// As many open files as the machine lets it: each client takes one, and so does each data file that
// is being read.
void allowManyFiles();

}  // namespace ivm
