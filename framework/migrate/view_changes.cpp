#include "framework/migrate/view_changes.h"

#include "framework/view/same_definition.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

QString targetOf(const ViewSpec &spec) { return spec.target.text(); }

// "query, target_partitioning": the fields in which the two differ.
QString differences(const ViewSpec &before, const ViewSpec &after, const TableName &defaults)
{
    const QJsonObject left = entryOf(before, defaults);
    const QJsonObject right = entryOf(after, defaults);
    const QString query = QStringLiteral("query");
    QStringList names;
    if (!sameQuery(before.query, after.query))
        names.append(query);
    QStringList keys = left.keys() + right.keys();
    keys.removeDuplicates();
    keys.sort();
    for (const auto &key : std::as_const(keys)) {
        if (key != u"name" && key != query && left.value(key) != right.value(key))
            names.append(key);
    }
    return names.join(QStringLiteral(", "));
}

class ViewChanges {
public:
    ViewChanges(const ViewChangesRequest &request, QList<Error> &problems)
        : m_request(request), m_problems(problems)
    {
    }

    QList<GeneratedStep> make()
    {
        readOwned();
        readWanted();
        checkSources();
        findRenamed();
        for (const auto &view : std::as_const(m_wanted))
            want(view.spec);
        QList<View> gone;
        for (const auto &view : std::as_const(m_owned)) {
            if (!m_kept.contains(view.spec.name))
                gone.append(view);
        }
        for (const auto &view : ordered(gone, Direction::ReadersFirst))
            drop(view.spec);
        return m_renames + m_changes + m_drops;
    }

private:
    enum class Direction { SourcesFirst, ReadersFirst };

    // Those in a cycle are left out.
    static QList<View> ordered(const QList<View> &views, Direction direction)
    {
        QList<View> out;
        for (const qsizetype index : refreshOrder(views).order)
            out.append(views[index]);
        if (direction == Direction::ReadersFirst)
            std::ranges::reverse(out);
        return out;
    }

    void readOwned()
    {
        for (const auto &row : m_request.migrated) {
            const auto *known = m_request.views.find(row.name);
            if (row.line == m_request.line && known)
                m_owned.append(known->view);
        }
    }

    void readWanted()
    {
        QList<View> all;
        for (const auto &spec : m_request.wanted) {
            auto shape = shapeOf(spec, m_request.defaults);
            if (!shape)
                m_problems.append(shape.error());
            else if (isOfAnotherLine(spec))
                continue;
            else
                all.append({spec, *std::move(shape)});
        }
        for (const qsizetype index : refreshOrder(all).inCycle)
            m_problems.append(cycleError(all, index));
        m_wanted = ordered(all, Direction::SourcesFirst);
    }

    bool isOfAnotherLine(const ViewSpec &spec)
    {
        const auto *known = m_request.views.find(spec.name);
        if (!known || !known->migrated || known->migrated->line == m_request.line)
            return false;
        if (!sameDefinition(known->view.spec, spec, m_request.defaults))
            m_problems.append(
                generateProblem(QStringLiteral("view '%1' is of %2, with another definition")
                                    .arg(spec.name, known->owner),
                                spec.queryPlace,
                                u"Change it in the namespace that made it, or make both the same"));
        return true;
    }

    const View *owned(const QString &name) const
    {
        const auto found =
            std::ranges::find_if(m_owned, [&](const View &view) { return view.spec.name == name; });
        return found == m_owned.end() ? nullptr : &*found;
    }

    bool isWanted(const QString &name) const
    {
        return std::ranges::any_of(m_request.wanted,
                                   [&](const ViewSpec &spec) { return spec.name == name; });
    }

    // A view cannot read the table of one that is gone.
    void checkSources()
    {
        QMap<TableName, QString> gone;
        for (const auto &view : std::as_const(m_owned))
            gone.insert(view.spec.target, view.spec.name);
        for (const auto &view : std::as_const(m_wanted))
            gone.remove(view.spec.target);
        for (const auto &view : std::as_const(m_wanted)) {
            for (const auto &source : view.shape.sources) {
                if (gone.contains(source.table))
                    m_problems.append(
                        generateProblem(
                            QStringLiteral("view '%1' reads %2, the table of view '%3', which "
                                           "would be gone")
                                .arg(view.spec.name, source.table.text(), gone.value(source.table)),
                            view.spec.queryPlace, u"Let it read another table, or keep that one")
                            .withCode(u"has_dependants"));
            }
        }
    }

    // A view that is gone, and a new one of the same query whose table it would have.
    void findRenamed()
    {
        for (const auto &view : std::as_const(m_wanted)) {
            if (owned(view.spec.name))
                continue;
            const auto from = std::ranges::find_if(m_owned, [&](const View &old) {
                return !isWanted(old.spec.name) && !m_kept.contains(old.spec.name) &&
                       sameQuery(old.spec.query, view.spec.query) &&
                       renamed(old.spec, view.spec.name, m_request.defaults).target ==
                           view.spec.target;
            });
            if (from != m_owned.end() && canRename(from->spec, view.spec))
                rename(from->spec, view.spec);
        }
    }

    // Else it is made anew, and the old one dropped.
    bool canRename(const ViewSpec &from, const ViewSpec &to) const
    {
        ViewSet tried = m_request.views;
        const auto can = [&](const Operation &operation) {
            return tried.apply({operation, {}, {}}, m_request.line, m_request.version).has_value();
        };
        const ViewSpec moved = renamed(from, to.name, m_request.defaults);
        return can(RenameView{from.name, to.name}) &&
               (sameDefinition(moved, to, m_request.defaults) || can(ReplaceView{to, true}));
    }

    void rename(const ViewSpec &from, const ViewSpec &to)
    {
        m_kept.insert(from.name);
        m_renamed.insert(to.name, renamed(from, to.name, m_request.defaults));
        m_renames.append(
            {.operation = RenameView{from.name, to.name},
             .why = QStringLiteral("view '%1' is gone, and view '%2' has the same query")
                        .arg(from.name, to.name),
             .place = to.queryPlace,
             .inverse = QList<Operation>{RenameView{to.name, from.name}}});
    }

    void want(const ViewSpec &spec)
    {
        const View *old = owned(spec.name);
        if (const auto from = m_renamed.constFind(spec.name); from != m_renamed.cend()) {
            change(*from, spec);
        } else if (!old) {
            create(spec, QStringLiteral("view '%1' is new").arg(spec.name));
        } else if (old->spec.target == spec.target) {
            m_kept.insert(spec.name);
            change(old->spec, spec);
        } else {
            create(spec, QStringLiteral("view '%1': its table is %2 now instead of %3, and is made "
                                        "anew")
                             .arg(spec.name, targetOf(spec), targetOf(old->spec)));
        }
    }

    void change(const ViewSpec &before, const ViewSpec &after)
    {
        if (sameDefinition(before, after, m_request.defaults))
            return;
        m_changes.append(
            {.operation = ReplaceView{after, true},
             .why = QStringLiteral("view '%1' differs in: %2")
                        .arg(after.name, differences(before, after, m_request.defaults)),
             .place = after.queryPlace,
             .inverse = QList<Operation>{RestoreView{after.name}}});
    }

    void create(const ViewSpec &spec, const QString &why)
    {
        m_changes.append({.operation = CreateView{spec},
                          .why = why,
                          .place = spec.queryPlace,
                          .inverse = QList<Operation>{DropView{spec.name, true}}});
    }

    // Its rows are the query's: the way back makes them again.
    void drop(const ViewSpec &spec)
    {
        const QString why = isWanted(spec.name)
                                ? QStringLiteral("view '%1' is made anew, with another table")
                                : QStringLiteral("view '%1' is gone");
        m_drops.append({.operation = DropView{spec.name, true},
                        .why = why.arg(spec.name) +
                               QStringLiteral(". Take drop_target out to keep its table %1, which "
                                              "nobody refreshes then")
                                   .arg(targetOf(spec)),
                        .place = {},
                        .inverse = QList<Operation>{CreateView{spec}}});
    }

    const ViewChangesRequest &m_request;
    QList<Error> &m_problems;
    QList<View> m_owned;
    QList<View> m_wanted;
    QMap<QString, ViewSpec> m_renamed;  // by the new name: the old definition under it
    QSet<QString> m_kept;               // names of owned views that are not dropped
    QList<GeneratedStep> m_renames;
    QList<GeneratedStep> m_changes;
    QList<GeneratedStep> m_drops;
};

}  // namespace

namespace {

// The view that a step makes or replaces; empty for others.
QString builtBy(const GeneratedStep &step)
{
    const auto *create = std::get_if<CreateView>(&step.operation);
    const auto *replace = std::get_if<ReplaceView>(&step.operation);
    return create ? create->spec.name : replace ? replace->spec.name : QString();
}

GeneratedStep retype(const ViewSpec &spec)
{
    return {.operation = ReplaceView{spec, true},
            .why = QStringLiteral("view '%1' reads a column that has another type now, so its own "
                                  "may change. Where they stay, this step can be taken out")
                       .arg(spec.name),
            .place = {},
            .inverse = QList<Operation>{RestoreView{spec.name}}};
}

using ColumnsOfTables = QHash<TableName, QStringList>;

ColumnsOfTables retypedColumns(const QList<GeneratedStep> &steps)
{
    ColumnsOfTables out;
    for (const auto &step : steps) {
        const auto *alter = std::get_if<AlterColumn>(&step.operation);
        if (alter && alter->type)
            out[alter->table].append(alter->column);
    }
    return out;
}

bool readsAny(const ShapeSource &source, const ColumnsOfTables &columns)
{
    const QStringList changed = columns.value(source.table);
    return std::ranges::any_of(source.columns,
                               [&](const QString &name) { return changed.contains(name); });
}

}  // namespace

QList<GeneratedStep> withRetyped(const QList<GeneratedStep> &steps, const ViewSet &after,
                                 const QString &line, const QList<GeneratedStep> &tables)
{
    const ColumnsOfTables columns = retypedColumns(tables);
    if (columns.isEmpty())
        return steps;
    QList<View> owned;
    for (const auto &known : after.all()) {
        if (known.migrated && known.migrated->line == line)
            owned.append(known.view);
    }
    // In the place of the first that is built: sources before those that read them.
    QList<GeneratedStep> built;
    QSet<TableName> retyped;
    for (const qsizetype index : refreshOrder(owned).order) {
        const auto &[spec, shape] = owned[index];
        const bool reads = std::ranges::any_of(shape.sources, [&](const ShapeSource &source) {
            return retyped.contains(source.table) || readsAny(source, columns);
        });
        const auto step = std::ranges::find(steps, spec.name, builtBy);
        if (reads)
            retyped.insert(spec.target);
        if (step != steps.end())
            built.append(*step);
        else if (reads)
            built.append(retype(spec));
    }
    const auto isBuilding = [](const GeneratedStep &step) { return !builtBy(step).isEmpty(); };
    QList<GeneratedStep> out = steps;
    const auto first = std::ranges::find_if(out, [](const GeneratedStep &step) {
        return !std::holds_alternative<RenameView>(step.operation);
    });
    const qsizetype at = first - out.begin();
    out.removeIf(isBuilding);
    return out.first(at) + built + out.sliced(at);
}

QList<GeneratedStep> viewChanges(const ViewChangesRequest &request, QList<Error> &problems)
{
    return ViewChanges(request, problems).make();
}

}  // namespace ivm::migrate
