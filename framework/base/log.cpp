#include "framework/base/log.h"

#include <cstdio>

namespace ivm {

Q_LOGGING_CATEGORY(logRefresh, "ivm.refresh", QtInfoMsg)
Q_LOGGING_CATEGORY(logPlugin, "ivm.plugin", QtInfoMsg)
Q_LOGGING_CATEGORY(logExecutor, "ivm.executor", QtInfoMsg)
Q_LOGGING_CATEGORY(logStore, "ivm.store", QtInfoMsg)

namespace {

const char *word(QtMsgType type)
{
    switch (type) {
    case QtDebugMsg: return "debug";
    case QtInfoMsg: return "info";
    case QtWarningMsg: return "warning";
    case QtCriticalMsg: return "error";
    case QtFatalMsg: return "fatal";
    }
    return "info";
}

void writeLine(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const QByteArray line =
        QStringLiteral("%1 %2: %3\n")
            .arg(QLatin1StringView(word(type)),
                 QLatin1StringView(context.category ? context.category : "ivm"), message)
            .toUtf8();
    std::fwrite(line.constData(), 1, size_t(line.size()), stderr);
}

}  // namespace

void setUpLogging(LogLevel level)
{
    qInstallMessageHandler(writeLine);
    const char *rules = level == LogLevel::Quiet ? "*.debug=false\n*.info=false\n*.warning=false"
                        : level == LogLevel::Verbose
                            ? "*.debug=false\nivm.*.debug=true\nivm.*.info=true"
                            : "*.debug=false\n*.info=false";
    QLoggingCategory::setFilterRules(QLatin1StringView(rules));
}

}  // namespace ivm
