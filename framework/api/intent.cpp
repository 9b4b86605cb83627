#include "framework/api/change.h"

#include "framework/api/table_json.h"
#include "framework/base/json.h"

namespace ivm {

QByteArray Intent::toJson() const
{
    QJsonObject members;
    for (const auto &[key, value] : summary.asKeyValueRange())
        members.insert(key, value);
    return json::compact({{QStringLiteral("version"), 1},
                          {QStringLiteral("id"), id},
                          {QStringLiteral("view"), view},
                          {QStringLiteral("target"), nameToJson(target)},
                          {QStringLiteral("target_head"), headToJson(targetHead)},
                          {QStringLiteral("statement_id"), statementId},
                          {QStringLiteral("summary"), members}});
}

Result<Intent> Intent::fromJson(const QByteArray &bytes, QStringView what)
{
    IVM_TRY(const auto object, json::parseObject(bytes, what));
    Intent intent;
    IVM_TRY(intent.id, json::string(object, u"id", what));
    IVM_TRY(intent.view, json::string(object, u"view", what));
    IVM_TRY(intent.statementId, json::string(object, u"statement_id", what));
    IVM_TRY(const auto target, json::object(object, u"target", what));
    IVM_TRY(intent.target, nameFromJson(target, what));
    IVM_TRY(const auto head, json::object(object, u"target_head", what));
    IVM_TRY(intent.targetHead, headFromJson(head, what));
    IVM_TRY(const auto members, json::object(object, u"summary", what));
    for (const QString &key : members.keys()) {
        IVM_TRY(const QString value, json::string(members, key, what));
        intent.summary.insert(key, value);
    }
    return intent;
}

}  // namespace ivm
