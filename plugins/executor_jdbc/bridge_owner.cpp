#include "plugins/executor_jdbc/bridge_owner.h"

#include "framework/base/log.h"

#include <QProcessEnvironment>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace ivm::jdbc {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr qsizetype kLongestLogLine = 1000;
constexpr milliseconds kLongestDelay{60'000};
// A process that lived this long was well.
constexpr std::chrono::seconds kWell{60};
constexpr int kEndPatience = 2000;
constexpr int kOutOfMemory = 3;  // -XX:+ExitOnOutOfMemoryError
const QString kNoMemory = QStringLiteral("ran out of memory");
constexpr QByteArrayView kAnswerStart = "{\"call\":";

// What Java and Kerberos look at. The rest of our environment, which may hold secrets, is not for
// another process.
QProcessEnvironment environment()
{
    const auto ours = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment its;
    for (const auto *name : {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR",
                             "JAVA_HOME", "KRB5_CONFIG", "KRB5CCNAME", "LD_LIBRARY_PATH"}) {
        const QString key = QString::fromLatin1(name);
        if (ours.contains(key))
            its.insert(key, ours.value(key));
    }
    return its;
}

// Runs in the new process before Java does: it goes when we go, and signals for our whole group are
// for us to answer, since statements are cancelled through it.
void becomeOurs()
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        ::signal(number, SIG_IGN);
}

}  // namespace

void Waiter::put(Result<BridgeAnswer> outcome)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_outcome = std::move(outcome);
    }
    m_changed.notify_all();
}

std::optional<Result<BridgeAnswer>> Waiter::wait(milliseconds time, const Call &call)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, call.stop, time, [this] { return m_outcome.has_value(); });
    return std::move(m_outcome);
}

void BridgeOwner::send(quint64 id, const QByteArray &line, std::optional<quint64> run,
                       const std::shared_ptr<Waiter> &waiter)
{
    Status ready;
    if (run && (!m_process || run != m_run))
        ready = fail(unavailableError(QStringLiteral("the JDBC bridge has ended"))
                         .withCode(kBridgeGone)
                         .withHint(u"It is started again with the next session"));
    else if (!m_process && waiter)
        ready = start();
    if (!ready && waiter)
        waiter->put(fail(std::move(ready).error()));
    if (!ready || !m_process)
        return;
    if (waiter)
        m_waiters.insert(id, waiter);
    m_process->write(line);
}

Status BridgeOwner::start()
{
    const auto now = steady_clock::now();
    if (now < m_notBefore) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(m_notBefore - now).count();
        Error error = m_whyNot;
        error.message += QStringLiteral("; it is started again in %1 s at the earliest").arg(left);
        return fail(std::move(error));
    }
    m_output.clear();
    m_searched = 0;
    m_log.clear();
    m_lastWords.clear();
    m_fault.clear();
    m_hasAnswered = false;
    ++m_run;
    m_started = now;
    m_process = std::make_unique<QProcess>();
    m_process->setProcessEnvironment(environment());
    m_process->setChildProcessModifier(becomeOurs);
    QObject::connect(m_process.get(), &QProcess::readyReadStandardOutput, this,
                     &BridgeOwner::readAnswers);
    QObject::connect(m_process.get(), &QProcess::readyReadStandardError, this,
                     &BridgeOwner::readLog);
    QObject::connect(m_process.get(), &QProcess::finished, this, [this] { ended(howItEnded()); });
    m_process->start(m_command.program, m_command.arguments);
    if (!m_process->waitForStarted()) {
        const QString why = m_process->errorString();
        ended(QStringLiteral("cannot be started: %1 (%2)").arg(m_command.program, why));
        m_whyNot = unavailableError(QStringLiteral("the JDBC bridge cannot be started: %1 (%2)")
                                        .arg(m_command.program, why))
                       .withCode(u"no_java")
                       .withHint(u"Install a Java runtime, 17 or later, or name one with the "
                                 u"executor's option java");
        return fail(m_whyNot);
    }
    m_processId = m_process->processId();
    return {};
}

void BridgeOwner::readAnswers()
{
    m_output += m_process->readAllStandardOutput();
    while (m_process && m_fault.isEmpty()) {
        const qsizetype end = m_output.indexOf('\n', m_searched);
        if (end < 0) {
            m_searched = m_output.size();
            if (m_searched > m_command.longestLine)
                fault(QStringLiteral("it sent a line of more than %1 bytes")
                          .arg(m_command.longestLine));
            return;
        }
        takeAnswer(m_output.first(end));
        m_output.remove(0, end + 1);
        m_searched = 0;
    }
}

void BridgeOwner::takeAnswer(const QByteArray &line)
{
    const qsizetype end = line.indexOf(line.indexOf(',') < 0 ? '}' : ',');
    bool isNumber = false;
    const quint64 id =
        line.startsWith(kAnswerStart)
            ? line.sliced(kAnswerStart.size(), qMax<qsizetype>(0, end - kAnswerStart.size()))
                  .toULongLong(&isNumber)
            : 0;
    if (!isNumber)
        return fault(QStringLiteral("it sent what is no answer: ") +
                     QString::fromUtf8(line.first(qMin<qsizetype>(line.size(), 80))).simplified());
    m_hasAnswered = true;
    // One that is not waited for any more.
    const auto waiter = m_waiters.take(id);
    if (waiter)
        waiter->put(BridgeAnswer{line, m_run});
}

void BridgeOwner::readLog()
{
    m_log += m_process->readAllStandardError();
    for (qsizetype end = m_log.indexOf('\n'); end >= 0 || m_log.size() > kLongestLogLine;
         end = m_log.indexOf('\n')) {
        const bool isWhole = end >= 0 && end <= kLongestLogLine;
        const qsizetype cut = isWhole ? end : kLongestLogLine;
        const QString text = QString::fromUtf8(m_log.first(cut)).trimmed();
        // Where an exception was is not what it was.
        const bool isPlace = text.startsWith(u"at ") && m_log.startsWith('\t');
        m_log.remove(0, isWhole ? cut + 1 : cut);
        if (text.isEmpty())
            continue;
        qCWarning(logExecutor).noquote() << "JDBC bridge:" << text;
        if (!isPlace)
            m_lastWords = text.endsWith(u'.') ? text.chopped(1) : text;
    }
}

void BridgeOwner::giveUp(quint64 id, const QString &why)
{
    if (m_waiters.remove(id) > 0 && m_process)
        fault(why);
}

void BridgeOwner::fault(const QString &why)
{
    m_fault = why;
    m_process->kill();
}

QString BridgeOwner::howItEnded() const
{
    QString how = m_process->exitStatus() == QProcess::CrashExit
                      ? QStringLiteral("ended by a signal")
                      : QStringLiteral("ended with code %1").arg(m_process->exitCode());
    if (!m_fault.isEmpty())
        return QStringLiteral("was ended, since ") + m_fault;
    if (m_process->exitCode() == kOutOfMemory)
        return kNoMemory;
    return m_lastWords.isEmpty() ? how : QString(how + QStringLiteral(": ") + m_lastWords);
}

QStringView BridgeOwner::nextStep(const QString &how) const
{
    if (how == kNoMemory)
        return u"Raise the executor's option heap_mb";
    return m_hasAnswered ? QStringView(u"Try again; the log has what it wrote")
                         : QStringView(u"The log has what it wrote: is the executor's option java "
                                       u"a Java runtime, 17 or later, and lib/ivm/jdbc whole?");
}

void BridgeOwner::ended(const QString &how)
{
    const auto now = steady_clock::now();
    m_ends = now - m_started > kWell ? 1 : m_ends + 1;
    const auto delay =
        m_ends < 2
            ? milliseconds(0)
            : std::min(kLongestDelay, m_command.firstDelay * (1 << std::min(m_ends - 2, 16)));
    m_notBefore = now + delay;
    m_whyNot = unavailableError(QStringLiteral("the JDBC bridge ") + how)
                   .withCode(kBridgeEnded)
                   .withHint(nextStep(how));
    qCWarning(logExecutor).noquote() << m_whyNot.message;
    m_processId = 0;
    // Not at once: this is called by a signal of it.
    m_process->disconnect(this);
    m_process.release()->deleteLater();
    const auto waiters = std::exchange(m_waiters, {});
    for (const auto &waiter : waiters)
        waiter->put(fail(m_whyNot));
}

void BridgeOwner::stop()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->closeWriteChannel();
    if (!m_process->waitForFinished(kEndPatience)) {
        m_process->kill();
        m_process->waitForFinished(kEndPatience);
    }
    m_process.reset();
    m_processId = 0;
    for (const auto &waiter : std::exchange(m_waiters, {}))
        waiter->put(fail(unavailableError(QStringLiteral("the JDBC bridge was stopped"))
                             .withCode(kBridgeEnded)));
}

}  // namespace ivm::jdbc
