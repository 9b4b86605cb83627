#include "framework/base/log.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

namespace ivm {

Q_LOGGING_CATEGORY(logHost, "ivm.host", QtInfoMsg)
Q_LOGGING_CATEGORY(logRefresh, "ivm.refresh", QtInfoMsg)
Q_LOGGING_CATEGORY(logPlugin, "ivm.plugin", QtInfoMsg)
Q_LOGGING_CATEGORY(logExecutor, "ivm.executor", QtInfoMsg)
Q_LOGGING_CATEGORY(logStore, "ivm.store", QtInfoMsg)
Q_LOGGING_CATEGORY(logMigrate, "ivm.migrate", QtInfoMsg)

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

void write(const QByteArray &line)
{
    std::fwrite(line.constData(), 1, size_t(line.size()), stderr);
}

void writeLine(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const QByteArray line =
        QStringLiteral("%1 %2: %3\n")
            .arg(QLatin1StringView(word(type)),
                 QLatin1StringView(context.category ? context.category : "ivm"), message)
            .toUtf8();
    write(line);
}

void writeHostLine(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const QString line = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs) + u' ' +
                         QLatin1StringView(word(type)).toString() + u' ' +
                         QLatin1StringView(context.category ? context.category : "ivm").toString() +
                         QStringLiteral(": ") + message + u'\n';
    write(line.toUtf8());
}

void writeHostJson(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const QJsonObject line{
        {QStringLiteral("time"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)},
        {QStringLiteral("level"), QString::fromLatin1(word(type))},
        {QStringLiteral("category"), QString::fromLatin1(context.category)},
        {QStringLiteral("message"), message}};
    write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
}

}  // namespace

Result<LogForm> logFormFromName(QStringView name)
{
    if (name == u"text")
        return LogForm::Text;
    if (name == u"json")
        return LogForm::Json;
    return fail(
        invalidError(QStringLiteral("log lines are '%1', expected text or json").arg(name)));
}

void setUpHostLogging(LogForm form)
{
    qInstallMessageHandler(form == LogForm::Json ? writeHostJson : writeHostLine);
    QLoggingCategory::setFilterRules(
        QStringLiteral("*.debug=false\n*.info=false\nivm.*.info=true"));
}

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
