#include "framework/migrate/column_changes.h"

#include "framework/sqlexec/type_sql.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

Type lowerNames(Type type)
{
    for (auto &field : type.fields) {
        field.name = field.name.toLower();
        field.type = lowerNames(field.type);
    }
    return type;
}

// As it is stored; itself where no table holds it.
Type storedAs(const Type &type)
{
    const auto stored = columnType(type);
    return lowerNames(stored ? *stored : type);
}

}  // namespace

bool sameColumnType(const Type &left, const Type &right)
{
    return storedAs(left) == storedAs(right);
}

bool isWiderColumnType(const Type &from, const Type &to)
{
    const Type before = storedAs(from);
    const Type after = storedAs(to);
    if (before.is(TypeKind::Integer))
        return after.is(TypeKind::Bigint);
    if (before.is(TypeKind::Real))
        return after.is(TypeKind::Double);
    return before.is(TypeKind::Decimal) && after.is(TypeKind::Decimal) &&
           before.scale == after.scale && before.precision < after.precision;
}

ColumnChanges::ColumnChanges(const TableFile &file, const TableInfo &applied,
                             QList<Error> &problems)
    : m_file(file), m_applied(applied), m_problems(problems)
{
    match();
    addRenames();
    for (const qsizetype column : std::as_const(m_new))
        addColumn(column);
    for (const auto &match : std::as_const(m_matches))
        alter(match);
    for (const qsizetype column : std::as_const(m_gone))
        drop(column);
}

QString ColumnChanges::nameAfter(const QString &column) const
{
    return m_renamed.value(column.toLower(), column.toLower());
}

void ColumnChanges::keepAdded(const QString &column, const QString &why)
{
    for (auto &step : m_first) {
        const auto *add = std::get_if<AddColumn>(&step.operation);
        if (add && add->column.name == column.toLower()) {
            step.inverse.reset();
            step.whyNone = why;
        }
    }
}

void ColumnChanges::report(const QString &message, const Place &place, QStringView hint)
{
    m_problems.append(
        generateProblem(QStringLiteral("table %1: ").arg(table().text()) + message, place, hint));
}

qsizetype ColumnChanges::matchById(qsizetype wantedIndex)
{
    const int id = m_file.hints[wantedIndex].id;
    const auto found = std::ranges::find(m_applied.columns, id, &Column::fieldId);
    return id == 0 || found == m_applied.columns.end() ? -1 : found - m_applied.columns.begin();
}

void ColumnChanges::match()
{
    QSet<qsizetype> taken;
    QList<qsizetype> matched(m_file.hints.size(), -1);
    const auto byName = [&](const QString &name) -> qsizetype {
        for (qsizetype i = 0; i < m_applied.columns.size(); ++i) {
            if (!name.isEmpty() && !taken.contains(i) &&
                there(i).name.compare(name, Qt::CaseInsensitive) == 0)
                return i;
        }
        return -1;
    };
    const auto pass = [&](auto &&find) {
        for (qsizetype i = 0; i < matched.size(); ++i) {
            if (matched[i] < 0)
                matched[i] = find(i);
            if (matched[i] >= 0)
                taken.insert(matched[i]);
        }
    };
    pass([&](qsizetype i) { return matchById(i); });
    pass([&](qsizetype i) { return byName(wanted(i).name); });
    pass([&](qsizetype i) { return byName(m_file.hints[i].was); });
    for (qsizetype i = 0; i < matched.size(); ++i) {
        if (matched[i] < 0)
            m_new.append(i);
        else
            m_matches.append({i, matched[i]});
        reportUnknownId(i);
    }
    for (qsizetype i = 0; i < m_applied.columns.size(); ++i) {
        if (!taken.contains(i))
            m_gone.append(i);
    }
}

// An id says which column is meant: one that is not there is not read over.
void ColumnChanges::reportUnknownId(qsizetype index)
{
    const auto &hint = m_file.hints[index];
    if (hint.id == 0 || matchById(index) >= 0)
        return;
    const QString &name = wanted(index).name;
    const bool tellsIds = std::ranges::any_of(
        m_applied.columns, [](const Column &column) { return column.fieldId != 0; });
    const bool isNew = m_new.contains(index);
    if (tellsIds)
        report(QStringLiteral("column '%1' has id %2 in the file, and the table has no such column")
                   .arg(name, QString::number(hint.id)),
               hint.place, u"Leave the id of a new column out: the table gives it one");
    else if (isNew)
        report(QStringLiteral("which column has id %1 is not told by this engine, and there is "
                              "none that is called '%2'")
                   .arg(QString::number(hint.id), name),
               hint.place, u"Say what it was called: was: name");
}

void ColumnChanges::addRenames()
{
    QList<Match> pending;
    QSet<QString> names;
    for (const auto &column : m_applied.columns)
        names.insert(column.name.toLower());
    for (const auto &match : std::as_const(m_matches)) {
        if (there(match.there).name.compare(wanted(match.wanted).name, Qt::CaseInsensitive) != 0)
            pending.append(match);
    }
    // One whose new name is free goes first, and makes its old one free.
    while (!pending.isEmpty()) {
        const auto next = std::ranges::find_if(pending, [&](const Match &match) {
            return !names.contains(wanted(match.wanted).name);
        });
        if (next == pending.end())
            break;
        names.remove(there(next->there).name.toLower());
        names.insert(wanted(next->wanted).name);
        rename(*next);
        pending.erase(next);
    }
    for (const auto &match : std::as_const(pending))
        report(QStringLiteral("column '%1' cannot become '%2' in one migration: there is a column "
                              "of that name until it is dropped or renamed")
                   .arg(there(match.there).name, wanted(match.wanted).name),
               m_file.hints[match.wanted].place,
               u"Drop or rename that one in a migration before this one");
}

void ColumnChanges::rename(const Match &match)
{
    const QString from = there(match.there).name.toLower();
    const QString &to = wanted(match.wanted).name;
    const auto &hint = m_file.hints[match.wanted];
    const bool isById = hint.id != 0 && there(match.there).fieldId == hint.id;
    const QString how =
        isById ? QStringLiteral("by its id %1").arg(hint.id) : QStringLiteral("by 'was'");
    m_renamed.insert(from, to);
    m_first.append({.operation = RenameColumn{table(), from, to},
                    .why = QStringLiteral("column %1 of %2 is called %3 now: known %4")
                               .arg(from, table().text(), to, how),
                    .place = hint.place,
                    .inverse = QList<Operation>{RenameColumn{table(), to, from}}});
}

// A column that is renamed looks as one that is gone and one that is new.
QString ColumnChanges::hintOnNames() const
{
    if (m_new.isEmpty() || m_gone.isEmpty())
        return {};
    QStringList added;
    QStringList dropped;
    for (const qsizetype i : m_new)
        added.append(wanted(i).name);
    for (const qsizetype i : m_gone)
        dropped.append(there(i).name);
    const QString either = QStringLiteral(" or ");
    return QStringLiteral(". Columns are known by their names: if %1 is %2 under another name, say "
                          "'was' in the schema file instead, which keeps the values")
        .arg(added.join(either), dropped.join(either));
}

void ColumnChanges::addColumn(qsizetype index)
{
    const Column &column = wanted(index);
    const Place &place = m_file.hints[index].place;
    if (!column.nullable) {
        report(QStringLiteral("column '%1' is new and cannot be NOT NULL: the rows that are there "
                              "have no value for it")
                   .arg(column.name),
               place, u"Leave out 'nullable: false'");
        return;
    }
    m_first.append(
        {.operation = AddColumn{table(), column},
         .why = QStringLiteral("column %1 of %2 is new").arg(column.name, table().text()) +
                hintOnNames(),
         .place = place,
         .inverse = QList<Operation>{DropColumn{table(), column.name}}});
}

std::optional<Type> ColumnChanges::widened(const Match &match)
{
    const Type &before = there(match.there).type;
    const Type &after = wanted(match.wanted).type;
    if (sameColumnType(before, after))
        return std::nullopt;
    if (isWiderColumnType(before, after))
        return after;
    const bool areNested = before.isNested() && after.isNested();
    report(QStringLiteral("column '%1' is of type %2 and cannot become %3 under the rows that are "
                          "there")
               .arg(wanted(match.wanted).name, before.text(), after.text()),
           m_file.hints[match.wanted].place,
           areNested ? u"Write the statement yourself: sql: {statement: ALTER TABLE …, undo: …}"
                     : u"integer can become bigint, real double, a decimal one of more digits with "
                       u"the same scale. Else add a column of another name, fill it with an sql "
                       u"step, and drop this one later");
    return std::nullopt;
}

void ColumnChanges::alter(const Match &match)
{
    const Column &before = there(match.there);
    const Column &after = wanted(match.wanted);
    const Place &place = m_file.hints[match.wanted].place;
    AlterColumn up{.table = table(), .column = after.name, .type = widened(match), .comment = {}};
    AlterColumn down{.table = table(), .column = after.name, .type = {}, .comment = {}};
    QStringList found;
    QStringList lost;
    if (up.type) {
        found.append(QStringLiteral("%1 instead of %2").arg(up.type->text(), before.type.text()));
        lost.append(
            QStringLiteral("%1 cannot become %2 again").arg(up.type->text(), before.type.text()));
    }
    if (before.nullable && !after.nullable)
        report(QStringLiteral("column '%1' cannot become NOT NULL: rows that are there may hold "
                              "NULL")
                   .arg(after.name),
               place, u"Leave out 'nullable: false'");
    up.dropNotNull = !before.nullable && after.nullable;
    if (up.dropNotNull) {
        found.append(QStringLiteral("it may be NULL"));
        lost.append(QStringLiteral("it cannot become NOT NULL again"));
    }
    if (before.comment != after.comment) {
        up.comment = after.comment;
        down.comment = before.comment;
        found.append(QStringLiteral("its comment"));
    }
    if (found.isEmpty())
        return;
    const QString what = QStringLiteral("column %1 of %2: ").arg(after.name, table().text());
    m_first.append(
        {.operation = up,
         .why = what + found.join(QStringLiteral(", ")),
         .place = place,
         .inverse = lost.isEmpty() ? std::optional(QList<Operation>{down}) : std::nullopt,
         .whyNone = lost.isEmpty() ? QString() : QString(what + lost.join(QStringLiteral(", ")))});
}

void ColumnChanges::drop(qsizetype index)
{
    const QString name = there(index).name.toLower();
    const auto isBy = [&](const PartitionField &field) {
        return field.column.compare(name, Qt::CaseInsensitive) == 0;
    };
    if (std::ranges::any_of(m_applied.partitioning, isBy)) {
        report(QStringLiteral("column '%1' cannot be dropped: the table is partitioned by it")
                   .arg(name),
               m_file.place,
               u"Keep it, also when the partitioning changes: files of the old one need it");
        return;
    }
    m_last.append(
        {.operation = DropColumn{table(), name},
         .why =
             QStringLiteral("column %1 of %2 is not in the schema file").arg(name, table().text()) +
             hintOnNames(),
         .place = m_file.place,
         .inverse = std::nullopt,
         .whyNone =
             QStringLiteral("the values of column %1 of %2 are gone").arg(name, table().text())});
}

}  // namespace ivm::migrate
