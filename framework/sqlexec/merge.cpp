#include "framework/sqlexec/merge.h"

#include "framework/sqlexec/compare.h"
#include "framework/sqlexec/head.h"
#include "framework/sqlexec/predicate.h"
#include "framework/sqlexec/type_sql.h"

#include <algorithm>

namespace ivm {

namespace {

const QString kComma = QStringLiteral(", ");

QString numbered(QChar letter, qsizetype index) { return letter + QString::number(index); }

// Puts the statement together. Inside, columns have names of ours (c0, c1, …) so that no name of
// the user's can collide: u stacks both sides, g has one row a key (n: the new value, o: the old
// one), s one row an action.
class MergeWriter {
public:
    MergeWriter(const Replacement &replacement, const BucketFilter *filter,
                const TableHead &expected, SqlDialect dialect)
        : m_replacement(replacement), m_columns(replacement.columns), m_filter(filter),
          m_expected(expected), m_dialect(dialect)
    {
    }

    Result<MergeStatement> write()
    {
        IVM_CHECK(checkInput());
        add(QStringLiteral("MERGE INTO ") + m_replacement.target.quoted() +
            QStringLiteral(" AS t"));
        add(QStringLiteral("USING ("));
        add(QStringLiteral("    SELECT a.act, ") +
            each([this](qsizetype i) { return actionColumn(i); }));
        add(QStringLiteral("    FROM ("));
        IVM_CHECK(addGroups());
        add(QStringLiteral("    ) AS g"));
        if (m_dialect == SqlDialect::Trino)
            addUnnestedActions();
        else
            addPlainActions();
        add(QStringLiteral(") AS s"));
        add(QStringLiteral("ON ") + matchCondition());
        addOutcomes();
        m_statement.sql.chop(1);
        return m_statement;
    }

private:
    bool isKey(qsizetype i) const { return m_columns[i].columnClass == ColumnClass::Key; }

    bool hasKeys() const
    {
        return std::any_of(m_columns.begin(), m_columns.end(), [](const auto &column) {
            return column.columnClass == ColumnClass::Key;
        });
    }

    bool hasValues() const
    {
        return std::any_of(m_columns.begin(), m_columns.end(), [](const auto &column) {
            return column.columnClass != ColumnClass::Key;
        });
    }

    Status checkInput() const
    {
        const auto wrong = [this](const QString &why) {
            return fail(invalidError(
                QStringLiteral("change of %1: %2").arg(m_replacement.target.text(), why)));
        };
        if (m_columns.isEmpty())
            return wrong(QStringLiteral("it has no columns"));
        if (m_replacement.query.trimmed().isEmpty())
            return wrong(QStringLiteral("it has no query"));
        if (!m_filter)
            return {};
        for (const auto &column : m_columns) {
            if (column.name == m_filter->column && column.columnClass == ColumnClass::Key)
                return {};
        }
        return wrong(
            QStringLiteral("its bucket '%1' is not one of the keys").arg(m_filter->column));
    }

    void add(const QString &line)
    {
        m_statement.sql += line + u'\n';
        m_line += static_cast<int>(line.count(u'\n')) + 1;
    }

    // The query starts a line and ends one, so that a comment at its end hides nothing and places
    // can be told.
    void addQuery()
    {
        m_statement.queryLine = m_line;
        m_statement.queryLines = static_cast<int>(m_replacement.query.count(u'\n')) + 1;
        add(m_replacement.query);
    }

    template <typename Each>
    QString each(Each &&write) const
    {
        QStringList parts;
        for (qsizetype i = 0; i < m_columns.size(); ++i)
            parts.append(write(i));
        return parts.join(kComma);
    }

    QString keyList(const QString &alias) const
    {
        QStringList parts;
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            if (isKey(i))
                parts.append(alias + numbered(u'c', i));
        }
        return parts.join(kComma);
    }

    QString name(qsizetype i) const { return quotedIdentifier(m_columns[i].name); }

    QString actionColumn(qsizetype i) const
    {
        return isKey(i) ? QString(QStringLiteral("g.") + numbered(u'c', i))
                        : QString(QStringLiteral("g.") + numbered(u'n', i) +
                                  QStringLiteral(" AS ") + numbered(u'c', i));
    }

    QString groupColumn(qsizetype i) const
    {
        const QString column = QStringLiteral("u.") + numbered(u'c', i);
        if (isKey(i))
            return column;
        // A side has at most one row here, or is not looked at, so any value is the value.
        const QString any = QStringLiteral("any_value(%1) FILTER (WHERE %2) AS %3");
        return any.arg(column, QStringLiteral("u.fresh"), numbered(u'n', i)) + kComma +
               any.arg(column, QStringLiteral("NOT u.fresh"), numbered(u'o', i));
    }

    Result<QString> freshColumns() const
    {
        QStringList parts{QStringLiteral("TRUE")};
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            auto type = columnType(m_columns[i].type);
            if (!type)
                return fail(std::move(type).error().during(
                    QString(QStringLiteral("column ") + m_columns[i].name)));
            parts.append(QStringLiteral("CAST(f.") + name(i) + QStringLiteral(" AS ") +
                         typeSql(*type) + u')');
        }
        return parts.join(kComma);
    }

    Status addGroups()
    {
        IVM_TRY(const QString fresh, freshColumns());
        add(QStringLiteral("        SELECT ") +
            each([this](qsizetype i) { return groupColumn(i); }) +
            QStringLiteral(
                ", count_if(u.fresh) AS fresh_rows, count_if(NOT u.fresh) AS target_rows"));
        add(QStringLiteral("        FROM ("));
        add(QStringLiteral("            SELECT ") + fresh);
        add(QStringLiteral("            FROM ("));
        addQuery();
        add(QStringLiteral("            ) AS f (") + each([this](qsizetype i) { return name(i); }) +
            u')');
        if (m_filter)
            add(QStringLiteral("            WHERE ") + bucketPredicate(*m_filter, u"f"));
        add(QStringLiteral("            UNION ALL"));
        add(QStringLiteral("            SELECT FALSE, ") +
            each([this](qsizetype i) { return QString(QStringLiteral("r.") + name(i)); }));
        add(QStringLiteral("            FROM ") + m_replacement.target.quoted() +
            QStringLiteral(" AS r"));
        if (m_filter)
            add(QStringLiteral("            WHERE ") + bucketPredicate(*m_filter, u"r"));
        add(QStringLiteral("        ) AS u (fresh, ") +
            each([](qsizetype i) { return numbered(u'c', i); }) + u')');
        if (hasKeys())
            add(QStringLiteral("        GROUP BY ") + keyList(QStringLiteral("u.")));
        return {};
    }

    void addUnnestedActions()
    {
        add(QStringLiteral("    CROSS JOIN UNNEST(CASE"));
        addActions(QStringLiteral("ARRAY[%1]"), kComma);
        add(QStringLiteral("    END) AS a (act)"));
        addHeadGuard();
    }

    void addPlainActions()
    {
        add(QStringLiteral(
            "    CROSS JOIN (VALUES ('insert'), ('update'), ('delete')) AS a (act)"));
        addHeadGuard();
        add(QStringLiteral("    AND strpos(CASE"));
        addActions(QStringLiteral("%1"), QStringLiteral(" || "));
        add(QStringLiteral("    END, a.act) > 0"));
    }

    // Behind the comparison, of whose size engines know nothing: before it they would take the one
    // row of the guard for the larger side, and gather both tables in one place.
    void addHeadGuard()
    {
        const HeadGuard guard = headGuard(m_replacement.target, m_expected, m_dialect);
        add(QStringLiteral("    CROSS JOIN ") + guard.from);
        add(QStringLiteral("    WHERE ") + guard.where);
    }

    // The key for a person, as far as it casts to text.
    QString keyText() const
    {
        QStringList parts;
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            if (!isKey(i))
                continue;
            const QString value = QStringLiteral("g.") + numbered(u'c', i);
            const QString comma = parts.isEmpty() ? QString() : kComma;
            const QString label = comma + m_columns[i].name + QStringLiteral(" = ");
            const Type &type = m_columns[i].type;
            QString text = QStringLiteral("CAST(%1 AS varchar)").arg(value);
            if (type.is(TypeKind::Varbinary))
                text = QStringLiteral("to_hex(%1)").arg(value);
            else if (type.isNested())
                text = quotedLiteral(type.text());
            parts.append(quotedLiteral(label) + QStringLiteral(" || coalesce(") + text +
                         QStringLiteral(", 'NULL')"));
        }
        return parts.isEmpty() ? quotedLiteral(u"a view without keys")
                               : parts.join(QStringLiteral(" || "));
    }

    // What a group calls for: words, put together as the dialect has it.
    void addActions(const QString &list, const QString &separator)
    {
        QStringList differences;
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            const auto differs = differsSql(m_columns[i], QStringLiteral("g.") + numbered(u'n', i),
                                            QStringLiteral("g.") + numbered(u'o', i));
            if (differs)
                differences.append(*differs);
        }
        const QString when =
            QString(QStringLiteral("        WHEN %1 THEN ") + list.arg(QStringLiteral("%2")));
        const QString failure = QStringLiteral("CAST(CAST('") + kDuplicateKeyMark +
                                QStringLiteral("' || ") + keyText() +
                                QStringLiteral(" AS boolean) AS varchar)");
        add(when.arg(QStringLiteral("g.fresh_rows > 1"), failure));
        add(QStringLiteral("        WHEN g.fresh_rows + g.target_rows = 0 THEN NULL"));
        add(when.arg(QStringLiteral("g.target_rows = 0"), QStringLiteral("'insert'")));
        add(when.arg(QStringLiteral("g.fresh_rows = 0"), QStringLiteral("'delete'")));
        add(when.arg(QStringLiteral("g.target_rows > 1"),
                     QString(QStringLiteral("'delete'") + separator + QStringLiteral("'insert'"))));
        if (!differences.isEmpty())
            add(when.arg(differences.join(QStringLiteral(" OR ")), QStringLiteral("'update'")));
    }

    QString matchCondition() const
    {
        QStringList parts{QStringLiteral("s.act <> 'insert'")};
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            if (isKey(i))
                parts.append(sameKeySql(m_columns[i].type, QStringLiteral("t.") + name(i),
                                        QStringLiteral("s.") + numbered(u'c', i)));
        }
        if (m_filter)
            parts.append(bucketPredicate(*m_filter, u"t"));
        return parts.join(QStringLiteral("\n    AND "));
    }

    void addOutcomes()
    {
        add(QStringLiteral("WHEN MATCHED AND s.act = 'delete' THEN DELETE"));
        if (hasValues()) {
            QStringList settings;
            for (qsizetype i = 0; i < m_columns.size(); ++i) {
                if (!isKey(i))
                    settings.append(name(i) + QStringLiteral(" = s.") + numbered(u'c', i));
            }
            add(QStringLiteral("WHEN MATCHED AND s.act = 'update' THEN UPDATE SET ") +
                settings.join(kComma));
        }
        add(QStringLiteral("WHEN NOT MATCHED AND s.act = 'insert' THEN INSERT (") +
            each([this](qsizetype i) { return name(i); }) + u')');
        add(QStringLiteral("    VALUES (") +
            each([](qsizetype i) { return QString(QStringLiteral("s.") + numbered(u'c', i)); }) +
            u')');
    }

    const Replacement &m_replacement;
    const QList<OutputColumn> &m_columns;
    const BucketFilter *m_filter;
    const TableHead &m_expected;
    SqlDialect m_dialect;
    MergeStatement m_statement;
    int m_line = 1;
};

}  // namespace

std::optional<Place> MergeStatement::placeInQuery(const Place &place) const
{
    if (place.line < queryLine || place.line >= queryLine + queryLines)
        return {};
    return Place{place.file, place.line - queryLine + 1, place.column};
}

Result<MergeStatement> mergeSql(const Change &change, const TableHead &expected, SqlDialect dialect)
{
    const auto *ranges = std::get_if<ReplaceRanges>(&change);
    return MergeWriter(replacementOf(change), ranges ? &ranges->filter : nullptr, expected, dialect)
        .write();
}

}  // namespace ivm
