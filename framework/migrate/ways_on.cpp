#include "framework/migrate/ways_on.h"

namespace ivm::migrate {

namespace {

// The statement of the author's whose outcome is not known: any other step is looked at by the run
// that goes on.
const Step *statementToSettle(const OpenRun &open, const MigrationFolder &folder)
{
    const qint64 number = open.unclear();
    const Migration *migration = folder.find(open.version);
    if (number == 0 || !migration)
        return nullptr;
    const bool isUp = open.direction == Direction::Upgrade;
    if (!isUp && !migration->downgrade)
        return nullptr;
    const auto &steps = isUp ? migration->upgrade : *migration->downgrade;
    if (number > steps.size() || !std::holds_alternative<Sql>(steps[number - 1].operation))
        return nullptr;
    return &steps[number - 1];
}

}  // namespace

QStringList waysOn(const OpenRun &open, const MigrationFolder &folder)
{
    QStringList out;
    const QString command = open.command();
    if (const Step *step = statementToSettle(open, folder))
        out.append(QStringLiteral("look whether step %1 (%2) took effect ('ivmctl tables NAME "
                                  "--snapshots' shows what was committed), and say so: 'ivmctl "
                                  "migrate repair --step-done' or '--step-not-done'")
                       .arg(QString::number(open.unclear()), operationText(step->operation)));
    else if (!open.error.isEmpty())
        out.append(
            QStringLiteral("mend what it failed with; steps that did not run may be edited"));
    if (open.direction == Direction::Downgrade || !open.hasDoneNothing()) {
        out.append(QStringLiteral("'%1' goes on with it").arg(command));
    } else {
        out.append(QStringLiteral("'%1' begins it again; nothing of it is done, so a downgrade "
                                  "would take back the migration before it")
                       .arg(command));
        return out;
    }
    if (open.direction == Direction::Upgrade)
        out.append(QStringLiteral("or give it up: delete the steps that did not run, and 'verify', "
                                  "from its file, then '%1' and 'ivmctl migrate downgrade %2'")
                       .arg(command, QString::number(open.version - 1)));
    return out;
}

}  // namespace ivm::migrate
