#include "framework/migrate/view_set.h"

#include "framework/base/overloaded.h"
#include "framework/base/json.h"
#include "framework/base/nearest.h"
#include "framework/migrate/sql_effect.h"
#include "framework/migrate/version_text.h"
#include "framework/view/same_definition.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace ivm::migrate {

namespace {

const QString kVersion = QStringLiteral("version");
const QString kDefinition = QStringLiteral("definition");
const QString kTarget = QStringLiteral("target");
const QString kHeld = QStringLiteral("held");
const QString kEarlier = QStringLiteral("earlier");

Error problem(QString message, const QString &code)
{
    return invalidError(std::move(message)).withCode(code);
}

Result<View> understood(const ViewSpec &spec, const TableName &defaults)
{
    IVM_TRY(auto shape, shapeOf(spec, defaults));
    return View{spec, std::move(shape)};
}

// "view 'a' and view 'b'".
QString viewsText(const QStringList &names)
{
    QStringList quoted;
    for (const auto &name : names)
        quoted.append(QStringLiteral("view '%1'").arg(name));
    return quoted.join(QStringLiteral(", "));
}

}  // namespace

QString earlierText(const EarlierVersion &earlier, const TableName &defaults)
{
    QJsonArray held;
    for (const auto snapshot : earlier.held)
        held.append(QString::number(snapshot));
    const QJsonObject object{
        {kVersion, earlier.version},
        {kDefinition, entryOf(earlier.spec, defaults)},
        {kTarget, QJsonDocument::fromJson(earlier.target).object()},
        {kHeld, held},
        {kEarlier, QJsonDocument::fromJson(earlier.earlier.toUtf8()).object()}};
    return QString::fromUtf8(json::compact(object));
}

Result<EarlierVersion> readEarlier(const MigratedView &view, const TableName &defaults)
{
    const QString what = QStringLiteral("the earlier version of view '%1'").arg(view.name);
    QJsonParseError wrong;
    const auto object = QJsonDocument::fromJson(view.earlier.toUtf8(), &wrong).object();
    if (wrong.error != QJsonParseError::NoError)
        return fail(corruptError(QStringLiteral("%1: %2").arg(what, wrong.errorString())));
    IVM_TRY(auto spec,
            specOfEntry(json::compact(object.value(kDefinition).toObject()), what, defaults));
    EarlierVersion out{.version = object.value(kVersion).toInteger(),
                       .spec = std::move(spec),
                       .target = json::compact(object.value(kTarget).toObject()),
                       .held = {},
                       .earlier = {}};
    for (const auto &snapshot : object.value(kHeld).toArray())
        out.held.append(snapshot.toString().toLongLong());
    if (const auto before = object.value(kEarlier).toObject(); !before.isEmpty())
        out.earlier = QString::fromUtf8(json::compact(before));
    return out;
}

Result<QString> earlierBehind(const EarlierVersion &replaced, qint64 version,
                              const TableName &defaults)
{
    if (replaced.version <= version)
        return earlierText(replaced, defaults);
    if (replaced.earlier.isEmpty())
        return QString();
    MigratedView row;
    row.name = replaced.spec.name;
    row.earlier = replaced.earlier;
    IVM_TRY(const auto before, readEarlier(row, defaults));
    return before.earlier;
}

Result<EarlierVersion> earlierOf(const MigratedView &view, const ViewSpec &now,
                                 const TableName &defaults)
{
    IVM_TRY(auto earlier, readEarlier(view, defaults));
    earlier.spec.name = now.name;
    earlier.spec.target = now.target;
    return earlier;
}

Result<QList<SnapshotId>> heldOf(MigratedView view, const TableName &defaults)
{
    QList<SnapshotId> held;
    while (!view.earlier.isEmpty()) {
        IVM_TRY(const auto earlier, readEarlier(view, defaults));
        held += earlier.held;
        view.earlier = earlier.earlier;
    }
    return held;
}

ViewSpec renamed(const ViewSpec &spec, const QString &to, const TableName &defaults)
{
    ViewSpec out = spec;
    out.name = to;
    const TableName usual{defaults.catalog, defaults.schema, spec.name.toLower()};
    if (spec.target == usual)
        out.target.table = to.toLower();
    return out;
}

Result<ViewSet> ViewSet::make(const QList<MigratedView> &migrated, const QList<OtherView> &others,
                              const TableName &defaults)
{
    ViewSet out(defaults);
    for (const auto &view : migrated) {
        const QString what = QStringLiteral("view '%1' of %2").arg(view.name, ownerText(view));
        IVM_TRY(const auto spec, specOfEntry(view.definition.toUtf8(), what, defaults));
        // One that a newer version understands is still a view.
        auto shape = shapeOf(spec, defaults);
        out.m_all.append(
            {View{spec, shape ? *std::move(shape) : ViewShape()}, ownerText(view), view});
    }
    for (const auto &other : others) {
        if (!out.find(other.view.spec.name))
            out.m_all.append({other.view, other.owner, std::nullopt});
    }
    return out;
}

const ViewSet::Known *ViewSet::find(QStringView name) const
{
    const auto found = std::ranges::find_if(
        m_all, [&](const Known &known) { return known.view.spec.name == name; });
    return found == m_all.end() ? nullptr : &*found;
}

const ViewSet::Known *ViewSet::findTarget(const TableName &table) const
{
    const auto found = std::ranges::find_if(
        m_all, [&](const Known &known) { return known.view.spec.target == table; });
    return found == m_all.end() ? nullptr : &*found;
}

ViewSet ViewSet::ofMigrations() const
{
    ViewSet out = *this;
    out.m_all.removeIf([](const Known &known) { return !known.migrated; });
    return out;
}

void ViewSet::leaveOut(const ViewSet &last)
{
    m_all.removeIf([&](const Known &known) {
        const Known *other = known.migrated ? nullptr : last.find(known.view.spec.name);
        return other && other->migrated &&
               sameDefinition(known.view.spec, other->view.spec, m_defaults);
    });
}

QStringList ViewSet::readers(const TableName &table, const QString &column) const
{
    QStringList names;
    for (const auto &known : m_all) {
        const auto reads = [&](const ShapeSource &source) {
            return source.table == table &&
                   (column.isEmpty() || source.columns.contains(column, Qt::CaseInsensitive));
        };
        if (std::ranges::any_of(known.view.shape.sources, reads))
            names.append(known.view.spec.name);
    }
    return names;
}

Status ViewSet::checkTable(const TableName &table, QStringView what) const
{
    if (const auto names = readers(table); !names.isEmpty())
        return fail(problem(QStringLiteral("%1 is read by %2, so it cannot be %3")
                                .arg(table.text(), viewsText(names), what),
                            QStringLiteral("has_dependants"))
                        .withHint(u"Drop or replace the views first, in steps before this one"));
    if (const Known *view = findTarget(table))
        return fail(problem(QStringLiteral("%1 is the table of view '%2', so it cannot be %3")
                                .arg(table.text(), view->view.spec.name, what),
                            QStringLiteral("is_target"))
                        .withHint(u"Use drop_view or rename_view"));
    return {};
}

Status ViewSet::checkColumn(const TableName &table, const QString &column, QStringView what) const
{
    const auto names = readers(table, column);
    if (names.isEmpty())
        return {};
    return fail(problem(QStringLiteral("column %1 of %2 is read by %3, so it cannot be %4")
                            .arg(column, table.text(), viewsText(names), what),
                        QStringLiteral("has_dependants"))
                    .withHint(u"Drop or replace the views first, in steps before this one"));
}

// Every other writer than the view's refresh makes it wrong.
Status ViewSet::checkRows(const TableName &table) const
{
    const Known *view = findTarget(table);
    if (!view)
        return {};
    return fail(
        problem(QStringLiteral("%1 is the table of view '%2', so no statement can write it")
                    .arg(table.text(), view->view.spec.name),
                QStringLiteral("is_target"))
            .withHint(u"Write what the view reads; 'backfill' compares all of the view with "
                      u"its query"));
}

Status ViewSet::checkSchema(const TableName &schema) const
{
    const auto isIn = [&](const TableName &table) {
        return table.catalog == schema.catalog && table.schema == schema.schema;
    };
    for (const auto &known : m_all) {
        if (isIn(known.view.spec.target))
            IVM_CHECK(checkTable(known.view.spec.target, u"dropped"));
        for (const auto &source : known.view.shape.sources) {
            if (isIn(source.table))
                IVM_CHECK(checkTable(source.table, u"dropped"));
        }
    }
    return {};
}

// A name or a target that is free, or another owner's view of the very same definition.
Status ViewSet::checkFree(const ViewSpec &spec) const
{
    for (const auto &known : m_all) {
        if (known.view.spec.name == spec.name) {
            if (!known.migrated && sameDefinition(known.view.spec, spec, m_defaults))
                continue;
            const QString differs =
                known.migrated ? QString() : QStringLiteral(", with another definition");
            return fail(
                problem(QStringLiteral("there is a view '%1' already, of %2%3")
                            .arg(spec.name, known.owner, differs),
                        QStringLiteral("same_name"))
                    .withHint(known.migrated
                                  ? QStringLiteral("Use replace_view to change it")
                                  : QStringLiteral("Make it there what the last migration says, or "
                                                   "take it out")));
        }
        if (known.view.spec.target == spec.target)
            return fail(
                problem(QStringLiteral("view '%1': its target %2 is also that of view '%3' "
                                       "of %4")
                            .arg(spec.name, spec.target.text(), known.view.spec.name, known.owner),
                        QStringLiteral("same_target"))
                    .withHint(u"Give one of them another target_table"));
    }
    return {};
}

// A view that migrations of this line own.
Result<ViewSet::Known *> ViewSet::own(const QString &name, const QString &line)
{
    const auto found = std::ranges::find_if(
        m_all, [&](const Known &known) { return known.view.spec.name == name; });
    if (found == m_all.end()) {
        QStringList names;
        for (const auto &known : std::as_const(m_all))
            names.append(known.view.spec.name);
        const QString near = nearestHint(name, names);
        return fail(notFoundError(QStringLiteral("there is no view '%1' at this point").arg(name))
                        .withCode(u"no_view")
                        .withHint(near.isEmpty()
                                      ? QStringLiteral("A line that was stamped has made "
                                                       "nothing: stamp it back instead")
                                      : near));
    }
    if (!found->migrated)
        return fail(
            problem(
                QStringLiteral("view '%1' is of %2, not of a migration").arg(name, found->owner),
                QStringLiteral("other_owner"))
                .withHint(u"Take it over with create_view of the same definition first"));
    if (found->migrated->line != line)
        return fail(problem(QStringLiteral("view '%1' is of %2, and this is namespace %3")
                                .arg(name, found->owner, line),
                            QStringLiteral("other_owner"))
                        .withHint(u"Change it in the namespace that made it"));
    return &*found;
}

Status ViewSet::create(const ViewSpec &spec, const QString &line, qint64 version)
{
    IVM_TRY(View view, understood(spec, m_defaults));
    IVM_CHECK(checkFree(spec));
    const MigratedView row{.name = spec.name,
                           .line = line,
                           .version = version,
                           .definition =
                               QString::fromUtf8(json::compact(entryOf(spec, m_defaults))),
                           .earlier = {},
                           .held = {}};
    m_all.removeIf([&](const Known &known) { return known.view.spec.name == spec.name; });
    m_all.append({std::move(view), ownerText(row), row});
    return {};
}

// What others read of the view has to stay.
Status ViewSet::checkReadersKeep(const View &before, const View &after) const
{
    if (before.spec.target != after.spec.target)
        return fail(
            problem(QStringLiteral("view '%1': its target would become %2; it is %3")
                        .arg(after.spec.name, after.spec.target.text(), before.spec.target.text()),
                    QStringLiteral("target_changes"))
                .withHint(u"Keep target_table; to move the rows, make a view of another "
                          u"name"));
    for (const auto &column : before.shape.columns) {
        const bool stays = std::ranges::find(after.shape.columns, column.name,
                                             &ShapeColumn::name) != after.shape.columns.end();
        if (!stays)
            IVM_CHECK(checkColumn(before.spec.target, column.name, u"taken away"));
    }
    return {};
}

Status ViewSet::replace(const ViewSpec &spec, const QString &line, qint64 version)
{
    IVM_TRY(Known * known, own(spec.name, line));
    IVM_TRY(View view, understood(spec, m_defaults));
    IVM_CHECK(checkReadersKeep(known->view, view));
    if (known->migrated->version == version && !known->migrated->earlier.isEmpty())
        return fail(
            problem(QStringLiteral("view '%1' is replaced twice in one migration").arg(spec.name),
                    QStringLiteral("replaced_twice"))
                .withHint(u"Leave out the first, or put the second into a migration of its "
                          u"own"));
    const EarlierVersion replaced{.version = known->migrated->version,
                                  .spec = known->view.spec,
                                  .target = {},
                                  .held = {},
                                  .earlier = known->migrated->earlier};
    IVM_TRY(const QString earlier, earlierBehind(replaced, version, m_defaults));
    known->view = std::move(view);
    known->migrated->version = version;
    known->migrated->definition = QString::fromUtf8(json::compact(entryOf(spec, m_defaults)));
    known->migrated->earlier = earlier;
    known->owner = ownerText(*known->migrated);
    return {};
}

Status ViewSet::restore(const RestoreView &node, const QString &line)
{
    IVM_TRY(Known * known, own(node.name, line));
    if (known->migrated->earlier.isEmpty())
        return fail(problem(QStringLiteral("view '%1' was never replaced, so there is nothing to "
                                           "restore")
                                .arg(node.name),
                            QStringLiteral("never_replaced"))
                        .withHint(u"Write the definition out with replace_view"));
    IVM_TRY(const auto earlier, earlierOf(*known->migrated, known->view.spec, m_defaults));
    IVM_TRY(View view, understood(earlier.spec, m_defaults));
    IVM_CHECK(checkReadersKeep(known->view, view));
    known->view = std::move(view);
    known->migrated->version = earlier.version;
    known->migrated->definition =
        QString::fromUtf8(json::compact(entryOf(earlier.spec, m_defaults)));
    known->migrated->earlier = earlier.earlier;
    known->owner = ownerText(*known->migrated);
    return {};
}

Status ViewSet::drop(const DropView &node, const QString &line)
{
    IVM_TRY(Known * known, own(node.name, line));
    if (const auto names = readers(known->view.spec.target); !names.isEmpty())
        return fail(problem(QStringLiteral("view '%1' is read by %2, so it cannot be dropped")
                                .arg(node.name, viewsText(names)),
                            QStringLiteral("has_dependants"))
                        .withHint(u"Drop or replace the views first, in steps before this one"));
    m_all.removeIf([&](const Known &other) { return other.view.spec.name == node.name; });
    return {};
}

Status ViewSet::rename(const RenameView &node, const QString &line, qint64 version)
{
    IVM_TRY(Known * known, own(node.from, line));
    const ViewSpec spec = renamed(known->view.spec, node.to, m_defaults);
    const Known before = *known;
    m_all.removeIf([&](const Known &other) { return other.view.spec.name == node.from; });
    const bool moves = spec.target != before.view.spec.target;
    if (const auto names = readers(before.view.spec.target); moves && !names.isEmpty())
        return fail(problem(QStringLiteral("view '%1' is read by %2 by its table's name %3")
                                .arg(node.from, viewsText(names), before.view.spec.target.text()),
                            QStringLiteral("has_dependants"))
                        .withHint(u"Replace it by a definition with target_table first, which "
                                  u"stays when the view is renamed"));
    MigratedView row = *before.migrated;
    IVM_CHECK(create(spec, line, version));
    row.name = spec.name;
    row.definition = m_all.back().migrated->definition;
    m_all.back().migrated = row;
    return {};
}

Status ViewSet::checkCycles() const
{
    QList<View> views;
    for (const auto &known : m_all)
        views.append(known.view);
    const auto order = refreshOrder(views);
    if (order.inCycle.isEmpty())
        return {};
    return fail(cycleError(views, order.inCycle.first()));
}

Status ViewSet::apply(const Step &step, const QString &line, qint64 version)
{
    const Overloaded on{
        [&](const CreateView &node) { return create(node.spec, line, version); },
        [&](const ReplaceView &node) { return replace(node.spec, line, version); },
        [&](const RestoreView &node) { return restore(node, line); },
        [&](const DropView &node) { return drop(node, line); },
        [&](const RenameView &node) { return rename(node, line, version); },
        [&](const Backfill &node) -> Status {
            IVM_CHECK(own(node.view, line));
            return {};
        },
        [&](const DropTable &node) { return checkTable(node.name, u"dropped"); },
        [&](const RenameTable &node) { return checkTable(node.from, u"renamed"); },
        [&](const DropColumn &node) { return checkColumn(node.table, node.column, u"dropped"); },
        [&](const RenameColumn &node) { return checkColumn(node.table, node.from, u"renamed"); },
        [&](const Sql &node) -> Status {
            const Overloaded effect{
                [&](const Operation &same) -> Status {
                    return apply({same, step.place, step.checksum}, line, version);
                },
                [&](const TableReplaced &done) { return checkTable(done.table, u"replaced"); },
                [&](const RowsWritten &done) { return checkRows(done.table); },
                [&](const SchemaDropped &done) { return checkSchema(done.schema); },
                [](std::monostate) { return Status(); }};
            return std::visit(effect, effectOf(node, m_defaults));
        },
        [](const auto &) { return Status(); }};
    auto done = std::visit(on, step.operation);
    if (!done)
        return fail(std::move(done).error().at(step.place));
    return {};
}

}  // namespace ivm::migrate
