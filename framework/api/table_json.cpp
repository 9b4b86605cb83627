#include "framework/api/table_json.h"

#include "framework/base/json.h"

namespace ivm {

QJsonObject headToJson(const TableHead &head)
{
    QJsonObject out{{QStringLiteral("table_id"), head.tableId},
                    {QStringLiteral("token"), head.token}};
    if (head.snapshot)
        out.insert(QStringLiteral("snapshot"), *head.snapshot);
    return out;
}

QJsonObject nameToJson(const TableName &name)
{
    return {{QStringLiteral("catalog"), name.catalog},
            {QStringLiteral("schema"), name.schema},
            {QStringLiteral("table"), name.table}};
}

Result<TableHead> headFromJson(const QJsonObject &object, QStringView what)
{
    TableHead head;
    IVM_TRY(head.tableId, json::string(object, u"table_id", what));
    IVM_TRY(head.token, json::string(object, u"token", what));
    IVM_TRY(head.snapshot, json::optionalInteger(object, u"snapshot", what));
    return head;
}

Result<TableName> nameFromJson(const QJsonObject &object, QStringView what)
{
    TableName name;
    IVM_TRY(name.catalog, json::string(object, u"catalog", what));
    IVM_TRY(name.schema, json::string(object, u"schema", what));
    IVM_TRY(name.table, json::string(object, u"table", what));
    return name;
}

}  // namespace ivm
