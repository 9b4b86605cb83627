#include "plugins/executor_duckdb/translate/scope.h"

#include "framework/base/nearest.h"

namespace ivm::duckdb {

namespace {

QStringList namesIn(const Scope &scope)
{
    QStringList names;
    for (const Scope *at = &scope; at; at = at->outer) {
        for (const auto &field : at->fields) {
            if (!field.name.isEmpty())
                names.append(field.name);
        }
    }
    return names;
}

Error unknownColumn(const Scope &scope, const QStringList &parts)
{
    const QStringList known = namesIn(scope);
    QString hint = nearestHint(parts.last(), known);
    if (hint.isEmpty() && known.isEmpty())
        hint = QStringLiteral("The query has no FROM");
    return invalidError(QStringLiteral("there is no column '%1'").arg(parts.join(u'.')))
        .withCode(u"unknown_column")
        .withHint(hint);
}

Error ambiguousColumn(const QStringList &parts, const Field &a, const Field &b)
{
    QString hint = QStringLiteral("Give one of the columns an alias");
    if (!a.qualifier.isEmpty() && !b.qualifier.isEmpty() && a.qualifier != b.qualifier) {
        hint = QStringLiteral("Write %1.%3 or %2.%3")
                   .arg(a.qualifier.last(), b.qualifier.last(), parts.last());
    }
    return invalidError(QStringLiteral("'%1' is more than one column").arg(parts.join(u'.')))
        .withCode(u"ambiguous_column")
        .withHint(hint);
}

}  // namespace

bool isQualifiedBy(const Field &field, const QStringList &qualifier)
{
    const qsizetype extra = field.qualifier.size() - qualifier.size();
    if (extra < 0)
        return false;
    for (qsizetype i = 0; i < qualifier.size(); ++i) {
        if (!sql::sameName(field.qualifier[extra + i], qualifier[i]))
            return false;
    }
    return true;
}

Result<Found> findField(const Scope &scope, const QStringList &parts)
{
    const QStringList qualifier = parts.mid(0, parts.size() - 1);
    Found found;
    for (const Scope *at = &scope; at; at = at->outer) {
        for (const auto &field : at->fields) {
            const bool named = !field.name.isEmpty() && sql::sameName(field.name, parts.last());
            if (!named || !isQualifiedBy(field, qualifier))
                continue;
            if (found.field)
                return fail(ambiguousColumn(parts, *found.field, field));
            found.field = &field;
        }
        if (found.field)
            return found;
        found.outer = true;
        found.grouping = at->outerGrouping;
    }
    return fail(unknownColumn(scope, parts));
}

}  // namespace ivm::duckdb
