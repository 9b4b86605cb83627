// ivmd: keeps views fresh for as long as it runs, and tells how they are.
#include "cli/program/program.h"
#include "framework/base/log.h"
#include "framework/host/daemon.h"

#include <QCommandLineParser>
#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int failWith(const ivm::Error &error, int code)
{
    std::fprintf(stderr, "ivmd: error: %s\n", qPrintable(error.text()));
    return code;
}

int run(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("ivmd"));
    QCoreApplication::setApplicationVersion(ivm::hostVersion());

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Keeps the views of views.yaml equal to their SQL, and serves the page, the "
                       "API and the\nmetrics. SIGTERM ends it, SIGHUP reads views.yaml at once."));
    const QCommandLineOption config(
        {QStringLiteral("c"), QStringLiteral("config")},
        QStringLiteral("The configuration (default: ivm.yaml, else config.yaml)."),
        QStringLiteral("FILE"));
    const QCommandLineOption views(QStringLiteral("views"),
                                   QStringLiteral("The views (default: views.yaml)."),
                                   QStringLiteral("FILE"));
    const QCommandLineOption log(QStringLiteral("log"),
                                 QStringLiteral("Log lines as text (default) or json."),
                                 QStringLiteral("FORM"), QStringLiteral("text"));
    parser.addOptions({config, views, log});
    parser.addHelpOption();
    parser.addVersionOption();
    parser.process(application);
    const QString form = parser.value(log);
    if (!parser.positionalArguments().isEmpty())
        return failWith(
            ivm::invalidError(
                QStringLiteral("'%1' is too much").arg(parser.positionalArguments().first()))
                .withHint(u"See ivmd --help"),
            kUsage);
    if (form != u"text" && form != u"json")
        return failWith(
            ivm::invalidError(QStringLiteral("--log is '%1', expected text or json").arg(form)),
            kUsage);
    ivm::setUpHostLogging(form == u"json" ? ivm::LogForm::Json : ivm::LogForm::Text);

    const auto given = [&](const QCommandLineOption &option) {
        return parser.isSet(option) ? std::optional(parser.value(option)) : std::nullopt;
    };
    const ivm::HostRequest host =
        ivm::hostRequest(QStringLiteral("ivmd"), given(config), given(views));
    ivm::Daemon daemon(
        {host, ivm::webFolder(QCoreApplication::applicationDirPath(),
                              host.config.environment.value(QStringLiteral("IVM_WEB_FOLDER")))});
    ivm::followSignals(daemon);
    if (const auto started = daemon.start(); !started)
        return failWith(started.error(),
                        started.error().kind == ivm::ErrorKind::Invalid ? kUsage : kFailed);
    return QCoreApplication::exec();
}

}  // namespace

int main(int argc, char **argv)
{
    ivm::useUtf8();
    return run(argc, argv);
}
