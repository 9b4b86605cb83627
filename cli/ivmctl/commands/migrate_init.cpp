// ivmctl migrate init: makes the folder of migrations.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/migrate/revision.h"

#include <QFileInfo>

namespace ivm::ctl {

namespace {

// The options that lead to the same folder again.
QString sameFolder(const Arguments &arguments)
{
    QString text;
    for (const auto &option : {QStringLiteral("--namespace"), QStringLiteral("--folder")}) {
        if (const QString value = arguments.options.value(option); !value.isEmpty())
            text += QStringLiteral(" %1 %2").arg(option, visible(value));
    }
    return text;
}

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const auto request = folderRequest(context);
    const bool isDefault = request.line == migrate::kDefaultLine;
    const bool isThere = QFileInfo::exists(
        isDefault ? request.folder : QString(request.folder + u'/' + request.line));
    const auto made = migrate::makeFolder(request);
    if (!made)
        return failWith(context, made.error());
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("folder"), *made}});
    else
        context.terminal.line(
            QStringLiteral("%1 %2; write the next migration with 'ivmctl migrate revision -m "
                           "TEXT%3'")
                .arg(isThere ? QStringLiteral("there is") : QStringLiteral("made"), visible(*made),
                     sameFolder(context.arguments)));
    return Exit::Done;
}

}  // namespace

Command migrateInitCommand()
{
    return {{.name = QStringLiteral("migrate init"),
             .words = {},
             .summary = QStringLiteral("makes the folder of migrations"),
             .details = QStringLiteral("Makes the folder, with a README that tells what belongs "
                                       "into it. What is there is left alone."),
             .examples = {QStringLiteral("ivmctl migrate init"),
                          QStringLiteral("ivmctl migrate init --namespace sales")},
             .options = migrateOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
