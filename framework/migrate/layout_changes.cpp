#include "framework/migrate/layout_changes.h"

#include "framework/migrate/sort_text.h"
#include "framework/sql/parser.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

// Trino's properties of a table that Iceberg keeps one by one. Source: Trino's documentation,
// "Iceberg connector", "Table properties"; Iceberg's, "Configuration".
struct KnownProperty {
    QStringView name;
    QStringView key;
    QStringView usual;  // where the table does not say
};

constexpr KnownProperty kProperties[] = {
    {u"format", u"write.format.default", u"PARQUET"},
    {u"format_version", u"format-version", u"2"},
    {u"max_commit_retry", u"commit.retry.num-retries", u"4"},
    {u"object_store_layout_enabled", u"write.object-storage.enabled", u"false"},
    {u"data_location", u"write.data.path", u""},
    {u"delete_after_commit_enabled", u"write.metadata.delete-after-commit.enabled", u"false"},
    {u"max_previous_versions", u"write.metadata.previous-versions-max", u"100"},
};

const KnownProperty *knownProperty(const QString &name)
{
    const auto found = std::ranges::find_if(
        kProperties, [&](const KnownProperty &known) { return name == known.name; });
    return found == std::end(kProperties) ? nullptr : found;
}

QString valueOf(const QString &literal)
{
    const auto parsed = sql::parseExpression(literal);
    const auto *text = parsed ? sql::as<sql::StringLiteral>(*parsed) : nullptr;
    return text ? text->value : literal;
}

// A literal of the kind that the wanted one is of.
QString literalLike(const QString &wanted, const QString &value)
{
    return wanted.startsWith(u'\'') ? quotedLiteral(value) : value;
}

QStringList fieldTexts(const QList<PartitionField> &fields)
{
    QStringList out;
    for (const auto &field : fields)
        out.append(field.text());
    return out;
}

QString listText(const QStringList &items)
{
    return u'[' + items.join(QStringLiteral(", ")) + u']';
}

class LayoutChanges {
public:
    LayoutChanges(const TableFile &file, const AppliedTable &applied, ColumnChanges &columns,
                  QList<Error> &problems)
        : m_file(file), m_applied(applied), m_columns(columns), m_problems(problems),
          m_table(file.table.spec.name)
    {
    }

    QList<GeneratedStep> make()
    {
        addPartitioning();
        addSortOrder();
        addProperties();
        addComment();
        return m_steps;
    }

private:
    void add(Operation up, const QString &found, QList<Operation> down)
    {
        m_steps.append({.operation = std::move(up),
                        .why = QStringLiteral("%1: %2").arg(m_table.text(), found),
                        .place = m_file.place,
                        .inverse = std::move(down)});
    }

    void addPartitioning()
    {
        QList<PartitionField> wanted = m_file.table.spec.partitioning;
        for (auto &field : wanted)
            field.column = field.column.toLower();
        QList<PartitionField> there = m_applied.info.partitioning;
        there.removeIf(
            [](const PartitionField &field) { return field.transform == Transform::Void; });
        for (auto &field : there)
            field.column = m_columns.nameAfter(field.column);
        const QStringList before = fieldTexts(there);
        const QStringList after = fieldTexts(wanted);
        // An engine keeps the fields that stay, in the order that they have.
        if (QSet<QString>(before.begin(), before.end()) ==
            QSet<QString>(after.begin(), after.end()))
            return;
        add(SetPartitioning{m_table, wanted},
            QStringLiteral("partitioning %1 instead of %2; files that are there stay as they are")
                .arg(listText(after), listText(before)),
            {SetPartitioning{m_table, there}});
        for (const auto &field : std::as_const(wanted))
            m_columns.keepAdded(field.column,
                                QStringLiteral("column %1 of %2 cannot be dropped again: the table "
                                               "was partitioned by it")
                                    .arg(field.column, m_table.text()));
    }

    void addSortOrder()
    {
        QStringList after;
        for (const auto &text : m_file.table.spec.sortedBy)
            after.append(canonicalSort(text));
        QStringList before;
        for (const auto &text : m_applied.info.sortedBy)
            before.append(sortTextFor(text, m_columns.nameAfter(sortColumn(text))));
        if (before == after)
            return;
        add(SetSortOrder{m_table, after},
            QStringLiteral("sorted_by %1 instead of %2; files that are there stay as they are")
                .arg(listText(after), listText(before)),
            {SetSortOrder{m_table, before}});
    }

    void addProperties()
    {
        Properties wanted = m_file.table.properties;
        // Also where it is the usual one: a table may have another.
        wanted.insert(QStringLiteral("format"), quotedLiteral(m_file.table.spec.format.toUpper()));
        SetProperties up{m_table, {}};
        SetProperties down{m_table, {}};
        QStringList found;
        for (auto it = wanted.cbegin(); it != wanted.cend(); ++it) {
            const auto before = propertyOf(it.key());
            if (!before || before->compare(valueOf(**it), Qt::CaseInsensitive) == 0)
                continue;
            up.properties.insert(it.key(), *it);
            down.properties.insert(it.key(), literalLike(**it, *before));
            found.append(
                QStringLiteral("%1 %2 instead of %3").arg(it.key(), valueOf(**it), *before));
        }
        if (!found.isEmpty())
            add(up, found.join(QStringLiteral(", ")), {down});
    }

    // As the table has it; none, and a problem, where that is not told.
    std::optional<QString> propertyOf(const QString &name)
    {
        const KnownProperty *known = knownProperty(name);
        const bool isOfAllTables = name == u"format" || name == u"format_version";
        const bool isTold = known && (m_applied.properties || isOfAllTables);
        if (isTold)
            return m_applied.properties.value_or(QMap<QString, QString>())
                .value(known->key.toString(), known->usual.toString());
        m_problems.append(generateProblem(
            QStringLiteral("table %1: which value property '%2' has is not told by %3")
                .arg(m_table.text(), name,
                     known ? QStringLiteral("this engine") : QStringLiteral("the table")),
            m_file.place, u"Take it out of the schema file, and write set_properties yourself"));
        return std::nullopt;
    }

    // No operation is about it alone.
    void addComment()
    {
        const QString &before = m_applied.info.comment;
        const QString &after = m_file.table.spec.comment;
        if (before == after)
            return;
        const Sql up{commentSql(after), commentSql(before)};
        add(up, QStringLiteral("its comment"), {Sql{up.undo, up.statement}});
    }

    QString commentSql(const QString &text) const
    {
        return QStringLiteral("COMMENT ON TABLE ") + m_table.quoted() + QStringLiteral(" IS ") +
               (text.isEmpty() ? QStringLiteral("NULL") : quotedLiteral(text));
    }

    const TableFile &m_file;
    const AppliedTable &m_applied;
    ColumnChanges &m_columns;
    QList<Error> &m_problems;
    const TableName &m_table;
    QList<GeneratedStep> m_steps;
};

}  // namespace

QList<GeneratedStep> layoutChanges(const TableFile &file, const AppliedTable &applied,
                                   ColumnChanges &columns, QList<Error> &problems)
{
    return LayoutChanges(file, applied, columns, problems).make();
}

}  // namespace ivm::migrate
