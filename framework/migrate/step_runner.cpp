#include "framework/migrate/step_runner.h"

#include "framework/base/json.h"
#include "framework/base/overloaded.h"
#include "framework/view/outputs.h"
#include "framework/view/same_definition.h"

#include <QJsonDocument>

#include <algorithm>

namespace ivm::migrate {

namespace {

QJsonObject builtJson(const QString &view, const Built &built)
{
    return {{QStringLiteral("view"), view},
            {QStringLiteral("action"), built.action},
            {QStringLiteral("rows_read"), built.rowsRead},
            {QStringLiteral("rows_written"), built.rowsWritten},
            {QStringLiteral("rows_deleted"), built.rowsDeleted},
            {QStringLiteral("files_read"), built.filesRead},
            {QStringLiteral("seconds"), built.seconds}};
}

Result<std::optional<TableInfo>> lookAt(Session &session, const TableName &name, const Call &call)
{
    auto info = session.tableInfo(name, call);
    if (info)
        return std::optional(*std::move(info));
    if (info.error().kind == ErrorKind::NotFound)
        return std::nullopt;
    return fail(std::move(info).error());
}

const Column *columnOf(const std::optional<TableInfo> &info, const QString &name)
{
    if (!info)
        return nullptr;
    const auto found = std::ranges::find_if(info->columns, [&](const Column &column) {
        return column.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == info->columns.end() ? nullptr : &*found;
}

// An engine counts lines and columns in the statement, people in the file.
Error inFile(Error error, bool isWritten)
{
    if (error.place.line > 0 && isWritten)
        error.message += QStringLiteral(" (line %1, column %2 of the statement)")
                             .arg(error.place.line)
                             .arg(error.place.column);
    error.place = {};
    return error;
}

Error unclear(const Operation &operation)
{
    return conflictError(QStringLiteral("whether '%1' took effect is not known: the run that began "
                                        "it ended before it could tell")
                             .arg(operationText(operation)))
        .withCode(u"step_unclear")
        .withHint(u"Look whether it did ('ivmctl tables NAME --snapshots' shows what was "
                  u"committed); then say so: 'ivmctl migrate repair --step-done', or "
                  u"'--step-not-done'");
}

// What of a view's row the history cannot be asked for any more.
QString rowText(const MigratedView &row)
{
    const QJsonObject object{{QStringLiteral("version"), row.version},
                             {QStringLiteral("definition"), row.definition},
                             {QStringLiteral("earlier"), row.earlier}};
    return QString::fromUtf8(json::compact(object));
}

MigratedView rowOfText(const QString &text, const QString &name)
{
    const auto object = QJsonDocument::fromJson(text.toUtf8()).object();
    MigratedView row;
    row.name = name;
    row.version = object.value(u"version").toInteger();
    row.definition = object.value(u"definition").toString();
    row.earlier = object.value(u"earlier").toString();
    return row;
}

Error noView(const QString &name)
{
    return notFoundError(QStringLiteral("there is no view '%1'").arg(name)).withCode(u"no_view");
}

}  // namespace

View besideOf(const View &view, qint64 version)
{
    View out = view;
    out.spec.name += QStringLiteral("@%1").arg(version);
    out.spec.target.table += QStringLiteral("__v%1").arg(version);
    return out;
}

Result<Session *> StepRunner::session()
{
    if (!m_session) {
        IVM_TRY(Executor * executor, m_services.executor());
        SessionOptions options;
        options.purpose = m_services.purpose;
        IVM_TRY(m_session, executor->openSession(options, m_call));
    }
    return m_session.get();
}

Result<QJsonObject> StepRunner::run(const PlannedStep &step)
{
    m_hasChanged = false;
    using Out = Result<QJsonObject>;
    const Overloaded on{[&](const CreateView &node) -> Out { return create(node); },
                        [&](const ReplaceView &node) -> Out { return replace(node, step); },
                        [&](const RestoreView &node) -> Out { return restore(node, step); },
                        [&](const DropView &node) -> Out { return drop(node, step); },
                        [&](const RenameView &node) -> Out { return rename(node, step); },
                        [&](const Backfill &node) -> Out { return backfill(node); },
                        [&](const auto &) -> Out { return runSql(step); }};
    return std::visit(on, step.step->operation);
}

Result<QJsonObject> StepRunner::runSql(const PlannedStep &step)
{
    IVM_TRY(Session * open, session());
    QStringList statements = step.statements;
    if (step.state == StepState::Unclear) {
        IVM_TRY(statements, remaining(step, *open));
    }
    qint64 rows = -1;
    QString id;
    for (const auto &statement : std::as_const(statements)) {
        const auto result = execute(*open, statement, m_call);
        if (!result)
            return fail(inFile(result.error(), std::holds_alternative<Sql>(step.step->operation)));
        m_hasChanged = true;
        rows = std::max(rows, result->rowsAffected);
        id = result->statementId;
    }
    QJsonObject out;
    if (rows >= 0)
        out.insert(QStringLiteral("rows"), rows);
    if (!id.isEmpty())
        out.insert(QStringLiteral("statement_id"), id);
    return out;
}

// Of a step that may have taken effect: the statements that are left to do.
Result<QStringList> StepRunner::remaining(const PlannedStep &step, Session &session)
{
    using Out = Result<QStringList>;
    const QStringList &all = step.statements;
    const auto unless = [&](bool isDone) -> Out { return isDone ? QStringList() : all; };
    const auto look = [&](const TableName &name) { return lookAt(session, name, m_call); };
    const Overloaded on{[&](const CreateTable &node) -> Out {
                            IVM_TRY(const auto info, look(node.spec.name));
                            return unless(info.has_value());
                        },
                        [&](const DropTable &node) -> Out {
                            IVM_TRY(const auto info, look(node.name));
                            return unless(!info);
                        },
                        [&](const RenameTable &node) -> Out {
                            IVM_TRY(const auto from, look(node.from));
                            IVM_TRY(const auto to, look(node.to));
                            return unless(!from && to);
                        },
                        [&](const AddColumn &node) -> Out {
                            IVM_TRY(const auto info, look(node.table));
                            return unless(columnOf(info, node.column.name));
                        },
                        [&](const DropColumn &node) -> Out {
                            IVM_TRY(const auto info, look(node.table));
                            return unless(info && !columnOf(info, node.column));
                        },
                        [&](const RenameColumn &node) -> Out {
                            IVM_TRY(const auto info, look(node.table));
                            return unless(columnOf(info, node.to) && !columnOf(info, node.from));
                        },
                        [&](const AlterColumn &node) -> Out { return remainingOf(node, session); },
                        [&](const DropSchema &) -> Out {
                            const QString drop = QStringLiteral("DROP SCHEMA ");
                            return QStringList{drop + QStringLiteral("IF EXISTS ") +
                                               all.front().mid(drop.size())};
                        },
                        [&](const Sql &node) -> Out { return fail(unclear(node)); },
                        // Doing these again gives what doing them once gives.
                        [&](const auto &) -> Out { return all; }};
    return std::visit(on, step.step->operation);
}

Result<QStringList> StepRunner::remainingOf(const AlterColumn &node, Session &session)
{
    IVM_TRY(const auto info, lookAt(session, node.table, m_call));
    const Column *column = columnOf(info, node.column);
    AlterColumn left = node;
    if (column && left.type && column->type == *left.type)
        left.type.reset();
    return statementsOf(left);
}

Status StepRunner::verify(const VerifyQuery &verify)
{
    IVM_TRY(Session * open, session());
    auto rows = query(*open, verify.query, m_call);
    if (!rows)
        return fail(inFile(rows.error(), true).during(u"verify").at(verify.place));
    const bool isTrue = rows->rows.size() == 1 && rows->rows.front().size() == 1 &&
                        rows->rows.front().front() == Value{true};
    if (isTrue)
        return {};
    return fail(invalidError(QStringLiteral("verify: the query gave %1 rows, expected one row with "
                                            "one column, which is true")
                                 .arg(rows->rows.size()))
                    .withCode(u"verify_failed")
                    .at(verify.place)
                    .withHint(u"Mend what it found, then run 'ivmctl migrate upgrade' again: the "
                              u"steps are not repeated. To take them back instead: delete the "
                              u"query, upgrade, then downgrade"));
}

Result<View> StepRunner::understood(const ViewSpec &spec) const
{
    IVM_TRY(auto shape, shapeOf(spec, m_services.defaults));
    return View{spec, std::move(shape)};
}

MigratedView StepRunner::rowOf(const ViewSpec &spec) const
{
    return {.name = spec.name,
            .line = m_line,
            .version = m_version,
            .definition = QString::fromUtf8(json::compact(entryOf(spec, m_services.defaults))),
            .earlier = {},
            .held = {}};
}

Result<std::optional<StepRunner::Owned>> StepRunner::find(const QString &name)
{
    IVM_TRY(const auto history, m_services.history.history(m_call));
    const auto row = std::ranges::find(history.views, name, &MigratedView::name);
    if (row == history.views.end())
        return std::nullopt;
    IVM_TRY(auto found, ownedOf(*row));
    return std::optional(std::move(found));
}

Result<StepRunner::Owned> StepRunner::ownedOf(const MigratedView &row) const
{
    const QString what = QStringLiteral("view '%1'").arg(row.name);
    IVM_TRY(const auto spec, specOfEntry(row.definition.toUtf8(), what, m_services.defaults));
    IVM_TRY(auto view, understood(spec));
    return Owned{row, std::move(view)};
}

Result<StepRunner::Owned> StepRunner::owned(const QString &name)
{
    IVM_TRY(auto found, find(name));
    if (!found)
        return fail(noView(name));
    return *std::move(found);
}

Status StepRunner::changeViews(const QList<MigratedView> &saved, const QStringList &removed)
{
    m_hasChanged = true;
    return m_services.history.changeViews(saved, removed, m_call);
}

Result<QJsonObject> StepRunner::create(const CreateView &node)
{
    IVM_TRY(const View view, understood(node.spec));
    IVM_TRY(const auto built, m_services.builder.build(view, m_call));
    IVM_CHECK(changeViews({rowOf(node.spec)}));
    return builtJson(view.spec.name, built);
}

// Whatever has the name that a version is built under is dropped in the end: it has to be that one.
Status StepRunner::checkFree(const ViewSpec &beside)
{
    IVM_TRY(Session * open, session());
    IVM_TRY(const auto info, lookAt(*open, beside.target, m_call));
    if (!info || tellsOf(info->comment, beside))
        return {};
    return fail(alreadyExistsError(QStringLiteral("there is a table %1 already, which is where the "
                                                  "new version of the view would be built")
                                       .arg(beside.target.text()))
                    .withHint(u"Rename or drop that table"));
}

// The new version beside the old one, compared with its query, then one commit that readers see.
Result<QJsonObject> StepRunner::rollOut(const MigratedView &row, const View &view, bool verify,
                                        const std::function<Status(const TargetVersion &)> &before)
{
    auto &builder = m_services.builder;
    const View beside = besideOf(view, row.version);
    IVM_CHECK(checkFree(beside.spec));
    IVM_TRY(auto built, builder.build(beside, m_call));
    if (verify)
        IVM_CHECK(builder.verify(beside, m_call));
    IVM_TRY(const auto switched, builder.switchTo(view, beside, before, m_call));
    IVM_CHECK(builder.drop(beside, ViewBuilder::Target::Drop, m_call));
    QJsonObject out = builtJson(view.spec.name, built);
    out.insert(QStringLiteral("switch"), builtJson(view.spec.name, switched));
    return out;
}

Result<QJsonObject> StepRunner::replace(const ReplaceView &node, const PlannedStep &step)
{
    IVM_TRY(const auto old, owned(node.spec.name));
    IVM_TRY(const View view, understood(node.spec));
    MigratedView row = rowOf(node.spec);
    // A run that died in this step may have written its row, and not switched yet. On the way back
    // a row has no earlier one.
    const bool isRecorded = old.row.version == m_version && old.row.definition == row.definition &&
                            (!old.row.earlier.isEmpty() || step.state == StepState::Unclear);
    const auto before = [&](const TargetVersion &version) -> Status {
        if (isRecorded)
            return {};
        const EarlierVersion replaced{.version = old.row.version,
                                      .spec = old.view.spec,
                                      .target = version.document,
                                      .held = version.held,
                                      .earlier = old.row.earlier};
        IVM_TRY(row.earlier, earlierBehind(replaced, m_version, m_services.defaults));
        IVM_TRY(row.held, heldOf(row, m_services.defaults));
        return changeViews({row});
    };
    // A definition that gives the same rows in the same table is a note.
    if (!isRecorded && sameTable(old.view.spec, node.spec)) {
        IVM_CHECK(before({}));
        return QJsonObject();
    }
    return rollOut(row, view, node.verify, before);
}

Result<QJsonObject> StepRunner::restore(const RestoreView &node, const PlannedStep &step)
{
    // As it was before a run that died in this step: its record may be written, and its commit not
    // done.
    IVM_TRY(const auto now, begunOrNow(node.name, step));
    if (now.row.earlier.isEmpty())
        return fail(invalidError(QStringLiteral("view '%1' was never replaced").arg(node.name))
                        .withCode(u"never_replaced"));
    IVM_TRY(const auto earlier, earlierOf(now.row, now.view.spec, m_services.defaults));
    IVM_TRY(const View view, understood(earlier.spec));
    MigratedView row = rowOf(earlier.spec);
    row.version = earlier.version;
    row.earlier = earlier.earlier;
    IVM_TRY(row.held, heldOf(row, m_services.defaults));
    const auto before = [&](const TargetVersion &) { return changeViews({row}); };
    if (sameTable(now.view.spec, earlier.spec)) {
        IVM_CHECK(before({}));
        return QJsonObject();
    }
    const TargetVersion version{earlier.target, earlier.held};
    IVM_TRY(const bool can, m_services.builder.canRestore(view, version, m_call));
    if (!can)
        return rollOut(row, view, true, before);
    IVM_TRY(const auto built, m_services.builder.restore(view, version, before, m_call));
    return builtJson(view.spec.name, built);
}

Result<QJsonObject> StepRunner::drop(const DropView &node, const PlannedStep &step)
{
    IVM_TRY(const auto old, begunOrNow(node.name, step));
    // The definition goes first: a host that still had it would make the table again.
    IVM_CHECK(changeViews({}, {node.name}));
    const auto target = node.dropTarget ? ViewBuilder::Target::Drop : ViewBuilder::Target::Keep;
    IVM_CHECK(m_services.builder.drop(old.view, target, m_call));
    return QJsonObject();
}

Result<QJsonObject> StepRunner::rename(const RenameView &node, const PlannedStep &step)
{
    IVM_TRY(const auto old, begunOrNow(node.from, step));
    const ViewSpec spec = renamed(old.view.spec, node.to, m_services.defaults);
    IVM_TRY(const View view, understood(spec));
    MigratedView row = rowOf(spec);
    row.version = old.row.version;
    row.earlier = old.row.earlier;
    IVM_TRY(row.held, heldOf(row, m_services.defaults));
    const auto before = [&](const TargetVersion &) { return changeViews({row}, {node.from}); };
    IVM_CHECK(m_services.builder.rename(old.view, view, before, m_call));
    return QJsonObject();
}

// The view's row as it is before the step; the step changes it ahead of its commit.
Result<QString> StepRunner::noteBefore(const PlannedStep &step)
{
    const Overloaded nameOf{[](const DropView &node) { return node.name; },
                            [](const RestoreView &node) { return node.name; },
                            [](const RenameView &node) { return node.from; },
                            [](const auto &) { return QString(); }};
    const QString name = std::visit(nameOf, step.step->operation);
    if (name.isEmpty() || !step.begun.isEmpty())
        return step.begun;
    IVM_TRY(const auto found, find(name));
    return found ? rowText(found->row) : QString();
}

Result<StepRunner::Owned> StepRunner::begunOrNow(const QString &name, const PlannedStep &step)
{
    if (step.begun.isEmpty())
        return owned(name);
    return ownedOf(rowOfText(step.begun, name));
}

Result<QJsonObject> StepRunner::backfill(const Backfill &node)
{
    IVM_TRY(const auto found, owned(node.view));
    IVM_TRY(const auto built, m_services.builder.backfill(found.view, m_call));
    return builtJson(node.view, built);
}

}  // namespace ivm::migrate
