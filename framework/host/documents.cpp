#include "framework/host/documents.h"

#include "framework/host/value_text.h"

namespace ivm {

namespace {

QJsonValue orNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

QJsonValue orNull(const std::optional<QString> &text)
{
    return text ? QJsonValue(*text) : QJsonValue(QJsonValue::Null);
}

QJsonValue snapshotJson(const std::optional<TableHead> &head)
{
    return head && head->snapshot ? QJsonValue(QString::number(*head->snapshot))
                                  : QJsonValue(QJsonValue::Null);
}

QString roleName(SourceRole role)
{
    return role == SourceRole::Driving ? QStringLiteral("driving") : QStringLiteral("other");
}

}  // namespace

QJsonObject errorJson(const Error &error)
{
    const auto orNull = [](int number) {
        return number > 0 ? QJsonValue(number) : QJsonValue(QJsonValue::Null);
    };
    QJsonObject out{{QStringLiteral("code"), error.code},
                    {QStringLiteral("message"), error.message},
                    {QStringLiteral("line"), orNull(error.place.line)},
                    {QStringLiteral("column"), orNull(error.place.column)}};
    if (!error.place.file.isEmpty())
        out.insert(QStringLiteral("file"), error.place.file);
    if (!error.hint.isEmpty())
        out.insert(QStringLiteral("hint"), error.hint);
    return out;
}

QStringList sourceNames(const ViewShape &shape)
{
    QStringList names;
    for (const auto &source : shape.sources)
        names.append(source.table.text());
    return names;
}

QJsonArray columnsJson(const ViewShape &shape)
{
    QJsonArray columns;
    for (const auto &column : shape.columns)
        columns.append(QJsonObject{{QStringLiteral("name"), column.name},
                                   {QStringLiteral("class"), columnClassName(column.columnClass)}});
    return columns;
}

QString columnClassName(ColumnClass columnClass)
{
    switch (columnClass) {
    case ColumnClass::Key: return QStringLiteral("key");
    case ColumnClass::Exact: return QStringLiteral("exact");
    case ColumnClass::Float: return QStringLiteral("float");
    case ColumnClass::Approximate: return QStringLiteral("approximate");
    case ColumnClass::OrderDependent: return QStringLiteral("order_dependent");
    }
    Q_UNREACHABLE();
}

QJsonArray rangesJson(const QList<TextRange> &ranges)
{
    QJsonArray out;
    for (const auto &range : ranges)
        out.append(QJsonObject{{QStringLiteral("from"), orNull(range.from)},
                               {QStringLiteral("to"), orNull(range.to)}});
    return out;
}

QJsonObject outcomeJson(const RefreshOutcome &outcome)
{
    QJsonObject snapshots;
    for (const auto &[table, snapshot] : outcome.sourceSnapshots.asKeyValueRange())
        snapshots.insert(table, orNull(snapshot));
    QJsonObject out{{QStringLiteral("name"), outcome.view},
                    {QStringLiteral("action"), actionName(outcome.action)},
                    {QStringLiteral("strategy"), strategyName(outcome.strategy)},
                    {QStringLiteral("reason"), outcome.reason},
                    {QStringLiteral("ranges"), rangesJson(outcome.ranges)},
                    {QStringLiteral("null_bucket"), outcome.nullBucket},
                    {QStringLiteral("rows_read"), outcome.rowsRead},
                    {QStringLiteral("bytes_read"), outcome.bytesRead},
                    {QStringLiteral("files_read"), outcome.filesRead},
                    {QStringLiteral("rows_written"), outcome.rowsWritten},
                    {QStringLiteral("rows_deleted"), outcome.rowsDeleted},
                    {QStringLiteral("seconds"), outcome.seconds},
                    {QStringLiteral("source_snapshots"), snapshots},
                    {QStringLiteral("target_snapshot"), orNull(outcome.targetSnapshot)}};
    if (!outcome.statementId.isEmpty())
        out.insert(QStringLiteral("statement_id"), outcome.statementId);
    if (outcome.error)
        out.insert(QStringLiteral("error"), errorJson(*outcome.error));
    return out;
}

QJsonObject verifyJson(const VerifyOutcome &outcome)
{
    QJsonArray reported;
    for (const auto &column : outcome.reported)
        reported.append(QJsonObject{{QStringLiteral("column"), column.column},
                                    {QStringLiteral("class"), columnClassName(column.columnClass)},
                                    {QStringLiteral("rows"), column.rows}});
    QJsonArray sample;
    for (const auto &row : outcome.sample) {
        QJsonObject object;
        for (size_t i = 0; i < row.size() && qsizetype(i) < outcome.sampleColumns.size(); ++i)
            object.insert(outcome.sampleColumns[qsizetype(i)].name,
                          valueJson(row[i], outcome.sampleColumns[qsizetype(i)].type));
        sample.append(object);
    }
    return {{QStringLiteral("name"), outcome.view},       {QStringLiteral("equal"), outcome.equal},
            {QStringLiteral("missing"), outcome.missing}, {QStringLiteral("extra"), outcome.extra},
            {QStringLiteral("reported"), reported},       {QStringLiteral("sample"), sample}};
}

QList<TextRange> rangesOf(const View &view, const RefreshPlan &plan)
{
    QList<TextRange> out;
    if (plan.action != Action::Incremental || !view.shape.bucket || !plan.bookmark)
        return out;
    const Type type = plan.bookmark->outputs.value(view.shape.bucket->output).type;
    const auto text = [&](const std::optional<Micros> &bound) {
        return bound ? bucketText(type, *bound) : std::nullopt;
    };
    for (const auto &range : plan.ranges.ranges())
        out.append({text(range.from), text(range.to)});
    return out;
}

Estimate estimateOf(const RefreshPlan &plan)
{
    Estimate out;
    for (const auto &source : plan.sources) {
        out.rows += source.files.records;
        out.bytes += source.files.bytes;
        out.files += source.files.added + source.files.removed + source.files.deletedFrom;
    }
    return out;
}

QJsonObject explanationJson(const View &view, const Explanation &explanation)
{
    const RefreshPlan &plan = explanation.plan;
    QJsonArray sources;
    for (const auto &source : plan.sources)
        sources.append(
            QJsonObject{{QStringLiteral("table"), source.mark.table.text()},
                        {QStringLiteral("role"), roleName(source.mark.role)},
                        {QStringLiteral("bookmark"), snapshotJson(source.before)},
                        {QStringLiteral("head"), snapshotJson(source.mark.head)},
                        {QStringLiteral("snapshots"), source.snapshots},
                        {QStringLiteral("files_added"), source.files.added},
                        {QStringLiteral("files_removed"), source.files.removed},
                        {QStringLiteral("files_deleted_from"), source.files.deletedFrom}});
    const Estimate estimate = estimateOf(plan);
    return {{QStringLiteral("name"), view.spec.name},
            {QStringLiteral("strategy"), strategyName(view.shape.strategy)},
            {QStringLiteral("why"), view.shape.why},
            {QStringLiteral("action"), actionName(plan.action)},
            {QStringLiteral("reason"), plan.reason},
            {QStringLiteral("sources"), sources},
            {QStringLiteral("ranges"), rangesJson(rangesOf(view, plan))},
            {QStringLiteral("null_bucket"), plan.ranges.hasNullBucket()},
            {QStringLiteral("statement"), explanation.statement},
            {QStringLiteral("estimate"), QJsonObject{{QStringLiteral("rows"), estimate.rows},
                                                     {QStringLiteral("bytes"), estimate.bytes},
                                                     {QStringLiteral("files"), estimate.files}}}};
}

}  // namespace ivm
