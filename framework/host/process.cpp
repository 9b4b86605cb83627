#include "framework/host/process.h"

#include <QSocketNotifier>

#include <csignal>

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ivm {

void followSignals(QObject &context, const std::function<void(int)> &onSignal)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const int descriptor = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    auto *notifier = new QSocketNotifier(descriptor, QSocketNotifier::Read, &context);
    QObject::connect(notifier, &QSocketNotifier::activated, &context, [onSignal, descriptor] {
        signalfd_siginfo received{};
        while (read(descriptor, &received, sizeof received) == sizeof received)
            onSignal(int(received.ssi_signo));
    });
}

void notifyManager(const QByteArray &state)
{
    QByteArray path = qgetenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.isEmpty() || path.size() >= qsizetype(sizeof address.sun_path))
        return;
    if (path.front() == '@')
        path.front() = '\0';
    std::copy(path.begin(), path.end(), address.sun_path);
    const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return;
    const auto length = socklen_t(offsetof(sockaddr_un, sun_path) + size_t(path.size()));
    sendto(descriptor, state.constData(), size_t(state.size()), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr *>(&address), length);
    close(descriptor);
}

void allowManyFiles()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace ivm
