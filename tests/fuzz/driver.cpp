// Plays inputs without a fuzzer:
//   fuzz_x                  the findings, then mutated seeds
//   fuzz_x FILE…            these
//   fuzz_x --seeds FOLDER   plays nothing and writes the seeds into the folder
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace ivm;

namespace {

// For the handler, which may do little.
const char *crashPath = nullptr;
const QByteArray *playing = nullptr;

extern "C" void keepInput(int signal)
{
    const int file = ::open(crashPath, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && playing) {
        [[maybe_unused]] const auto written =
            ::write(file, playing->constData(), size_t(playing->size()));
        ::close(file);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// An input that ends the program is kept, where the stack ran over, too.
void keepInputOfCrashes()
{
    static std::array<char, 64 * 1024> stack;
    const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_handler = keepInput;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
        sigaction(signal, &action, nullptr);
}

bool play(const QByteArray &input, const QString &name)
{
    playing = &input;
    const QString wrong = fuzz::complaint(input);
    playing = nullptr;
    if (!wrong.isEmpty())
        std::fprintf(stderr, "%s: %s\nThe input: %s\n", qPrintable(name), qPrintable(wrong),
                     input.toPercentEncoding(" \n(){}[]'\",.:;=*+-/<>|&?!@#$^").constData());
    return wrong.isEmpty();
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    return file.readAll();
}

bool playFiles(const QStringList &paths)
{
    bool good = true;
    for (const auto &path : paths)
        good = play(contents(path), path) && good;
    return good;
}

QStringList findings()
{
    const QDir folder(QStringLiteral(IVM_SOURCE_DIR "/tests/fuzz/findings/") + fuzz::targetName());
    QStringList paths;
    for (const auto &name : folder.entryList(QDir::Files, QDir::Name))
        paths.append(folder.filePath(name));
    return paths;
}

int number(const char *variable, int usual)
{
    bool given = false;
    const int value = qEnvironmentVariableIntValue(variable, &given);
    return given ? value : usual;
}

bool playMutations()
{
    const auto seeds = fuzz::seeds();
    if (seeds.isEmpty())
        qFatal("there are no seeds");
    const int seed = number("IVM_SEED", 1);
    fuzz::Mutator mutator(seeds, fuzz::words(), quint32(seed));
    for (const auto &one : seeds) {
        if (!play(one, QStringLiteral("a seed")))
            return false;
    }
    const int inputs = number("IVM_FUZZ_INPUTS", fuzz::usualInputs());
    for (int i = 0; i < inputs; ++i) {
        if (!play(mutator.next(), QStringLiteral("IVM_SEED=%1, input %2").arg(seed).arg(i)))
            return false;
    }
    std::printf("%lld seeds and %d inputs\n", static_cast<long long>(seeds.size()), inputs);
    return true;
}

int writeSeeds(const QString &folder)
{
    const auto seeds = fuzz::seeds();
    for (qsizetype i = 0; i < seeds.size(); ++i) {
        QFile file(QDir(folder).filePath(QStringLiteral("seed-%1").arg(i)));
        if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly) ||
            file.write(seeds[i]) != seeds[i].size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    static const QByteArray path = QFile::encodeName(
        QDir::temp().filePath(QStringLiteral("fuzz_%1.crash").arg(fuzz::targetName())));
    crashPath = path.constData();
    keepInputOfCrashes();
    const QStringList arguments = QCoreApplication::arguments().mid(1);
    if (arguments.value(0) == u"--seeds")
        return writeSeeds(arguments.value(1));
    const bool good =
        arguments.isEmpty() ? playFiles(findings()) && playMutations() : playFiles(arguments);
    return good ? 0 : 1;
}
