#include "framework/view/view_entry.h"

#include "framework/sql/lexer.h"
#include "framework/sql/parser.h"
#include "framework/view/bucket.h"
#include "framework/view/view_name.h"
#include "framework/yaml/fields.h"

#include <QJsonArray>
#include <QRegularExpression>

namespace ivm {

namespace {

bool isSize(const QString &text)
{
    // Trino's data sizes, as `file_size_threshold` of `optimize` takes them.
    static const QRegularExpression form(
        QStringLiteral("\\A[0-9]{1,15}(\\.[0-9]{1,3})? ?(B|kB|MB|GB|TB)\\z"));
    return form.match(text).hasMatch();
}

QStringList bucketUnitNames()
{
    QStringList names;
    for (const auto unit : {BucketUnit::Minute, BucketUnit::Hour, BucketUnit::Day, BucketUnit::Week,
                            BucketUnit::Month, BucketUnit::Quarter, BucketUnit::Year})
        names.append(bucketUnitName(unit));
    return names;
}

// The items of "ARRAY['day(x)', 'origin']". Invalid for anything else.
Result<QStringList> arrayItems(const QString &text)
{
    const auto wrong = [&] {
        return fail(invalidError(QStringLiteral("'%1' is not a list").arg(text.left(80)))
                        .withHint(u"Write [day(x), y], or \"ARRAY['day(x)', 'y']\""));
    };
    const auto parsed = sql::parseExpression(text);
    const auto *array = parsed ? std::get_if<sql::ArrayConstructor>(&(*parsed)->node) : nullptr;
    if (!array)
        return wrong();
    QStringList out;
    for (const auto &item : array->items) {
        const auto *literal = std::get_if<sql::StringLiteral>(&item->node);
        if (!literal)
            return wrong();
        out.append(literal->value);
    }
    return out;
}

class EntryReader {
public:
    EntryReader(const yaml::Node &node, ViewEntry &entry, const TableName &defaults)
        : m_entry(entry), m_spec(entry.spec), m_defaults(defaults),
          m_fields(node, QStringLiteral("view '%1'").arg(entry.spec.name), entry.problems)
    {
    }

    void read()
    {
        readName();
        readQuery();
        readTarget();
        readPartitioning();
        readRefresh();
        readMaintenance();
        m_fields.finish();
    }

private:
    void readName()
    {
        const QString key = QStringLiteral("name");
        const auto name = m_fields.requiredText(key);
        if (name && !isViewName(*name))
            m_fields.report(QStringLiteral("'%1' is not a name").arg(name->left(80)),
                            m_fields.node(key)->place,
                            QStringLiteral("Use letters, digits and _, not starting with a digit"));
    }

    void readQuery()
    {
        const QString key = QStringLiteral("query");
        const auto query = m_fields.requiredText(key);
        if (!query)
            return;
        m_spec.query = *query;
        while (!m_spec.query.isEmpty() && m_spec.query.back().isSpace())
            m_spec.query.chop(1);
        const yaml::Node *node = m_fields.node(key);
        m_spec.queryPlace = node->textPlace;
        m_spec.queryIndent = node->textIndent;
        if (node->isFolded && sql::findLineComment(m_spec.query))
            m_fields.report(QStringLiteral("the lines of 'query' are one line, and a comment (--) "
                                           "in it takes in all that follows"),
                            node->textPlace,
                            QStringLiteral("Write query: |, which keeps the lines"));
    }

    void readTarget()
    {
        const QString key = QStringLiteral("target_table");
        m_spec.target = {m_defaults.catalog, m_defaults.schema, m_spec.name.toLower()};
        const auto text = m_fields.text(key);
        if (!text)
            return;
        if (auto name = parseTableName(*text, m_defaults); name)
            m_spec.target = *std::move(name);
        else
            reportIn(key, name.error());
    }

    void readPartitioning()
    {
        const QString key = QStringLiteral("target_partitioning");
        const yaml::Node *node = m_fields.node(key);
        if (!node)
            return;
        std::optional<QStringList> items;
        if (node->kind == yaml::Node::Kind::Scalar) {
            auto listed = arrayItems(node->text);
            if (!listed)
                return reportIn(key, listed.error());
            items = *std::move(listed);
        } else {
            items = m_fields.texts(key);
        }
        for (const QString &item : items.value_or(QStringList())) {
            if (auto field = parsePartitionField(item); field) {
                // As the table has it: engines do not look for it in any letter case.
                field->column = field->column.toLower();
                m_spec.targetPartitioning.append(*std::move(field));
            } else {
                reportIn(key, field.error());
            }
        }
    }

    void readRefresh()
    {
        m_spec.sortedBy = m_fields.texts(QStringLiteral("sorted_by")).value_or(QStringList());
        m_spec.format = m_fields.word(QStringLiteral("format"), {QStringLiteral("PARQUET")})
                            .value_or(m_spec.format);
        m_spec.refreshInterval = m_fields.seconds(QStringLiteral("refresh_interval_seconds"))
                                     .value_or(m_spec.refreshInterval);
        m_spec.targetLag = m_fields.duration(QStringLiteral("target_lag"));
        m_spec.fullRefreshChunk =
            m_fields.word(QStringLiteral("full_refresh_chunk"), bucketUnitNames());
        m_spec.queryTimeout = m_fields.seconds(QStringLiteral("query_timeout_seconds"));
        m_spec.keys = m_fields.texts(QStringLiteral("keys")).value_or(QStringList());
        const QString required = QStringLiteral("required");
        if (m_fields.word(QStringLiteral("incremental"), {QStringLiteral("auto"), required}) ==
            required)
            m_spec.incremental = Incremental::Required;
        readSessionProperties();
        m_spec.comment = m_fields.text(QStringLiteral("comment")).value_or(QString());
    }

    void readSessionProperties()
    {
        const QString key = QStringLiteral("session_properties");
        const yaml::Node *map = m_fields.map(key);
        if (!map)
            return;
        Fields properties(*map, QStringLiteral("view '%1': %2").arg(m_spec.name, key),
                          m_entry.problems);
        for (const auto &entry : map->entries) {
            if (const auto value = properties.requiredText(entry.key))
                m_spec.sessionProperties.insert(entry.key, *value);
        }
        properties.finish();
    }

    void readMaintenance()
    {
        using std::chrono::floor;
        using std::chrono::seconds;
        auto &maintenance = m_spec.maintenance;
        const QString interval = QStringLiteral("maintenance_interval_seconds");
        maintenance.interval =
            seconds(m_fields.integer(interval, 0, 10LL * 365 * 86400).value_or(0));
        const auto flag = [&](const QString &key, bool &out) {
            out = m_fields.boolean(key).value_or(out);
        };
        flag(QStringLiteral("optimize"), maintenance.optimize);
        flag(QStringLiteral("expire_snapshots"), maintenance.expireSnapshots);
        flag(QStringLiteral("remove_orphan_files"), maintenance.removeOrphanFiles);
        const auto retention = [&](const QString &key, seconds &out) {
            if (const auto value = m_fields.duration(key))
                out = floor<seconds>(*value);
        };
        retention(QStringLiteral("expire_snapshots_retention"),
                  maintenance.expireSnapshotsRetention);
        retention(QStringLiteral("remove_orphan_files_retention"),
                  maintenance.removeOrphanFilesRetention);
        readThreshold();
        if (maintenance.interval > seconds(0))
            warnOfNoEffect(interval, u"targets are not maintained by this version");
    }

    // Accepted, so that files for a later version or another system can be used as they are.
    void warnOfNoEffect(const QString &key, QStringView why)
    {
        m_entry.warnings.append(
            unsupportedError(
                QStringLiteral("view '%1': '%2' has no effect yet: %3").arg(m_spec.name, key, why))
                .withCode(u"no_effect_yet")
                .at(m_fields.node(key)->place));
    }

    void readThreshold()
    {
        const QString key = QStringLiteral("optimize_file_size_threshold");
        const auto text = m_fields.text(key);
        if (!text)
            return;
        if (isSize(*text))
            m_spec.maintenance.optimizeFileSizeThreshold = *text;
        else
            m_fields.report(QStringLiteral("'%1' is '%2', expected a size such as 128MB")
                                .arg(key, text->left(80)),
                            m_fields.node(key)->place);
    }

    void reportIn(const QString &key, const Error &error)
    {
        m_fields.report(QStringLiteral("'%1': %2").arg(key, error.message),
                        m_fields.node(key)->place, error.hint);
    }

    ViewEntry &m_entry;
    ViewSpec &m_spec;
    const TableName &m_defaults;
    Fields m_fields;
};

QJsonValue secondsJson(std::chrono::milliseconds time)
{
    const auto count = time.count();
    return count % 1000 == 0 ? QJsonValue(qint64(count / 1000)) : QJsonValue(double(count) / 1000);
}

QString durationText(std::chrono::milliseconds time)
{
    const auto count = time.count();
    return count % 1000 == 0 ? QStringLiteral("%1s").arg(count / 1000)
                             : QStringLiteral("%1ms").arg(count);
}

// As little of the name as tells it.
QString targetText(const ViewSpec &spec, const TableName &defaults)
{
    const TableName &target = spec.target;
    const TableName usual{defaults.catalog, defaults.schema, spec.name.toLower()};
    if (target == usual)
        return {};
    QString text = quotedIdentifier(target.table);
    if (target.schema != usual.schema || target.catalog != usual.catalog)
        text = quotedIdentifier(target.schema) + u'.' + text;
    if (target.catalog != usual.catalog)
        text = quotedIdentifier(target.catalog) + u'.' + text;
    return text;
}

QJsonArray partitioningJson(const QList<PartitionField> &fields)
{
    QJsonArray out;
    for (const auto &field : fields)
        out.append(field.text());
    return out;
}

void addMaintenance(const MaintenanceSpec &spec, QJsonObject &out)
{
    const MaintenanceSpec usual;
    const auto add = [&](const QString &key, const auto &value, const auto &default_,
                         const QJsonValue &json) {
        if (value != default_)
            out.insert(key, json);
    };
    add(QStringLiteral("maintenance_interval_seconds"), spec.interval, usual.interval,
        qint64(spec.interval.count()));
    add(QStringLiteral("optimize"), spec.optimize, usual.optimize, spec.optimize);
    add(QStringLiteral("expire_snapshots"), spec.expireSnapshots, usual.expireSnapshots,
        spec.expireSnapshots);
    add(QStringLiteral("remove_orphan_files"), spec.removeOrphanFiles, usual.removeOrphanFiles,
        spec.removeOrphanFiles);
    add(QStringLiteral("expire_snapshots_retention"), spec.expireSnapshotsRetention,
        usual.expireSnapshotsRetention, durationText(spec.expireSnapshotsRetention));
    add(QStringLiteral("remove_orphan_files_retention"), spec.removeOrphanFilesRetention,
        usual.removeOrphanFilesRetention, durationText(spec.removeOrphanFilesRetention));
    add(QStringLiteral("optimize_file_size_threshold"), spec.optimizeFileSizeThreshold,
        usual.optimizeFileSizeThreshold, spec.optimizeFileSizeThreshold);
}

}  // namespace

ViewEntry readViewEntry(const yaml::Node &node, const QString &nameless, const TableName &defaults)
{
    ViewEntry entry;
    entry.place = node.place;
    entry.spec.name = nameless;
    if (node.kind != yaml::Node::Kind::Map) {
        Fields(node, QStringLiteral("view %1").arg(entry.spec.name), entry.problems)
            .report(QStringLiteral("this is %1, expected a map with name and query")
                        .arg(node.kindName()),
                    node.place);
        return entry;
    }
    const yaml::Node *name = node.find(u"name");
    if (name && name->kind == yaml::Node::Kind::Scalar && isViewName(name->text))
        entry.spec.name = name->text;
    EntryReader(node, entry, defaults).read();
    sortByPlace(entry.problems);
    return entry;
}

QJsonObject entryOf(const ViewSpec &spec, const TableName &defaults)
{
    const ViewSpec usual;
    QJsonObject out{{QStringLiteral("name"), spec.name}, {QStringLiteral("query"), spec.query}};
    if (const QString target = targetText(spec, defaults); !target.isEmpty())
        out.insert(QStringLiteral("target_table"), target);
    if (!spec.targetPartitioning.isEmpty())
        out.insert(QStringLiteral("target_partitioning"),
                   partitioningJson(spec.targetPartitioning));
    if (!spec.sortedBy.isEmpty())
        out.insert(QStringLiteral("sorted_by"), QJsonArray::fromStringList(spec.sortedBy));
    if (spec.format != usual.format)
        out.insert(QStringLiteral("format"), spec.format);
    if (spec.refreshInterval != usual.refreshInterval)
        out.insert(QStringLiteral("refresh_interval_seconds"), secondsJson(spec.refreshInterval));
    if (spec.targetLag)
        out.insert(QStringLiteral("target_lag"), durationText(*spec.targetLag));
    if (spec.fullRefreshChunk)
        out.insert(QStringLiteral("full_refresh_chunk"), *spec.fullRefreshChunk);
    if (spec.queryTimeout)
        out.insert(QStringLiteral("query_timeout_seconds"), secondsJson(*spec.queryTimeout));
    if (!spec.keys.isEmpty())
        out.insert(QStringLiteral("keys"), QJsonArray::fromStringList(spec.keys));
    if (spec.incremental == Incremental::Required)
        out.insert(QStringLiteral("incremental"), QStringLiteral("required"));
    QJsonObject properties;
    for (auto it = spec.sessionProperties.cbegin(); it != spec.sessionProperties.cend(); ++it)
        properties.insert(it.key(), it.value());
    if (!properties.isEmpty())
        out.insert(QStringLiteral("session_properties"), properties);
    if (!spec.comment.isEmpty())
        out.insert(QStringLiteral("comment"), spec.comment);
    addMaintenance(spec.maintenance, out);
    return out;
}

Result<ViewSpec> specOfEntry(const QByteArray &json, const QString &what, const TableName &defaults)
{
    const auto corrupt = [&](const Error &error) {
        return fail(corruptError(QStringLiteral("%1: its stored definition cannot be read: %2")
                                     .arg(what, error.message)));
    };
    // JSON is YAML.
    const auto root = yaml::parse(json, what);
    if (!root)
        return corrupt(root.error());
    ViewEntry entry = readViewEntry(*root, QStringLiteral("without a name"), defaults);
    if (!entry.problems.isEmpty())
        return corrupt(entry.problems.first());
    entry.spec.queryPlace = {what, 0, 0};
    entry.spec.queryIndent = -1;
    return entry.spec;
}

}  // namespace ivm
