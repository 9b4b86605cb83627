#include "framework/migrate/history_state.h"

#include "framework/migrate/version_text.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ivm::migrate {

namespace {

Error drift(QString message, const QString &code, const QString &file, QStringView hint)
{
    return conflictError(std::move(message)).withCode(code).at({file, 0, 0}).withHint(hint);
}

OpenRun::Step &stepOf(OpenRun &run, qint64 number)
{
    while (run.steps.size() < number)
        run.steps.append(OpenRun::Step());
    return run.steps[number - 1];
}

QString textOf(const MigrationEvent &event, QStringView key)
{
    return QJsonDocument::fromJson(event.detail.toUtf8()).object().value(key).toString();
}

// A step that failed may have taken effect only where its end is not known.
bool isUnclear(const MigrationEvent &event)
{
    return QJsonDocument::fromJson(event.detail.toUtf8()).object().value(u"unclear").toBool();
}

void take(const MigrationEvent &event, OpenRun &run)
{
    if (event.step < 1 || event.step > 100'000) {
        if (event.event == event::kUpgradeFailed || event.event == event::kDowngradeFailed)
            run.error = textOf(event, u"error");
        return;
    }
    auto &step = stepOf(run, event.step);
    step.checksum = event.checksum;
    if (event.event == event::kStepDone) {
        step.state = StepState::Done;
        run.error.clear();
    } else if (event.event == event::kStepFailed) {
        step.state = isUnclear(event) ? StepState::Unclear : StepState::Pending;
        run.error = textOf(event, u"error");
    } else if (event.event == event::kStepStarted) {
        step.state = StepState::Unclear;
        step.begun = textOf(event, u"before");
        run.error.clear();
    }
}

std::optional<OpenRun> openRunOf(const QList<MigrationEvent> &events, const QString &line)
{
    std::optional<OpenRun> run;
    for (const auto &event : events) {
        if (event.line != line)
            continue;
        const bool isUp = event.event == event::kUpgradeStarted;
        if (isUp || event.event == event::kDowngradeStarted) {
            const auto direction = isUp ? Direction::Upgrade : Direction::Downgrade;
            // The same one that is gone on with keeps what it has done.
            if (!run || run->version != event.version || run->direction != direction)
                run = OpenRun{.version = event.version,
                              .direction = direction,
                              .steps = {},
                              .error = {},
                              .since = event.at,
                              .actor = event.actor};
        } else if (run && run->version == event.version) {
            take(event, *run);
        }
    }
    return run;
}

// Enough for people to tell two apart.
QString shortened(const QString &checksum) { return checksum.left(12); }

void addEdited(const Migration &migration, const MigrationRecord &record, qint64 current,
               QList<Error> &out)
{
    if (record.checksum == migration.checksum || record.checksum == migration.otherChecksum)
        return;
    out.append(drift(QStringLiteral("the file was edited after it was applied: its checksum is %1, "
                                    "applied was %2")
                         .arg(shortened(migration.checksum), shortened(record.checksum)),
                     QStringLiteral("migration_edited"), migration.file,
                     QStringLiteral("Take the file as it was, and write the change into a new "
                                    "migration; or 'ivmctl migrate stamp %1' to say that the file "
                                    "as it is was applied")
                         .arg(current)));
}

void addEditedSteps(const MigrationFolder &folder, const OpenRun &run, QList<Error> &out)
{
    const Migration *migration = folder.find(run.version);
    if (!migration && !run.hasDoneNothing())
        out.append(drift(QStringLiteral("the file of %1, whose %2 did not end, is gone")
                             .arg(versionText(run.version), directionName(run.direction)),
                         QStringLiteral("migration_missing"), folder.path, u"Bring the file back"));
    if (!migration)
        return;
    const bool isUp = run.direction == Direction::Upgrade;
    if (!isUp && !migration->downgrade)
        return;
    const auto &steps = isUp ? migration->upgrade : *migration->downgrade;
    for (qsizetype i = 0; i < run.steps.size(); ++i) {
        const auto &ran = run.steps[i];
        if (ran.state == StepState::Pending)
            continue;
        const QString now = i < steps.size() ? steps[i].checksum : QStringLiteral("(gone)");
        if (now != ran.checksum)
            out.append(drift(
                QStringLiteral("step %1 of the %2 was edited after it was run: its "
                               "checksum is %3, run was %4")
                    .arg(i + 1)
                    .arg(directionName(run.direction), shortened(now), shortened(ran.checksum)),
                QStringLiteral("step_edited"), migration->file,
                u"Take the step as it was; steps that did not run yet may be edited"));
    }
}

}  // namespace

QString directionName(Direction direction)
{
    return direction == Direction::Upgrade ? QStringLiteral("upgrade")
                                           : QStringLiteral("downgrade");
}

qsizetype OpenRun::done() const { return std::ranges::count(steps, StepState::Done, &Step::state); }

bool OpenRun::hasDoneNothing() const
{
    return std::ranges::all_of(steps,
                               [](const Step &step) { return step.state == StepState::Pending; });
}

QString OpenRun::doneText() const
{
    const auto count = done();
    return count == 1 ? QStringLiteral("1 of its steps is done")
                      : QStringLiteral("%1 of its steps are done").arg(count);
}

QString OpenRun::command() const
{
    return direction == Direction::Upgrade
               ? QStringLiteral("ivmctl migrate upgrade")
               : QStringLiteral("ivmctl migrate downgrade %1").arg(version - 1);
}

qint64 OpenRun::unclear() const
{
    const auto found = std::ranges::find(steps, StepState::Unclear, &Step::state);
    return found == steps.end() ? 0 : found - steps.begin() + 1;
}

LineState::LineState(const MigrationHistory &history, const QString &line)
    : m_line(line), m_open(openRunOf(history.open, line))
{
    for (const auto &record : history.records) {
        if (record.line == line)
            m_records.append(record);
    }
    std::ranges::sort(m_records, {}, &MigrationRecord::version);
    const auto lock = std::ranges::find(history.locks, line, &MigrationLock::line);
    if (lock != history.locks.end())
        m_lock = *lock;
    // The record is written before the last event: a run that died between them has ended.
    if (m_open) {
        const auto *found = record(m_open->version);
        const bool isUp = m_open->direction == Direction::Upgrade;
        if (found &&
            found->status == (isUp ? MigrationStatus::Applied : MigrationStatus::RolledBack))
            m_open.reset();
    }
    // Whatever was written of it, the way back was not begun.
    const bool isUntouched =
        m_open && m_open->direction == Direction::Downgrade && m_open->hasDoneNothing();
    for (auto &record : m_records) {
        if (isUntouched && record.version == m_open->version) {
            record.status = MigrationStatus::Applied;
            record.error.clear();
        }
        if (record.status == MigrationStatus::Applied)
            m_current = record.version;
    }
}

const MigrationRecord *LineState::record(qint64 version) const
{
    const auto found = std::ranges::lower_bound(m_records, version, {}, &MigrationRecord::version);
    return found != m_records.end() && found->version == version ? &*found : nullptr;
}

qint64 LineState::lastToTakeBack() const
{
    const bool isOpen = m_open && m_open->direction == Direction::Downgrade;
    return isOpen ? std::max(m_current, m_open->version) : m_current;
}

bool LineState::isApplied(qint64 version) const
{
    const auto *found = record(version);
    return found && found->status == MigrationStatus::Applied;
}

Status recordUntouched(HistoryStore &store, const MigrationHistory &history, const LineState &state,
                       const Call &call)
{
    for (const auto &record : state.records()) {
        if (!history.records.contains(record))
            IVM_CHECK(store.save(record, call));
    }
    return {};
}

QList<Error> driftOf(const MigrationFolder &folder, const LineState &state)
{
    QList<Error> out;
    const qint64 head = folder.head();
    if (state.current() > head)
        out.append(drift(QStringLiteral("the catalog is at %1, and these files know up to %2")
                             .arg(versionText(state.current()), versionText(head)),
                         QStringLiteral("catalog_ahead"), folder.path,
                         u"Use the newer files; or downgrade with them first"));
    qint64 expected = 1;
    for (const auto &record : state.records()) {
        if (record.status != MigrationStatus::Applied)
            continue;
        for (; expected < record.version; ++expected)
            out.append(drift(QStringLiteral("%1 is applied, and %2 is not")
                                 .arg(versionText(record.version), versionText(expected)),
                             QStringLiteral("migration_gap"), folder.path,
                             u"Apply it by hand where it is missing, then 'ivmctl migrate stamp'"));
        expected = record.version + 1;
        if (const Migration *migration = folder.find(record.version))
            addEdited(*migration, record, state.current(), out);
        else if (record.version <= head)
            out.append(drift(QStringLiteral("the file of %1 (%2), which is applied, is gone")
                                 .arg(versionText(record.version), record.description),
                             QStringLiteral("migration_missing"), folder.path,
                             u"Bring the file back"));
    }
    if (state.open())
        addEditedSteps(folder, *state.open(), out);
    return out;
}

bool isDrift(const Error &error)
{
    static const QStringList codes{QStringLiteral("migration_edited"),
                                   QStringLiteral("migration_missing"),
                                   QStringLiteral("catalog_ahead"), QStringLiteral("migration_gap"),
                                   QStringLiteral("step_edited")};
    return codes.contains(error.code);
}

}  // namespace ivm::migrate
