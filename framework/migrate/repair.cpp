#include "framework/migrate/repair.h"

#include "framework/base/json.h"
#include "framework/migrate/version_text.h"
#include "framework/migrate/ways_on.h"
#include "framework/view/outputs.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace ivm::migrate {

namespace {

QString textOf(const QJsonObject &object) { return QString::fromUtf8(json::compact(object)); }

// The versions of the view whose tables are in its target's schema: "hourly__v7".
Result<QList<qint64>> versionsBeside(const ViewSpec &spec, Session &session, const Call &call)
{
    const QString schema =
        quotedIdentifier(spec.target.catalog) + u'.' + quotedIdentifier(spec.target.schema);
    const auto tables = query(session, QString(QStringLiteral("SHOW TABLES FROM ") + schema), call);
    // With its schema all of them are gone.
    if (!tables && tables.error().kind == ErrorKind::NotFound)
        return QList<qint64>();
    if (!tables)
        return fail(tables.error());
    const QRegularExpression form(QStringLiteral("\\A%1__v([0-9]{1,9})\\z")
                                      .arg(QRegularExpression::escape(spec.target.table)));
    QList<qint64> out;
    for (const auto &row : tables->rows) {
        const auto match = form.match(row.front().text());
        if (match.hasMatch())
            out.append(match.captured(1).toLongLong());
    }
    return out;
}

QString unclearText(const OpenRun &open)
{
    const qint64 step = open.unclear();
    return step > 0 ? QStringLiteral("; whether its step %1 took effect is not known").arg(step)
                    : QString();
}

// The records that differ from what the stamp says. Those that there is no file of come last.
QList<MigrationRecord> stampedRecords(const MigrationFolder &folder, const LineState &state,
                                      qint64 version)
{
    QList<MigrationRecord> out;
    for (const auto &migration : folder.migrations) {
        const auto *record = state.record(migration.version);
        const bool isWanted = migration.version <= version;
        const auto status = isWanted ? MigrationStatus::Applied : MigrationStatus::RolledBack;
        const bool isSame = record ? record->status == status &&
                                         (!isWanted || record->checksum == migration.checksum)
                                   : !isWanted;
        if (!isSame)
            out.append({.version = migration.version,
                        .line = folder.line,
                        .description = migration.description,
                        .appliedAt = {},
                        .status = status,
                        .error = {},
                        .checksum = migration.checksum,
                        .durationMs = 0,
                        .appliedBy = {}});
    }
    for (MigrationRecord record : state.records()) {
        if (record.version <= version || folder.find(record.version) ||
            record.status == MigrationStatus::RolledBack)
            continue;
        record.status = MigrationStatus::RolledBack;
        record.error.clear();
        record.durationMs = 0;
        out.append(record);
    }
    return out;
}

// A view that a migration made is there until its migration is taken back: a history that says
// otherwise could be followed neither way.
Status checkViewsStay(const MigrationHistory &history, const QString &line, qint64 version)
{
    for (const auto &view : history.views) {
        if (view.line == line && view.version > version)
            return fail(conflictError(QStringLiteral("view '%1' is of migration %2, which would "
                                                     "not be applied any more")
                                          .arg(view.name, versionText(view.version)))
                            .withCode(u"stamped_behind_view")
                            .withHint(QStringLiteral("Take it back instead: 'ivmctl migrate "
                                                     "downgrade %1'; where %2 did not end, after "
                                                     "'ivmctl migrate stamp %3'")
                                          .arg(QString::number(version), versionText(view.version),
                                               QString::number(view.version))));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<LockKeeper>> Repair::lock(const QString &line, const QString &doing,
                                                 const Call &call)
{
    return LockKeeper::acquire(
        m_services.history, {.line = line, .owner = m_services.actor.owner, .doing = doing}, call);
}

Status Repair::stamp(const MigrationFolder &folder, qint64 version, const Call &call)
{
    if (!folder.problems.isEmpty())
        return fail(folder.problems.first());
    if (version > 0 && !folder.find(version))
        return fail(noMigrationError(folder, version));
    IVM_TRY(const auto keeper, lock(folder.line, QStringLiteral("stamp to %1").arg(version), call));
    IVM_TRY(const auto history, m_services.history.history(keeper->call()));
    IVM_CHECK(checkViewsStay(history, folder.line, version));
    const LineState state(history, folder.line);
    IVM_CHECK(recordUntouched(m_services.history, history, state, keeper->call()));
    Journal journal(m_services.history, m_services.clock, m_services.actor, folder.line,
                    history.lastEvent.value(folder.line));
    for (MigrationRecord record : stampedRecords(folder, state, version)) {
        record.appliedAt = journal.now();
        record.appliedBy = m_services.actor.name;
        IVM_CHECK(m_services.history.save(record, keeper->call()));
    }
    const Migration *at = folder.find(version);
    journal.note({.event = event::kStamped,
                  .version = version,
                  .step = 0,
                  .checksum = at ? at->checksum : QString()});
    return journal.write(keeper->call());
}

Result<QStringList> Repair::settleStep(const MigrationFolder &folder, Outcome outcome,
                                       const Call &call)
{
    IVM_TRY(const auto keeper, lock(folder.line, QStringLiteral("repair"), call));
    IVM_TRY(const auto history, m_services.history.history(keeper->call()));
    const LineState state(history, folder.line);
    const auto &open = state.open();
    const qint64 step = open ? open->unclear() : 0;
    if (step == 0)
        return fail(notFoundError(QStringLiteral("there is no step whose outcome is not known"))
                        .withCode(u"nothing_unclear")
                        .withHint(u"See 'ivmctl migrate status'"));
    Journal journal(m_services.history, m_services.clock, m_services.actor, folder.line,
                    history.lastEvent.value(folder.line));
    const bool isDone = outcome == Outcome::Done;
    journal.note({.event = isDone ? event::kStepDone : event::kStepFailed,
                  .version = open->version,
                  .step = step,
                  .checksum = open->steps[step - 1].checksum,
                  .detail = textOf({{QStringLiteral("told"), m_services.actor.name}})});
    IVM_CHECK(journal.write(keeper->call()));
    IVM_TRY(const auto after, m_services.history.history(keeper->call()));
    const LineState now(after, folder.line);
    return now.open() ? waysOn(*now.open(), folder) : QStringList();
}

Result<QString> Repair::unlock(const QString &line, From from, const Call &call)
{
    IVM_TRY(const auto history, m_services.history.history(call));
    const LineState state(history, line);
    const auto &lock = state.lock();
    if (!lock)
        return fail(notFoundError(QStringLiteral("nobody holds the migration lock"))
                        .withCode(u"no_migration_lock"));
    // As a run would: only the store can tell, at the moment of taking it, that it is nobody's, and
    // that no statement of its holder is at work any more. Given back at the end.
    std::unique_ptr<LockKeeper> taken;
    if (from == From::TheDead) {
        IVM_TRY(taken, this->lock(line, QStringLiteral("unlock"), call));
    } else {
        IVM_CHECK(m_services.history.breakLock(line, call));
    }
    Journal journal(m_services.history, m_services.clock, m_services.actor, line,
                    history.lastEvent.value(line));
    journal.note({.event = event::kUnlocked,
                  .version = state.open() ? state.open()->version : state.current(),
                  .step = 0,
                  .checksum = {},
                  .detail = textOf({{QStringLiteral("owner"), lock->owner}})});
    IVM_CHECK(journal.write(call));
    return lock->owner;
}

Status Repair::repairLock(const QString &line, Report &report, const Call &call)
{
    IVM_TRY(const auto history, m_services.history.history(call));
    const LineState state(history, line);
    const auto &lock = state.lock();
    if (!lock)
        return {};
    IVM_CHECK(unlock(line, From::TheDead, call));
    report.found.append(
        QStringLiteral("the lock of %1, which gives no sign of life").arg(lock->owner));
    report.done.append(QStringLiteral("took the lock away"));
    return {};
}

Status Repair::dropLeftovers(const MigrationHistory &history, const LineState &state,
                             Report &report, const Call &call)
{
    if (history.views.isEmpty())
        return {};
    IVM_TRY(Executor * executor, m_services.executor());
    IVM_TRY(const auto session, executor->openSession({}, call));
    const auto &open = state.open();
    // The run that is gone on with needs it: one of the way back is of a version before.
    const auto isNeeded = [&](qint64 version) {
        return open && (open->direction == Direction::Downgrade || open->version == version);
    };
    for (const auto &row : history.views) {
        if (row.line != state.line())
            continue;
        IVM_TRY(const auto spec,
                specOfEntry(row.definition.toUtf8(), row.name, m_services.defaults));
        const auto versions = versionsBeside(spec, *session, call);
        // The rest is to be told all the same.
        if (!versions) {
            report.left.append(QStringLiteral("look for tables beside view '%1' again: %2")
                                   .arg(row.name, versions.error().text()));
            continue;
        }
        for (const auto version : *versions) {
            if (isNeeded(version))
                continue;
            const View beside = besideOf({spec, {}}, version);
            IVM_TRY(const auto info, session->tableInfo(beside.spec.target, call));
            if (!tellsOf(info.comment, beside.spec))
                continue;
            const QString table = beside.spec.target.text();
            report.found.append(
                QStringLiteral("table %1, which a rollout was building").arg(table));
            IVM_CHECK(m_services.builder.drop(beside, ViewBuilder::Target::Drop, call));
            report.done.append(QStringLiteral("dropped table %1").arg(table));
        }
    }
    return {};
}

Result<Repair::Report> Repair::repair(const MigrationFolder &folder, const Call &call)
{
    Report report;
    IVM_CHECK(repairLock(folder.line, report, call));
    IVM_TRY(const auto keeper, lock(folder.line, QStringLiteral("repair"), call));
    IVM_TRY(const auto history, m_services.history.history(keeper->call()));
    const LineState state(history, folder.line);
    IVM_CHECK(dropLeftovers(history, state, report, keeper->call()));
    for (const auto &drift : driftOf(folder, state)) {
        report.found.append(QFileInfo(drift.place.file).fileName() + QStringLiteral(": ") +
                            drift.message);
        report.left.append(drift.hint);
    }
    if (const auto &open = state.open()) {
        const QString direction = directionName(open->direction);
        const QString why = open->error.isEmpty() ? QString() : QString(u": " + open->error);
        report.found.append(QStringLiteral("the %1 of %2, which did not end: %3%4%5")
                                .arg(direction, versionText(open->version), open->doneText(),
                                     unclearText(*open), why));
        report.left += waysOn(*open, folder);
    }
    if (!report.done.isEmpty() && !state.open()) {
        Journal journal(m_services.history, m_services.clock, m_services.actor, folder.line,
                        history.lastEvent.value(folder.line));
        journal.note(
            {.event = event::kRepaired,
             .version = state.current(),
             .step = 0,
             .checksum = {},
             .detail = textOf({{QStringLiteral("done"), report.done.join(QStringLiteral("; "))}})});
        IVM_CHECK(journal.write(keeper->call()));
    }
    return report;
}

}  // namespace ivm::migrate
