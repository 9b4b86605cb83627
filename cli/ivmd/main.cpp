// ivmd: keeps views fresh for as long as it runs, and tells how they are.
#include "cli/program/program.h"
#include "framework/base/log.h"
#include "framework/host/daemon.h"
#include "framework/host/process.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QElapsedTimer>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

int failWith(const ivm::Error &error)
{
    constexpr int kFailed = 1;
    constexpr int kUsage = 2;
    std::fprintf(stderr, "ivmd: error: %s\n", qPrintable(error.text()));
    return error.kind == ivm::ErrorKind::Invalid ? kUsage : kFailed;
}

// The main thread never waits for anything; where it does, a debug build says so.
class Application final : public QCoreApplication {
public:
    using QCoreApplication::QCoreApplication;

#ifndef NDEBUG
    bool notify(QObject *receiver, QEvent *event) override
    {
        constexpr qint64 kLongest = 50;
        const char *who = receiver->metaObject()->className();  // it may be gone afterwards
        QElapsedTimer timer;
        timer.start();
        const bool done = QCoreApplication::notify(receiver, event);
        if (const qint64 took = timer.elapsed(); took > kLongest)
            qCWarning(ivm::logHost, "the main thread was held up for %lld ms by %s",
                      qlonglong(took), who);
        return done;
    }
#endif
};

int run(int argc, char **argv)
{
    const Application application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("ivmd"));
    QCoreApplication::setApplicationVersion(ivm::hostVersion());

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Keeps the views of views.yaml equal to their SQL, and serves the page, the "
                       "API and the\nmetrics. SIGTERM ends it, SIGHUP reads views.yaml at once."));
    const QCommandLineOption config({QStringLiteral("c"), QStringLiteral("config")},
                                    QStringLiteral("Configuration (ivm.yaml, else config.yaml)."),
                                    QStringLiteral("FILE"));
    const QCommandLineOption views(QStringLiteral("views"), QStringLiteral("Views (views.yaml)."),
                                   QStringLiteral("FILE"));
    const QCommandLineOption log(QStringLiteral("log"), QStringLiteral("Lines of text or json."),
                                 QStringLiteral("FORM"), QStringLiteral("text"));
    parser.addOptions({config, views, log});
    parser.addHelpOption();
    parser.addVersionOption();
    parser.process(application);
    const auto form = ivm::logFormFromName(parser.value(log));
    if (!form)
        return failWith(form.error());
    if (const auto words = parser.positionalArguments(); !words.isEmpty())
        return failWith(ivm::invalidError(QStringLiteral("'%1' is too much").arg(words.first()))
                            .withHint(u"See ivmd --help"));
    ivm::setUpHostLogging(*form);
    ivm::allowManyFiles();

    const auto given = [&](const QCommandLineOption &option) {
        return parser.isSet(option) ? std::optional(parser.value(option)) : std::nullopt;
    };
    ivm::Daemon daemon(
        {ivm::hostRequest(QStringLiteral("ivmd"), given(config), given(views)),
         ivm::webFolder(QCoreApplication::applicationDirPath(), qgetenv("IVM_WEB_FOLDER"))});
    ivm::followSignals(
        daemon, [&daemon](int signal) { signal == SIGHUP ? daemon.reload() : daemon.stop(); });
    const auto address = daemon.start();
    if (!address)
        return failWith(address.error());
    std::printf("ivmd: serving %s\n", address->toEncoded().constData());
    std::fflush(stdout);
    const int code = QCoreApplication::exec();
    if (daemon.hasLeftWork())
        std::_Exit(code);
    return code;
}

}  // namespace

int main(int argc, char **argv)
{
    ivm::useUtf8();
    return run(argc, argv);
}
