#include "framework/migrate/autogenerate.h"

#include "framework/migrate/operation_yaml.h"
#include "framework/migrate/table_changes.h"
#include "framework/migrate/view_changes.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm::migrate {

namespace {

Status checkReady(const MigrationFolder &folder, const LineState &state)
{
    if (!folder.problems.isEmpty())
        return fail(folder.problems.first());
    if (const auto drift = driftOf(folder, state); !drift.isEmpty())
        return fail(drift.first());
    const auto pending = std::ranges::find_if(folder.migrations, [&](const Migration &migration) {
        return !state.isApplied(migration.version);
    });
    if (pending == folder.migrations.end())
        return {};
    return fail(conflictError(QStringLiteral("%1 is not applied, so what it changes would be found "
                                             "again")
                                  .arg(pending->label()))
                    .withCode(u"migrations_pending")
                    .at({pending->file, 0, 0})
                    .withHint(u"Apply it first: ivmctl migrate upgrade"));
}

// Brings steps into an order in which none breaks what is there at that point: the first one that
// can be done is next.
class Sequence {
public:
    Sequence(ViewSet views, QString line, qint64 version, TableName defaults)
        : m_views(std::move(views)), m_line(std::move(line)), m_version(version),
          m_defaults(std::move(defaults))
    {
    }

    Result<QList<GeneratedStep>> order(const QList<GeneratedStep> &steps)
    {
        QList<Pending> pending;
        for (const auto &step : steps)
            pending.append(pendingOf(step));
        QList<GeneratedStep> out;
        while (!pending.isEmpty()) {
            IVM_TRY(const qsizetype next, takeNext(pending));
            out.append(pending.takeAt(next).step);
        }
        return out;
    }

    const ViewSet &views() const { return m_views; }
    const QString &line() const { return m_line; }

    // Whether the steps can be done now, in this order; else why not.
    Status tryAll(const QList<Operation> &operations)
    {
        for (const auto &operation : operations)
            IVM_CHECK(m_views.apply({operation, {}, {}}, m_line, m_version));
        return {};
    }

private:
    struct Pending {
        GeneratedStep step;
        QList<ShapeSource> reads;
        std::optional<TableName> makes;
    };

    Pending pendingOf(const GeneratedStep &step) const
    {
        Pending out{step, {}, {}};
        const auto *create = std::get_if<CreateView>(&step.operation);
        const auto *replace = std::get_if<ReplaceView>(&step.operation);
        const ViewSpec *spec = create ? &create->spec : replace ? &replace->spec : nullptr;
        const auto *table = std::get_if<CreateTable>(&step.operation);
        if (table)
            out.makes = table->spec.name;
        if (!spec)
            return out;
        out.makes = spec->target;
        if (const auto shape = shapeOf(*spec, m_defaults))
            out.reads = shape->sources;
        return out;
    }

    // What steps that wait will bring.
    struct Promised {
        QSet<TableName> tables;
        QSet<TableName> changedViews;
        QHash<TableName, QStringList> columns;

        void add(const Pending &pending)
        {
            const Operation &operation = pending.step.operation;
            if (const auto *column = std::get_if<AddColumn>(&operation))
                columns[column->table].append(column->column.name);
            else if (const auto *rename = std::get_if<RenameColumn>(&operation))
                columns[rename->table].append(rename->to);
            else if (pending.makes && std::holds_alternative<ReplaceView>(operation))
                changedViews.insert(*pending.makes);
            else if (pending.makes)
                tables.insert(*pending.makes);
        }
    };

    bool waitsFor(const Promised &promised, const ShapeSource &source) const
    {
        const QStringList coming = promised.columns.value(source.table);
        return promised.tables.contains(source.table) ||
               (promised.changedViews.contains(source.table) && !hasColumns(source)) ||
               std::ranges::any_of(source.columns,
                                   [&](const QString &name) { return coming.contains(name); });
    }

    // Of a view as it is at this point.
    bool hasColumns(const ShapeSource &source) const
    {
        const auto *known = m_views.findTarget(source.table);
        return known && std::ranges::all_of(source.columns, [&](const QString &name) {
                   const auto &columns = known->view.shape.columns;
                   return std::ranges::find(columns, name, &ShapeColumn::name) != columns.end();
               });
    }

    Result<qsizetype> takeNext(const QList<Pending> &pending)
    {
        std::optional<Error> refused;
        Promised promised;
        for (qsizetype i = 0; i < pending.size(); ++i) {
            const auto &step = pending[i].step;
            const bool waits =
                std::ranges::any_of(pending[i].reads, [&](const ShapeSource &source) {
                    return waitsFor(promised, source);
                });
            ViewSet tried = m_views;
            auto done =
                waits ? Status() : tried.apply({step.operation, step.place, {}}, m_line, m_version);
            if (!waits && done) {
                m_views = std::move(tried);
                return i;
            }
            // A name that is not free yet is not what stands in the way.
            const bool isTold = refused && refused->code != u"same_name";
            if (!done && !isTold)
                refused = std::move(done).error();
            promised.add(pending[i]);
        }
        // The first one waits for nothing: it was refused.
        return fail(*refused);
    }

    ViewSet m_views;
    QString m_line;
    qint64 m_version;
    TableName m_defaults;
};

// Twice: which views read what has another type is known when the first order is.
Result<QList<GeneratedStep>> orderAll(Sequence &sequence, const TableSteps &tables,
                                      const QList<GeneratedStep> &ofViews)
{
    Sequence first = sequence;
    IVM_CHECK(first.order(tables.first + ofViews + tables.last));
    const auto all = withRetyped(ofViews, first.views(), sequence.line(), tables.first);
    return sequence.order(tables.first + all + tables.last);
}

void invert(Generated &generated, Sequence &behind)
{
    QStringList reasons;
    QList<Operation> down;
    for (auto step = generated.upgrade.crbegin(); step != generated.upgrade.crend(); ++step) {
        if (step->inverse)
            down += *step->inverse;
        else
            reasons.prepend(step->whyNone);
    }
    // What views forbid on the way back: a table that another has come to read.
    if (const auto back = behind.tryAll(down); reasons.isEmpty() && !back)
        reasons.append(back.error().message);
    generated.because = reasons.join(QStringLiteral("; "));
    if (reasons.isEmpty())
        generated.downgrade = down;
}

// A migration file takes ${…} for a variable.
void checkTexts(Generated &generated, const TableName &defaults)
{
    static const QRegularExpression variable(QStringLiteral("\\$\\{[^}]*\\}"));
    for (const auto &step : std::as_const(generated.upgrade)) {
        QString text = yaml::write(stepNode(step.operation, defaults));
        for (const auto &inverse : step.inverse.value_or(QList<Operation>()))
            text += yaml::write(stepNode(inverse, defaults));
        if (const auto match = variable.match(text); match.hasMatch())
            generated.problems.append(generateProblem(
                QStringLiteral("%1 holds %2, which a migration takes for a variable")
                    .arg(operationText(step.operation), match.captured().left(80)),
                step.place, u"Write it in another way, such as '$' || '{…}' in a query"));
    }
}

}  // namespace

Result<Generated> autogenerate(const AutogenerateRequest &request)
{
    const QString &line = request.folder.line;
    IVM_CHECK(checkReady(request.folder, LineState(request.history, line)));
    IVM_TRY(const ViewSet views,
            ViewSet::make(request.history.views, request.others, request.defaults));
    const qint64 version = request.folder.head() + 1;
    Generated out;
    TableSteps tables;
    IVM_TRY(tables,
            tableChanges(request.tables, views, request.applied, request.defaults, out.problems));
    QList<GeneratedStep> ofViews;
    if (request.views)
        ofViews = viewChanges({.wanted = *request.views,
                               .migrated = request.history.views,
                               .views = views,
                               .line = line,
                               .version = version,
                               .defaults = request.defaults},
                              out.problems);
    if (!out.problems.isEmpty())
        return out;
    Sequence sequence(views, line, version, request.defaults);
    auto ordered = orderAll(sequence, tables, ofViews);
    if (!ordered) {
        out.problems.append(std::move(ordered).error());
        return out;
    }
    out.upgrade = *std::move(ordered);
    invert(out, sequence);
    checkTexts(out, request.defaults);
    if (!out.problems.isEmpty())
        out.upgrade.clear();
    return out;
}

}  // namespace ivm::migrate
