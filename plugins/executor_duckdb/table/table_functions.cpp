#include "plugins/executor_duckdb/table/table_functions.h"

#include "plugins/executor_duckdb/table/relation.h"

namespace ivm::duckdb {

namespace {

struct Function {
    QStringView name;
    QList<QStringView> options;
};

const QList<Function> &functions()
{
    static const QList<Function> known{
        {u"read_parquet", {}},
        {u"read_csv",
         {u"header", u"delim", u"quote", u"escape", u"nullstr", u"dateformat", u"timestampformat",
          u"skip", u"all_varchar"}},
        {u"read_json", {u"format", u"dateformat", u"timestampformat"}},
    };
    return known;
}

Result<QString> literalSql(const Value &value)
{
    if (const auto *text = std::get_if<QString>(&value.data))
        return quotedLiteral(*text);
    if (const auto *number = std::get_if<qint64>(&value.data))
        return QString::number(*number);
    if (const auto *truth = std::get_if<bool>(&value.data))
        return *truth ? QStringLiteral("true") : QStringLiteral("false");
    return fail(invalidError(
        QStringLiteral("%1 is not a text, a whole number or a boolean").arg(value.text())));
}

Result<QString> pathsSql(const QString &name, const Value &value)
{
    QStringList paths;
    if (const auto *list = std::get_if<std::vector<Value>>(&value.data)) {
        for (const auto &item : *list) {
            if (const auto *path = std::get_if<QString>(&item.data))
                paths.append(quotedLiteral(*path));
        }
        if (paths.size() == qsizetype(list->size()) && !paths.isEmpty())
            return listSql(paths);
    } else if (const auto *path = std::get_if<QString>(&value.data)) {
        return quotedLiteral(*path);
    }
    return fail(invalidError(
        QStringLiteral("%1: %2 is not a path or a list of paths").arg(name, value.text())));
}

Result<QString> callSql(const Function &function, const QList<FunctionArgument> &arguments)
{
    const QString name = function.name.toString();
    QString paths;
    QStringList options;
    for (const auto &argument : arguments) {
        if (argument.name.isEmpty() && paths.isEmpty()) {
            IVM_TRY(paths, pathsSql(name, argument.value));
        } else if (function.options.contains(QStringView(argument.name))) {
            IVM_TRY(const QString value, literalSql(argument.value));
            options.append(QStringLiteral(", %1 = %2").arg(argument.name, value));
        } else {
            QStringList known;
            for (const auto option : function.options)
                known.append(option.toString());
            return fail(
                invalidError(
                    QStringLiteral("%1 does not take the argument %2")
                        .arg(name, argument.name.isEmpty() ? argument.value.text() : argument.name))
                    .withHint(QStringLiteral("It takes a path or a list of paths%1")
                                  .arg(known.isEmpty() ? QString()
                                                       : QStringLiteral(" and ") +
                                                             known.join(QStringLiteral(", ")))));
        }
    }
    if (paths.isEmpty())
        return fail(invalidError(QStringLiteral("%1 needs the path of a file").arg(name)));
    return QStringLiteral("%1(%2%3)").arg(name, paths, options.join(QString()));
}

Result<QString> castColumns(const QList<Column> &columns)
{
    QStringList casts;
    for (const auto &column : columns) {
        IVM_TRY(const QString type, duckdbType(column.type));
        casts.append(
            QStringLiteral("CAST(%1 AS %2) AS %1").arg(quotedIdentifier(column.name), type));
    }
    return casts.join(QStringLiteral(", "));
}

}  // namespace

Result<BoundRelation> fileRelation(const QString &name, const QList<FunctionArgument> &arguments,
                                   Connection &connection, const Call &call)
{
    const auto function = std::ranges::find(functions(), QStringView(name), &Function::name);
    if (function == functions().end()) {
        return fail(
            unsupportedError(QStringLiteral("table function '%1' is not supported").arg(name))
                .withHint(u"There are read_parquet, read_csv and read_json"));
    }
    IVM_TRY(const QString from, callSql(*function, arguments));
    auto columns = connection.describe(QStringLiteral("SELECT * FROM ") + from, call);
    if (!columns) {
        Error error = std::move(columns).error();
        if (error.message.startsWith(QStringLiteral("No files found")))
            error.kind = ErrorKind::NotFound;
        return fail(std::move(error).during(name));
    }
    IVM_TRY(const QString casts, castColumns(*columns));
    return BoundRelation{.name = {},
                         .columns = *columns,
                         .sql = QStringLiteral("(SELECT %1 FROM %2)").arg(casts, from)};
}

}  // namespace ivm::duckdb
