#include "framework/api/table.h"

#include "framework/base/location.h"

#include <QHashFunctions>

#include <array>
#include <utility>

namespace ivm {

namespace {

constexpr std::pair<Transform, QStringView> kTransforms[] = {
    {Transform::Identity, u"identity"}, {Transform::Year, u"year"}, {Transform::Month, u"month"},
    {Transform::Day, u"day"},           {Transform::Hour, u"hour"}, {Transform::Bucket, u"bucket"},
    {Transform::Truncate, u"truncate"}, {Transform::Void, u"void"},
};

QStringView transformName(Transform transform)
{
    for (const auto &[value, name] : kTransforms) {
        if (value == transform)
            return name;
    }
    Q_UNREACHABLE();
}

bool takesArgument(Transform transform)
{
    return transform == Transform::Bucket || transform == Transform::Truncate;
}

bool isBareName(QStringView name)
{
    for (const QChar c : name) {
        if (c != u'_' && !(c >= u'a' && c <= u'z') && !(c >= u'0' && c <= u'9'))
            return false;
    }
    return !name.isEmpty() && !(name.front() >= u'0' && name.front() <= u'9');
}

QString bareOrQuoted(QStringView name)
{
    return isBareName(name) ? name.toString() : quotedIdentifier(name);
}

// Takes one bare or quoted name off the front of `rest`; nothing when there is none.
std::optional<QString> takeName(QStringView &rest)
{
    if (rest.startsWith(u'"')) {
        QString name;
        for (qsizetype at = 1; at < rest.size(); ++at) {
            if (rest[at] != u'"') {
                name += rest[at];
            } else if (at + 1 < rest.size() && rest[at + 1] == u'"') {
                name += u'"';
                ++at;
            } else {
                rest = rest.sliced(at + 1);
                return name.isEmpty() ? std::nullopt : std::optional(name);
            }
        }
        return {};
    }
    qsizetype end = 0;
    while (end < rest.size() && (rest[end].isLetterOrNumber() || rest[end] == u'_'))
        ++end;
    if (end == 0 || rest[0].isDigit())
        return {};
    const QString name = rest.first(end).toString();
    rest = rest.sliced(end);
    return name;
}

QStringView folderOf(QStringView location)
{
    return location.left(std::max<qsizetype>(location.lastIndexOf(u'/'), 0));
}

}  // namespace

QString tableIdOf(QStringView metadataFile)
{
    QStringView folder = folderOf(metadataFile);
    if (folder.endsWith(u"/metadata"))
        folder = folderOf(folder);
    const auto path = localPath(folder);
    return path ? fileUri(*path) : folder.toString();
}

QString quotedIdentifier(QStringView name)
{
    QString escaped = name.toString();
    escaped.replace(u'"', QStringLiteral("\"\""));
    return u'"' + escaped + u'"';
}

QString quotedLiteral(QStringView text)
{
    QString escaped = text.toString();
    escaped.replace(u'\'', QStringLiteral("''"));
    return u'\'' + escaped + u'\'';
}

QString TableName::text() const
{
    return bareOrQuoted(catalog) + u'.' + bareOrQuoted(schema) + u'.' + bareOrQuoted(table);
}

QString TableName::quoted() const
{
    return quotedIdentifier(catalog) + u'.' + quotedIdentifier(schema) + u'.' +
           quotedIdentifier(table);
}

QString TableName::quotedMetadataTable(QStringView suffix) const
{
    const QString metadataTable = table + u'$' + suffix;
    return quotedIdentifier(catalog) + u'.' + quotedIdentifier(schema) + u'.' +
           quotedIdentifier(metadataTable);
}

size_t qHash(const TableName &name, size_t seed)
{
    return qHashMulti(seed, name.catalog, name.schema, name.table);
}

Result<TableName> parseTableName(QStringView text, const TableName &defaults)
{
    const auto wrong = [&] {
        return fail(
            invalidError(QStringLiteral("'%1' is not a table name").arg(text.left(200)))
                .withHint(u"Write table, schema.table or catalog.schema.table, with \"quotes\" "
                          u"around parts that are not plain words"));
    };
    QStringList parts;
    QStringView rest = text.trimmed();
    while (true) {
        const auto name = takeName(rest);
        if (!name)
            return wrong();
        parts.append(name->toLower());
        if (rest.isEmpty())
            break;
        if (!rest.startsWith(u'.'))
            return wrong();
        rest = rest.sliced(1);
    }
    switch (parts.size()) {
    case 1: return TableName{defaults.catalog, defaults.schema, parts[0]};
    case 2: return TableName{defaults.catalog, parts[0], parts[1]};
    case 3: return TableName{parts[0], parts[1], parts[2]};
    default: return wrong();
    }
}

QString PartitionField::text() const
{
    const QString name = bareOrQuoted(column);
    if (transform == Transform::Identity)
        return name;
    if (takesArgument(transform))
        return QStringLiteral("%1(%2, %3)")
            .arg(transformName(transform), name, QString::number(argument));
    return QStringLiteral("%1(%2)").arg(transformName(transform), name);
}

Result<PartitionField> parsePartitionField(QStringView text)
{
    const auto wrong = [&] {
        return fail(
            invalidError(QStringLiteral("'%1' is not a partition transform").arg(text.left(200)))
                .withHint(u"Write a column, or year, month, day, hour of one, bucket(column, n) or "
                          u"truncate(column, n)"));
    };
    QStringView rest = text.trimmed();
    const auto first = takeName(rest);
    if (!first)
        return wrong();
    rest = rest.trimmed();
    if (rest.isEmpty())
        return PartitionField{Transform::Identity, *first, 0};
    if (!rest.startsWith(u'(') || !rest.endsWith(u')'))
        return wrong();
    rest = rest.sliced(1).chopped(1).trimmed();
    for (const auto &[transform, name] : kTransforms) {
        if (first->compare(name, Qt::CaseInsensitive) != 0)
            continue;
        const auto column = takeName(rest);
        if (!column)
            return wrong();
        rest = rest.trimmed();
        if (!takesArgument(transform))
            return rest.isEmpty() ? Result<PartitionField>({transform, *column, 0}) : wrong();
        bool ok = false;
        const int argument = rest.startsWith(u',') ? rest.sliced(1).trimmed().toInt(&ok) : 0;
        if (!ok || argument < 1)
            return wrong();
        return PartitionField{transform, *column, argument};
    }
    return wrong();
}

TableTotals totalsOf(const QMap<QString, QString> &summary)
{
    const auto count = [&](const char *key) -> std::optional<qint64> {
        bool ok = false;
        const qint64 number = summary.value(QString::fromLatin1(key)).toLongLong(&ok);
        return ok ? std::optional(number) : std::nullopt;
    };
    TableTotals totals{count("total-records"), count("total-data-files"),
                       count("total-files-size")};
    // How many rows equality deletes match is not known.
    if (count("total-equality-deletes").value_or(0) > 0)
        totals.rows.reset();
    if (totals.rows)
        *totals.rows -= count("total-position-deletes").value_or(0);
    return totals;
}

}  // namespace ivm
