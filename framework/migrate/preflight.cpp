#include "framework/migrate/preflight.h"

#include "framework/base/overloaded.h"
#include "framework/migrate/column_changes.h"
#include "framework/sql/parser.h"
#include "framework/sqlexec/type_sql.h"
#include "framework/view/outputs.h"
#include "framework/view/same_definition.h"

#include <QSet>

#include <algorithm>

namespace ivm::migrate {

namespace {

const QString kWhere = QStringLiteral(", and no step before this one makes it");

// Any other statement may change any table.
bool changesOnlyRows(const Sql &node)
{
    const auto parsed = sql::parseStatement(node.statement);
    return parsed && (std::holds_alternative<sql::Insert>(parsed->node) ||
                      std::holds_alternative<sql::Delete>(parsed->node) ||
                      std::holds_alternative<sql::Update>(parsed->node) ||
                      std::holds_alternative<sql::Merge>(parsed->node));
}

const Column *columnOf(const QList<Column> &columns, const QString &name)
{
    const auto found = std::ranges::find_if(columns, [&](const Column &column) {
        return column.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == columns.end() ? nullptr : &*found;
}

Error noTable(const TableName &table)
{
    return notFoundError(QStringLiteral("table %1 is not there%2").arg(table.text(), kWhere))
        .withCode(u"no_table");
}

Error tableIsThere(const TableName &table)
{
    return alreadyExistsError(QStringLiteral("there is a table %1 already").arg(table.text()))
        .withCode(u"table_exists")
        .withHint(u"Rename or drop that table, or choose another name");
}

class Preflight {
public:
    Preflight(const MigrationPlan &plan, const ViewSet &views, TableLooks &looks, const Call &call)
        : m_plan(plan), m_looks(looks), m_call(call)
    {
        for (const auto &known : views.all())
            m_views.insert(known.view.spec.name, known.view);
    }

    Result<QList<Error>> run()
    {
        for (const auto &planned : m_plan.migrations) {
            for (const auto &step : planned.steps) {
                m_step = &step;
                if (step.state == StepState::Done)
                    continue;
                // What was begun may be there already: the step looks for itself.
                const bool isNew = step.state == StepState::Pending && step.begun.isEmpty();
                if (isNew && !m_isBlind) {
                    IVM_CHECK(std::visit([this](const auto &node) { return check(node); },
                                         step.step->operation));
                }
                std::visit([this](const auto &node) { follow(node); }, step.step->operation);
            }
        }
        return std::move(m_found);
    }

private:
    // What there is to say against a step. Errors of the engine itself alone are errors.

    Status check(const CreateTable &node) { return wantFree(node.spec.name); }
    Status check(const RenameTable &node)
    {
        IVM_CHECK(wantTable(node.from));
        return wantFree(node.to);
    }
    Status check(const DropTable &node) { return wantTable(node.name); }
    Status check(const SetPartitioning &node) { return wantTable(node.table); }
    Status check(const SetSortOrder &node) { return wantTable(node.table); }
    Status check(const SetProperties &node) { return wantTable(node.table); }
    Status check(const AddColumn &node) { return wantFreeColumn(node.table, node.column.name); }
    Status check(const DropColumn &node)
    {
        IVM_TRY(const auto column, wantColumn(node.table, node.column));
        Q_UNUSED(column)
        return {};
    }
    Status check(const RenameColumn &node)
    {
        IVM_TRY(const auto column, wantColumn(node.table, node.from));
        return column ? wantFreeColumn(node.table, node.to) : Status();
    }
    Status check(const AlterColumn &node)
    {
        IVM_TRY(const auto column, wantColumn(node.table, node.column));
        if (!column || !node.type || column->type.isNested() || node.type->isNested() ||
            sameColumnType(column->type, *node.type) || isWiderColumnType(column->type, *node.type))
            return {};
        report(invalidError(
                   QStringLiteral("column %1 of %2 is of type %3 and cannot become %4")
                       .arg(node.column, node.table.text(), column->type.text(), node.type->text()))
                   .withCode(u"narrows")
                   .withHint(u"integer can become bigint, real double, a decimal one of more "
                             u"digits with the same scale"));
        return {};
    }
    Status check(const CreateView &node)
    {
        IVM_TRY(const auto columns, described(node.spec));
        if (!columns || m_touched.contains(node.spec.target))
            return {};
        IVM_TRY(const auto info, m_looks.at(node.spec.target));
        if (!info || tellsOf(info->comment, node.spec))
            return {};
        const bool fits =
            std::ranges::all_of(*columns,
                                [&](const Column &column) {
                                    return columnOf(info->columns, column.name) != nullptr;
                                }) &&
            columns->size() == info->columns.size();
        if (info->head.snapshot || !fits)
            report(alreadyExistsError(QStringLiteral("there is a table %1 already, which is not "
                                                     "the view's")
                                          .arg(node.spec.target.text()))
                       .withCode(u"not_the_views")
                       .withHint(u"Rename or drop that table, or give the view another "
                                 u"target_table"));
        return {};
    }
    Status check(const ReplaceView &node)
    {
        IVM_TRY(const auto columns, described(node.spec));
        if (!columns || m_touched.contains(node.spec.target))
            return {};
        IVM_TRY(const auto info, m_looks.at(node.spec.target));
        if (!info)
            return {};
        for (const auto &before : info->columns) {
            const Column *after = columnOf(*columns, before.name);
            const auto type = after ? columnType(after->type) : Result<Type>(before.type);
            if (type && !sameColumnType(before.type, *type))
                checkReaders(node.spec, before, *type);
        }
        return {};
    }
    Status check(const Backfill &) { return {}; }
    Status check(const RestoreView &) { return {}; }
    Status check(const DropView &) { return {}; }
    Status check(const RenameView &) { return {}; }
    Status check(const CreateSchema &) { return {}; }
    Status check(const DropSchema &) { return {}; }
    Status check(const Sql &) { return {}; }

    // What the step may have changed when it is done.

    void follow(const Sql &node) { m_isBlind = m_isBlind || !changesOnlyRows(node); }
    void follow(const DropView &node)
    {
        if (const auto view = m_views.constFind(node.name); view != m_views.cend())
            m_touched.insert(view->spec.target);
        m_views.remove(node.name);
    }
    void follow(const RenameView &node)
    {
        follow(DropView{node.from, false});
        followView();
    }
    void follow(const RenameTable &node)
    {
        m_touched.insert(node.from);
        m_touched.insert(node.to);
    }
    void follow(const auto &node)
    {
        if (const auto table = changedBy(Operation(node)))
            m_touched.insert(*table);
        followView();
    }
    void followView()
    {
        if (!m_step->view)
            return;
        m_touched.insert(m_step->view->spec.target);
        m_views.insert(m_step->view->spec.name, *m_step->view);
    }

    // None where the step before it has it to itself, or there is no such table, which is told.
    Result<std::optional<TableInfo>> known(const TableName &table)
    {
        if (m_touched.contains(table))
            return std::nullopt;
        IVM_TRY(auto info, m_looks.at(table));
        if (!info)
            report(noTable(table));
        return info;
    }

    Status wantTable(const TableName &table)
    {
        IVM_TRY(const auto info, known(table));
        Q_UNUSED(info)
        return {};
    }

    Status wantFree(const TableName &table)
    {
        if (m_touched.contains(table))
            return {};
        IVM_TRY(const auto info, m_looks.at(table));
        if (info)
            report(tableIsThere(table));
        return {};
    }

    Result<std::optional<Column>> wantColumn(const TableName &table, const QString &name)
    {
        IVM_TRY(const auto info, known(table));
        const Column *column = info ? columnOf(info->columns, name) : nullptr;
        if (info && !column)
            report(
                notFoundError(
                    QStringLiteral("table %1 has no column %2%3").arg(table.text(), name, kWhere))
                    .withCode(u"no_column"));
        return column ? std::optional(*column) : std::nullopt;
    }

    Status wantFreeColumn(const TableName &table, const QString &name)
    {
        IVM_TRY(const auto info, known(table));
        if (info && columnOf(info->columns, name))
            report(alreadyExistsError(
                       QStringLiteral("table %1 has a column %2 already").arg(table.text(), name))
                       .withCode(u"column_exists"));
        return {};
    }

    // The columns that the view's query gives; none where that cannot be known yet, or it is none,
    // which is told.
    Result<std::optional<QList<Column>>> described(const ViewSpec &spec)
    {
        using Out = std::optional<QList<Column>>;
        if (!m_step->view)
            return Out();
        const auto &sources = m_step->view->shape.sources;
        const bool isKnown = std::ranges::none_of(
            sources, [&](const ShapeSource &source) { return m_touched.contains(source.table); });
        if (!isKnown)
            return Out();
        IVM_TRY(Session * session, m_looks.session());
        auto columns = session->describe(m_step->view->shape.query, m_call);
        if (columns)
            return Out(*std::move(columns));
        IVM_CHECK(reportQuery(spec, std::move(columns).error()));
        return Out();
    }

    Status reportQuery(const ViewSpec &spec, Error error)
    {
        if (error.kind != ErrorKind::Invalid && error.kind != ErrorKind::NotFound &&
            error.kind != ErrorKind::Unsupported)
            return fail(std::move(error));
        for (const auto &source : m_step->view->shape.sources) {
            IVM_TRY(const auto info, m_looks.at(source.table));
            if (!info) {
                report(noTable(source.table));
                return {};
            }
        }
        error.message = QStringLiteral("view '%1': %2").arg(spec.name, error.message);
        report(std::move(error));
        return {};
    }

    void checkReaders(const ViewSpec &spec, const Column &before, const Type &after)
    {
        for (const auto &reader : std::as_const(m_views)) {
            const bool reads =
                std::ranges::any_of(reader.shape.sources, [&](const ShapeSource &source) {
                    return source.table == spec.target &&
                           source.columns.contains(before.name, Qt::CaseInsensitive);
                });
            if (reads && !isMadeNewLater(reader.spec))
                report(problemOf(spec, before, after, reader.spec.name));
        }
    }

    static Error problemOf(const ViewSpec &spec, const Column &before, const Type &after,
                           const QString &reader)
    {
        return invalidError(
                   QStringLiteral("view '%1': its column %2 would become %3 instead of "
                                  "%4, and view '%5' reads it")
                       .arg(spec.name, before.name, after.text(), before.type.text(), reader))
            .withCode(u"has_dependants")
            .withHint(QStringLiteral("Cast it to %1; or give '%2' another definition in a step "
                                     "behind this one, or drop it before")
                          .arg(before.type.text(), reader));
    }

    // The same definition again would build nothing.
    bool isMadeNewLater(const ViewSpec &reader) const
    {
        bool isLater = false;
        for (const auto &planned : m_plan.migrations) {
            for (const auto &step : planned.steps) {
                isLater = isLater || &step == m_step;
                const auto *replace = std::get_if<ReplaceView>(&step.step->operation);
                const auto *drop = std::get_if<DropView>(&step.step->operation);
                if (isLater && ((drop && drop->name == reader.name) ||
                                (replace && replace->spec.name == reader.name &&
                                 !sameTable(replace->spec, reader))))
                    return true;
            }
        }
        return false;
    }

    void report(Error error) { m_found.append(std::move(error).at(m_step->step->place)); }

    const MigrationPlan &m_plan;
    TableLooks &m_looks;
    const Call &m_call;
    QMap<QString, View> m_views;
    const PlannedStep *m_step = nullptr;
    QSet<TableName> m_touched;
    bool m_isBlind = false;
    QList<Error> m_found;
};

}  // namespace

Result<QList<Error>> preflight(const MigrationPlan &plan, const ViewSet &views, TableLooks &looks,
                               const Call &call)
{
    return Preflight(plan, views, looks, call).run();
}

}  // namespace ivm::migrate
