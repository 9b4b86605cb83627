#include "tests/e2e/wanted_state.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm::test {

namespace {

// Columns that views read, and that stay.
const QStringList kBase{QStringLiteral("id"), QStringLiteral("k"), QStringLiteral("v")};

Type typeOf(const char *text)
{
    const auto type = parseType(QString::fromLatin1(text));
    if (!type)
        qFatal("%s", qPrintable(type.error().text()));
    return *type;
}

Type anyType(Dice &dice)
{
    const QList<const char *> texts{"boolean",
                                    "int",
                                    "integer",
                                    "bigint",
                                    "real",
                                    "double",
                                    "decimal(6,2)",
                                    "varchar(20)",
                                    "varchar",
                                    "date",
                                    "time",
                                    "timestamp",
                                    "timestamp(6)",
                                    "timestamp with time zone",
                                    "varbinary",
                                    "uuid",
                                    "array(int)",
                                    "map(varchar, timestamp)",
                                    "row(a bigint, \"b c\" array(varchar(3)))"};
    return typeOf(dice.of(texts));
}

std::optional<Type> widerType(const Type &type)
{
    if (type.is(TypeKind::Integer))
        return typeOf("bigint");
    if (type.is(TypeKind::Real))
        return typeOf("double");
    if (type.is(TypeKind::Decimal) && type.precision < 30) {
        Type wider = type;
        wider.precision += 3;
        return wider;
    }
    return std::nullopt;
}

QString anyComment(Dice &dice)
{
    return dice.of(QStringList{QString(), QStringLiteral("new"), QStringLiteral("it's \"so\": #1"),
                               QStringLiteral("two\nlines")});
}

QString textOf(const migrate::TableFile &file, qsizetype column)
{
    return file.table.spec.name.table + u'.' + file.table.spec.columns[column].name;
}

void append(migrate::TableFile &file, const QString &name, const Type &type,
            const QString &comment = {})
{
    file.table.spec.columns.append({.name = name, .type = type, .comment = comment});
    file.hints.append(migrate::TableFile::ColumnHint());
}

// Of a column that is not one of those that stay; -1 where there is none.
qsizetype anyExtra(const migrate::TableFile &file, Dice &dice)
{
    QList<qsizetype> extra;
    for (qsizetype i = 0; i < file.hints.size(); ++i) {
        if (!kBase.contains(file.table.spec.columns[i].name))
            extra.append(i);
    }
    return extra.isEmpty() ? -1 : dice.of(extra);
}

// Fields of columns that can have any.
QList<PartitionField> anyPartitioning(const migrate::TableFile &file, Dice &dice)
{
    QList<PartitionField> out;
    for (const auto &column : file.table.spec.columns) {
        const TypeKind kind = column.type.kind;
        if (!dice.oneIn(3))
            continue;
        if (kind == TypeKind::Date || kind == TypeKind::Timestamp)
            out.append({dice.oneIn(2) ? Transform::Month : Transform::Day, column.name, 0});
        else if (kind == TypeKind::Varchar)
            out.append({Transform::Truncate, column.name, 2 + dice.pick(3)});
        else if (kind == TypeKind::Bigint || kind == TypeKind::Integer)
            out.append({Transform::Bucket, column.name, 2 + dice.pick(5)});
    }
    return out;
}

QStringList anySortOrder(const migrate::TableFile &file, Dice &dice)
{
    QStringList out;
    for (const auto &column : file.table.spec.columns) {
        const TypeKind kind = column.type.kind;
        const bool isPlain = kind == TypeKind::Bigint || kind == TypeKind::Varchar ||
                             kind == TypeKind::Date || kind == TypeKind::Double;
        if (isPlain && dice.oneIn(3))
            out.append(column.name + dice.of(QStringList{QString(), QStringLiteral(" DESC"),
                                                         QStringLiteral(" ASC NULLS LAST")}));
    }
    return out;
}

}  // namespace

QList<TableName> WantedState::tableNames() const
{
    QList<TableName> out;
    for (const auto &file : m_tables)
        out.append(file.table.spec.name);
    for (const auto &view : m_views)
        out.append(view.target);
    return out;
}

QStringList WantedState::change(Dice &dice)
{
    const WantedState before = *this;
    QStringList told;
    for (int i = 1 + dice.pick(3); i > 0; --i)
        told.append(changeOnce(dice));
    told.removeAll(QString());
    if (isConsistent())
        return told;
    const int last = m_last;
    *this = before;
    m_last = last;
    return {};
}

void WantedState::settle()
{
    for (auto &file : m_tables) {
        for (auto &hint : file.hints)
            hint.was.clear();
    }
}

bool WantedState::isConsistent() const
{
    static const QRegularExpression reads(QStringLiteral("\\((x\\d+)\\).*FROM \\w+\\.(t\\d+)"),
                                          QRegularExpression::DotMatchesEverythingOption);
    return std::ranges::all_of(m_views, [&](const ViewSpec &view) {
        const auto match = reads.match(view.query);
        if (!match.hasMatch())
            return true;
        const auto &columns = m_tables.value(match.captured(2)).table.spec.columns;
        return std::ranges::find(columns, match.captured(1), &Column::name) != columns.end();
    });
}

QString WantedState::changeOnce(Dice &dice)
{
    if (m_tables.isEmpty() || (m_tables.size() < 3 && dice.oneIn(6)))
        return addTable(dice);
    if (m_views.isEmpty() || (m_views.size() < 5 && dice.oneIn(5)))
        return addView(dice);
    return dice.oneIn(3) ? changeView(dice) : changeTable(dice);
}

QString WantedState::addTable(Dice &dice)
{
    migrate::TableFile file;
    const QString name = fresh(QStringLiteral("t"));
    file.table.spec.name = {m_defaults.catalog, m_defaults.schema, name};
    append(file, kBase[0], typeOf("bigint"));
    append(file, kBase[1], typeOf("varchar"), anyComment(dice));
    append(file, kBase[2], typeOf("int"));
    for (int i = dice.pick(4); i > 0; --i)
        append(file, fresh(QStringLiteral("x")), anyType(dice), anyComment(dice));
    file.table.spec.columns.last().nullable = dice.oneIn(2) || file.hints.size() == 3;
    file.table.spec.comment = anyComment(dice);
    file.table.spec.sortedBy = anySortOrder(file, dice);
    m_tables.insert(name, file);
    return QStringLiteral("table %1 is new").arg(name);
}

QString WantedState::changeTable(Dice &dice)
{
    migrate::TableFile &file = m_tables[dice.of(m_tables.keys())];
    switch (dice.pick(6)) {
    case 0: return addColumn(file, dice);
    case 1: return dropColumn(file, dice);
    case 2: return renameColumn(file, dice);
    case 3: return changeLayout(file, dice);
    default: return alterColumn(file, dice);
    }
}

QString WantedState::addColumn(migrate::TableFile &file, Dice &dice)
{
    append(file, fresh(QStringLiteral("x")), anyType(dice), anyComment(dice));
    return textOf(file, file.hints.size() - 1) + QStringLiteral(" is new");
}

QString WantedState::dropColumn(migrate::TableFile &file, Dice &dice)
{
    const qsizetype at = anyExtra(file, dice);
    if (at < 0 || m_partitioned.contains(textOf(file, at)))
        return {};
    auto &spec = file.table.spec;
    const QString name = spec.columns[at].name;
    const QString told = textOf(file, at) + QStringLiteral(" is gone");
    spec.columns.removeAt(at);
    file.hints.removeAt(at);
    spec.sortedBy.removeIf([&](const QString &text) { return text.section(u' ', 0, 0) == name; });
    return told;
}

QString WantedState::renameColumn(migrate::TableFile &file, Dice &dice)
{
    const qsizetype at = anyExtra(file, dice);
    if (at < 0)
        return {};
    auto &spec = file.table.spec;
    const QString from = spec.columns[at].name;
    const QString before = textOf(file, at);
    const QString to = fresh(QStringLiteral("x"));
    spec.columns[at].name = to;
    if (file.hints[at].was.isEmpty())
        file.hints[at].was = from;
    for (auto &text : spec.sortedBy) {
        if (text.section(u' ', 0, 0) == from)
            text.replace(0, from.size(), to);
    }
    for (auto &field : spec.partitioning) {
        if (field.column == from)
            field.column = to;
    }
    if (m_partitioned.contains(before))
        m_partitioned.insert(textOf(file, at));
    return before + QStringLiteral(" is called ") + to;
}

QString WantedState::alterColumn(migrate::TableFile &file, Dice &dice)
{
    const qsizetype at = dice.pick(int(file.hints.size()));
    Column &column = file.table.spec.columns[at];
    const auto wider = widerType(column.type);
    if (wider && dice.oneIn(2)) {
        column.type = *wider;
        return textOf(file, at) + QStringLiteral(" is ") + column.type.text();
    }
    if (!column.nullable && dice.oneIn(2)) {
        column.nullable = true;
        return textOf(file, at) + QStringLiteral(" may be NULL");
    }
    column.comment = anyComment(dice);
    return textOf(file, at) + QStringLiteral(" has another comment");
}

QString WantedState::changeLayout(migrate::TableFile &file, Dice &dice)
{
    auto &spec = file.table.spec;
    const int what = dice.pick(3);
    if (what == 0)
        spec.comment = anyComment(dice);
    else if (what == 1)
        spec.sortedBy = anySortOrder(file, dice);
    else
        spec.partitioning = anyPartitioning(file, dice);
    for (const auto &field : spec.partitioning)
        m_partitioned.insert(spec.name.table + u'.' + field.column);
    return spec.name.table + QStringLiteral(" has another comment, sort order or partitioning");
}

// Half of the views read a column that may go or be renamed.
ViewSpec WantedState::viewSpec(const QString &name, Dice &dice) const
{
    const migrate::TableFile &file = m_tables[dice.of(m_tables.keys())];
    QStringList measured{kBase[0]};
    for (const auto &column : file.table.spec.columns) {
        if (column.type.isInteger() || column.type.is(TypeKind::Date))
            measured.append(column.name);
    }
    const QString measure =
        dice.of(QStringList{QStringLiteral("max"), QStringLiteral("min"), QStringLiteral("count")});
    ViewSpec spec;
    spec.name = name;
    spec.query = QStringLiteral("SELECT k, %1(%2) AS m, count(*) AS n\nFROM %3 WHERE id > %4\n"
                                "GROUP BY k")
                     .arg(measure, dice.of(measured), whole(file.table.spec.name.table),
                          QString::number(dice.pick(5)));
    spec.target = {m_defaults.catalog, m_defaults.schema, name};
    return spec;
}

QString WantedState::addView(Dice &dice)
{
    const QString name = fresh(QStringLiteral("view"));
    ViewSpec spec = viewSpec(name, dice);
    if (!m_views.isEmpty() && dice.oneIn(3))
        spec.query = QStringLiteral("SELECT n, count(*) AS m FROM %1 GROUP BY n")
                         .arg(whole(dice.of(m_views.keys())));
    m_views.insert(name, spec);
    return QStringLiteral("view %1 is new").arg(name);
}

QString WantedState::changeView(Dice &dice)
{
    const QString name = dice.of(m_views.keys());
    switch (dice.pick(4)) {
    case 0: m_views.remove(name); return QStringLiteral("view %1 is gone").arg(name);
    case 1: {
        ViewSpec spec = m_views.take(name);
        spec.name = fresh(QStringLiteral("view"));
        spec.target.table = spec.name;
        m_views.insert(spec.name, spec);
        return QStringLiteral("view %1 is called %2").arg(name, spec.name);
    }
    case 2:
        m_views[name].comment = anyComment(dice);
        return QStringLiteral("view %1 has another comment").arg(name);
    default:
        m_views[name] = viewSpec(name, dice);
        return QStringLiteral("view %1 has another query").arg(name);
    }
}

}  // namespace ivm::test
