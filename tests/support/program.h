// Runs a built program as a user would: in a folder of its own, with only the variables it is
// given.
//
// Threads: the test's. Lifetime: the folder is removed with the object.
#pragma once

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include <csignal>
#include <functional>
#include <memory>
#include <vector>

namespace ivm::test {

struct Ran {
    int code = -1;      // -1: it did not end by itself
    bool died = false;  // by a signal
    QString out;
    QString err;

    QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
};

class Program {
public:
    explicit Program(QString path) : m_path(std::move(path))
    {
        m_variables.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
        // Where a user's caches are found.
        m_variables.insert(QStringLiteral("HOME"), qEnvironmentVariable("HOME"));
        if (qEnvironmentVariableIsSet("IVM_CACHE"))
            m_variables.insert(QStringLiteral("IVM_CACHE"), qEnvironmentVariable("IVM_CACHE"));
    }

    void set(const QString &variable, const QString &value) { m_variables.insert(variable, value); }

    // Runs in the child before the program does.
    void prepare(std::function<void()> run) { m_prepare = std::move(run); }

    QString folder() const { return m_dir.path(); }
    QString path(const QString &name) const { return m_dir.filePath(name); }

    // False when the file could not be written whole.
    bool write(const QString &name, const QByteArray &text) const
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }

    Ran run(const QStringList &arguments, const QByteArray &input = {}) const
    {
        QProcess process;
        start(process, arguments, input);
        return ended(process);
    }

    // So many of them, each begun before the first has ended.
    QList<Ran> runAtOnce(const QStringList &arguments, int count) const
    {
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < count; ++i) {
            processes.push_back(std::make_unique<QProcess>());
            start(*processes.back(), arguments, {});
        }
        QList<Ran> all;
        for (const auto &process : processes)
            all.append(ended(*process));
        return all;
    }

    // The same, but sends a signal as soon as it is time.
    Ran interrupted(const QStringList &arguments, int signal,
                    const std::function<bool()> &isTime) const
    {
        QProcess process;
        start(process, arguments, {});
        while (process.state() != QProcess::NotRunning && !isTime())
            process.waitForFinished(50);
        if (process.state() == QProcess::Running)
            ::kill(static_cast<pid_t>(process.processId()), signal);
        return ended(process);
    }

private:
    static constexpr int kLongest = 180'000;

    void start(QProcess &process, const QStringList &arguments, const QByteArray &input) const
    {
        QProcessEnvironment environment;
        for (const auto &[name, value] : m_variables.asKeyValueRange())
            environment.insert(name, value);
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_dir.path());
        if (m_prepare)
            process.setChildProcessModifier(m_prepare);
        process.start(m_path, arguments);
        process.write(input);
        process.closeWriteChannel();
    }

    static Ran ended(QProcess &process)
    {
        if (process.state() != QProcess::NotRunning && !process.waitForFinished(kLongest))
            return unended(process);
        const bool died = process.exitStatus() == QProcess::CrashExit;
        return {.code = died ? -1 : process.exitCode(),
                .died = died,
                .out = QString::fromUtf8(process.readAllStandardOutput()),
                .err = QString::fromUtf8(process.readAllStandardError())};
    }

    // One that never started, or that is killed because it runs too long; its errors say which.
    static Ran unended(QProcess &process)
    {
        const QString why = process.errorString();
        process.kill();
        process.waitForFinished();
        return {.out = QString::fromUtf8(process.readAllStandardOutput()),
                .err = QString::fromUtf8(process.readAllStandardError()) +
                       QStringLiteral("\n[%1 after %2 s at most: %3]")
                           .arg(process.program())
                           .arg(kLongest / 1000)
                           .arg(why)};
    }

    QString m_path;
    QMap<QString, QString> m_variables;
    std::function<void()> m_prepare;
    QTemporaryDir m_dir;
};

}  // namespace ivm::test
