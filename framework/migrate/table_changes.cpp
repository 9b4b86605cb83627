#include "framework/migrate/table_changes.h"

#include "framework/migrate/column_changes.h"
#include "framework/migrate/layout_changes.h"

namespace ivm::migrate {

namespace {

// A type that no table holds is told before anything is planned.
Status checkTypes(const TableFile &file)
{
    auto statements = statementsOf(file.table);
    if (statements)
        return {};
    return fail(std::move(statements).error().at(file.place));
}

GeneratedStep createStep(const TableFile &file)
{
    const TableName &name = file.table.spec.name;
    return {.operation = file.table,
            .why = QStringLiteral("there is no table %1").arg(name.text()),
            .place = file.place,
            .inverse = QList<Operation>{DropTable{name}}};
}

// The default one stays on the way back: others use it too.
GeneratedStep schemaStep(const TableFile &file, const TableName &defaults)
{
    const TableName name{file.table.spec.name.catalog, file.table.spec.name.schema, {}};
    QList<Operation> down;
    if (name != TableName{defaults.catalog, defaults.schema, {}})
        down.append(DropSchema{name});
    return {.operation = CreateSchema{name},
            .why =
                QStringLiteral("there is no schema for table %1").arg(file.table.spec.name.text()),
            .place = file.place,
            .inverse = down};
}

std::optional<Error> ofAView(const TableFile &file, const ViewSet &views)
{
    const TableName &name = file.table.spec.name;
    const auto *view = views.findTarget(name);
    if (!view)
        return std::nullopt;
    return generateProblem(
        QStringLiteral("table %1 is that of view '%2'").arg(name.text(), view->view.spec.name),
        file.place, u"Its columns are those of the query: take the file away");
}

// Of one table that is there.
TableSteps changesOf(const TableFile &file, const AppliedTable &applied, QList<Error> &problems)
{
    ColumnChanges columns(file, applied.info, problems);
    const auto layout = layoutChanges(file, applied, columns, problems);
    return {.first = columns.first() + layout, .last = columns.last()};
}

}  // namespace

Result<TableSteps> tableChanges(const QList<TableFile> &files, const ViewSet &views,
                                AppliedTables &applied, const TableName &defaults,
                                QList<Error> &problems)
{
    TableSteps out;
    QSet<QString> made;  // schemas
    for (const auto &file : files) {
        const TableName &name = file.table.spec.name;
        if (auto error = ofAView(file, views)) {
            problems.append(*std::move(error));
            continue;
        }
        if (auto types = checkTypes(file); !types) {
            problems.append(std::move(types).error());
            continue;
        }
        IVM_TRY(const auto table, applied.table(name));
        if (table) {
            const TableSteps steps = changesOf(file, *table, problems);
            out.first += steps.first;
            out.last += steps.last;
            continue;
        }
        const QString schema = TableName{name.catalog, name.schema, {}}.quoted();
        if (!made.contains(schema)) {
            IVM_TRY(const bool isThere, applied.hasSchema(name));
            if (!isThere)
                out.first.append(schemaStep(file, defaults));
            made.insert(schema);
        }
        out.first.append(createStep(file));
    }
    return out;
}

}  // namespace ivm::migrate
