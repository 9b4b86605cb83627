#include "plugins/executor_duckdb/statement/expire.h"

#include "framework/base/log.h"
#include "framework/iceberg/expiry.h"
#include "plugins/executor_duckdb/statement/ddl.h"

#include <QRegularExpression>

namespace ivm::duckdb {

namespace {

constexpr double kDay = 24.0 * 60 * 60 * 1000;
constexpr double kDefaultRetention = 7 * kDay;  // Trino's

// Milliseconds of a duration as Trino writes them: '7d', '1.5 h'.
Result<double> durationOf(const QString &text)
{
    static const QRegularExpression shape(
        QStringLiteral(R"(^\s*(\d{1,12}(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)\s*$)"));
    static const QMap<QString, double> units{
        {QStringLiteral("ns"), 1e-6},     {QStringLiteral("us"), 1e-3},
        {QStringLiteral("ms"), 1},        {QStringLiteral("s"), 1000},
        {QStringLiteral("m"), 60 * 1000}, {QStringLiteral("h"), 60 * 60 * 1000},
        {QStringLiteral("d"), kDay}};
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return fail(invalidError(QStringLiteral("'%1' is not a duration, as in '7d'").arg(text)));
    return match.captured(1).toDouble() * units.value(match.captured(2));
}

Result<double> retentionOf(const sql::TableExecute &statement, QStringView text)
{
    double retention = kDefaultRetention;
    for (const auto &argument : statement.arguments) {
        const auto *value = sql::as<sql::StringLiteral>(argument.value);
        const bool named = !argument.name || sql::sameName(argument.name->value,
                                                           QStringLiteral("retention_threshold"));
        if (!named || !value || statement.arguments.size() > 1) {
            return fail(
                placed(invalidError(QStringLiteral(
                           "expire_snapshots takes retention_threshold => '7d' and nothing else")),
                       argument.value->span, text));
        }
        auto duration = durationOf(value->value);
        if (!duration)
            return fail(placed(std::move(duration).error(), argument.value->span, text));
        retention = *duration;
    }
    return retention;
}

QString idsText(QList<SnapshotId> ids)
{
    std::ranges::sort(ids);
    QStringList texts;
    for (const SnapshotId id : ids)
        texts.append(QString::number(id));
    return texts.join(QStringLiteral(", "));
}

// Says what stays for whose sake.
void tellHeld(const TableName &name, const iceberg::ExpiryPlan &plan,
              const QList<HeldSnapshot> &held)
{
    if (plan.heldBack.isEmpty())
        return;
    QStringList views;
    for (const auto &one : held) {
        if (!views.contains(one.view))
            views.append(one.view);
    }
    views.sort();
    qCWarning(logExecutor, "expire_snapshots of %s keeps snapshots %s: needed by %s %s",
              qPrintable(name.text()), qPrintable(idsText(plan.heldBack.values())),
              views.size() == 1 ? "view" : "views", qPrintable(views.join(QStringLiteral(", "))));
}

// Another entry of the catalog may share the table's folder; its files are then not ours to judge.
Result<bool> isAlone(const iceberg::Table &table, iceberg::Warehouse warehouse)
{
    IVM_TRY(const QString folder, localPath(table.metadata.location));
    IVM_TRY(const auto tables, tablesIn(folder, warehouse.catalog));
    return std::ranges::all_of(tables, [&](const auto &name) { return name == table.name; });
}

void removeFiles(const iceberg::ExpiryPlan &plan, const iceberg::Table &table,
                 iceberg::Warehouse warehouse)
{
    QStringList left = plan.filesOfOthers;
    const auto alone = isAlone(table, warehouse);
    for (const QString &file : plan.files) {
        if (!alone || !*alone || !warehouse.io.remove(file))
            left.append(file);
    }
    if (!left.isEmpty())
        qCWarning(logExecutor, "%lld files that %s does not need any more stay, %s among them",
                  qlonglong(left.size()), qPrintable(table.name.text()), qPrintable(left.first()));
}

Status expireOnce(const TableName &name, double retention, const SafeHorizon &horizon,
                  const StatementContext &context)
{
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_TRY(const auto table, iceberg::loadTable(warehouse, name));
    QList<HeldSnapshot> held;
    if (horizon) {
        IVM_TRY(held, horizon(name));
    }
    const double now = double(warehouse.clock.now().toMSecsSinceEpoch());
    iceberg::ExpiryRequest request{
        .nowMs = qint64(now), .olderThanMs = qint64(std::max(0.0, now - retention)), .held = {}};
    for (const auto &one : held)
        request.held.append(one.snapshot);
    IVM_TRY(auto plan, iceberg::planExpiry(warehouse.io, table.metadata, request, context.call));
    tellHeld(name, plan, held);
    if (plan.expired.isEmpty())
        return {};
    IVM_CHECK(iceberg::commitMetadata(warehouse, table, plan.next));
    removeFiles(plan, table, warehouse);
    return {};
}

}  // namespace

Result<StatementResult> expireSnapshots(const TableName &name, const sql::TableExecute &statement,
                                        const SafeHorizon &horizon, const StatementContext &context)
{
    IVM_TRY(const double retention, retentionOf(statement, context.text));
    return retried(context.call, [&]() -> Result<StatementResult> {
        IVM_CHECK(expireOnce(name, retention, horizon, context));
        return StatementResult{.statementId = {},
                               .updateType = QStringLiteral("ALTER TABLE EXECUTE")};
    });
}

}  // namespace ivm::duckdb
