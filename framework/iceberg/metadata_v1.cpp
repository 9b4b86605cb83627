#include "framework/iceberg/metadata_v1.h"

#include <QJsonArray>

#include <algorithm>

namespace ivm::iceberg {

namespace {

constexpr int kFirstPartitionFieldId = 1000;

void insertMissing(QJsonObject &object, const QString &key, const QJsonValue &value)
{
    if (const auto found = object.constFind(key); found == object.constEnd() || found->isNull())
        object.insert(key, value);
}

// Fields without ids have theirs by their place.
QJsonArray withFieldIds(QJsonArray fields)
{
    for (qsizetype i = 0; i < fields.size(); ++i) {
        auto field = fields[i].toObject();
        insertMissing(field, QStringLiteral("field-id"), kFirstPartitionFieldId + int(i));
        fields[i] = field;
    }
    return fields;
}

int lastPartitionId(const QJsonArray &specs)
{
    int last = kFirstPartitionFieldId - 1;
    for (const auto &spec : specs) {
        const auto fields = spec[u"fields"].toArray();
        for (const auto &field : fields)
            last = std::max(last, field[u"field-id"].toInt());
    }
    return last;
}

void upgradeSchemas(QJsonObject &object)
{
    auto schema = object.value(u"schema").toObject();
    insertMissing(schema, QStringLiteral("schema-id"), 0);
    insertMissing(object, QStringLiteral("schemas"), QJsonArray{schema});
    insertMissing(object, QStringLiteral("current-schema-id"), schema.value(u"schema-id"));
}

void upgradeSpecs(QJsonObject &object)
{
    insertMissing(object, QStringLiteral("partition-specs"),
                  QJsonArray{QJsonObject{
                      {QStringLiteral("spec-id"), 0},
                      {QStringLiteral("fields"), object.value(u"partition-spec").toArray()}}});
    insertMissing(object, QStringLiteral("default-spec-id"), 0);
    if (!object.value(u"partition-specs").isArray())
        return;
    auto specs = object.value(u"partition-specs").toArray();
    for (auto spec : specs) {
        auto upgraded = spec.toObject();
        if (upgraded.value(u"fields").isArray())
            upgraded.insert(QStringLiteral("fields"),
                            withFieldIds(upgraded.value(u"fields").toArray()));
        spec = upgraded;
    }
    object.insert(QStringLiteral("partition-specs"), specs);
    insertMissing(object, QStringLiteral("last-partition-id"), lastPartitionId(specs));
}

}  // namespace

QJsonObject upgradedFromVersion1(QJsonObject object)
{
    insertMissing(object, QStringLiteral("table-uuid"), QString());
    insertMissing(object, QStringLiteral("last-sequence-number"), 0);
    upgradeSchemas(object);
    upgradeSpecs(object);
    insertMissing(object, QStringLiteral("sort-orders"),
                  QJsonArray{QJsonObject{{QStringLiteral("order-id"), 0},
                                         {QStringLiteral("fields"), QJsonArray()}}});
    insertMissing(object, QStringLiteral("default-sort-order-id"), 0);
    return object;
}

Result<QStringList> inlineManifests(const QJsonObject &snapshot, QStringView what)
{
    const auto member = snapshot.value(u"manifests");
    QStringList paths;
    const auto list = member.toArray();
    for (const auto &path : list) {
        if (path.isString())
            paths.append(path.toString());
    }
    if (!member.isArray() || paths.size() != list.size())
        return fail(
            corruptError(QStringLiteral("%1: \"manifests\" is not an array of strings").arg(what)));
    return paths;
}

}  // namespace ivm::iceberg
