#include "framework/migrate/variable_drift.h"

#include <QCryptographicHash>
#include <QJsonDocument>

#include <algorithm>

namespace ivm::migrate {

namespace {

const QString kVariables = QStringLiteral("variables");

QString hashOf(const QString &value)
{
    constexpr qsizetype kDigits = 16;
    const auto hash = QCryptographicHash::hash(value.toUtf8(), QCryptographicHash::Sha256);
    return QString::fromLatin1(hash.toHex().first(kDigits));
}

bool hasRun(const Migration &migration, const LineState &state)
{
    const auto &open = state.open();
    return state.isApplied(migration.version) ||
           (open && open->version == migration.version && !open->hasDoneNothing());
}

// Of the last run of each version.
QMap<qint64, QJsonObject> hashesOf(const QList<MigrationEvent> &all)
{
    QMap<qint64, QJsonObject> out;
    for (const auto &event : all) {
        if (event.event == event::kStamped)
            out.clear();
        if (event.event != event::kUpgradeStarted)
            continue;
        const auto detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        out.insert(event.version, detail.value(kVariables).toObject());
    }
    return out;
}

}  // namespace

QJsonObject variablesDetail(const Migration &migration)
{
    if (migration.variables.isEmpty())
        return {};
    QJsonObject hashes;
    for (const auto &[name, value] : migration.variables.asKeyValueRange())
        hashes.insert(name, hashOf(value));
    return {{kVariables, hashes}};
}

bool usesVariables(const MigrationFolder &folder, const LineState &state)
{
    return std::ranges::any_of(folder.migrations, [&](const Migration &migration) {
        return !migration.variables.isEmpty() && hasRun(migration, state);
    });
}

QList<Error> variableDrift(const MigrationFolder &folder, const LineState &state,
                           const QList<MigrationEvent> &all)
{
    QList<Error> out;
    const auto hashes = hashesOf(all);
    for (const auto &migration : folder.migrations) {
        if (!hasRun(migration, state))
            continue;
        const QJsonObject then = hashes.value(migration.version);
        for (const auto &[name, value] : migration.variables.asKeyValueRange()) {
            const QString was = then.value(name).toString();
            if (!was.isEmpty() && was != hashOf(value))
                out.append(conflictError(QStringLiteral("the variable %1 has another value than "
                                                        "when this file was applied")
                                             .arg(name))
                               .withCode(u"migration_edited")
                               .at({migration.file, 0, 0})
                               .withHint(u"Set it to what it was"));
        }
    }
    return out;
}

}  // namespace ivm::migrate
