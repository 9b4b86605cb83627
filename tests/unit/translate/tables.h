// Two tables and a file for the tests of the translator.
#pragma once

#include "plugins/executor_duckdb/translate/translate.h"

namespace ivm::duckdb {

class TestTables final : public RelationSource {
public:
    Result<BoundRelation> table(const sql::QualifiedName &name,
                                const TableVersion &version) override
    {
        const QString table = name.last().value.toLower();
        QString shown = table;
        if (const auto *id = std::get_if<SnapshotId>(&version))
            shown += QStringLiteral("_at_%1").arg(*id);
        if (const auto *reference = std::get_if<QString>(&version))
            shown += u'_' + *reference;
        const TableName whole{QStringLiteral("iceberg"), QStringLiteral("main"), table};
        if (table == u"flights")
            return BoundRelation{whole, flights(), shown};
        if (table == u"airports")
            return BoundRelation{whole, columns({{"code", "varchar"}}), shown};
        return fail(notFoundError(QStringLiteral("there is no table '%1'").arg(table)));
    }

    Result<BoundRelation> tableFunction(const QString &name,
                                        const QList<FunctionArgument> &arguments) override
    {
        if (name != u"read_parquet")
            return fail(
                unsupportedError(QStringLiteral("there is no table function '%1'").arg(name)));
        QStringList texts;
        for (const auto &argument : arguments)
            texts.append(argument.name + u'=' + argument.value.text());
        return BoundRelation{{},
                             columns({{"id", "bigint"}, {"name", "varchar"}}),
                             QStringLiteral("file[%1]").arg(texts.join(u','))};
    }

    static QList<Column> flights()
    {
        return columns({{"origin", "varchar"},
                        {"dest", "varchar"},
                        {"date", "timestamp(6)"},
                        {"delay", "integer"},
                        {"distance", "double"},
                        {"airtime", "real"},
                        {"price", "decimal(12,2)"},
                        {"tags", "array(varchar)"},
                        {"place", "row(city varchar)"},
                        {"measured", "timestamp(9)"}});
    }

    static QList<Column> columns(const QList<std::pair<const char *, const char *>> &all)
    {
        QList<Column> result;
        for (const auto &[name, type] : all) {
            Column column;
            column.name = QString::fromLatin1(name);
            column.type = *parseType(QString::fromLatin1(type));
            result.append(column);
        }
        return result;
    }
};

}  // namespace ivm::duckdb
