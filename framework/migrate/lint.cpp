#include "framework/migrate/lint.h"

#include "framework/base/overloaded.h"
#include "framework/migrate/column_changes.h"
#include "framework/migrate/lint_sql.h"
#include "framework/migrate/view_set.h"
#include "framework/sql/keywords.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

QString durationText(std::chrono::milliseconds time)
{
    const qint64 ms = time.count();
    for (const auto &[unit, name] :
         {std::pair{qint64(86'400'000), u'd'}, std::pair{qint64(3'600'000), u'h'},
          std::pair{qint64(60'000), u'm'}, std::pair{qint64(1000), u's'}}) {
        if (ms >= unit && ms % unit == 0)
            return QString::number(ms / unit) + name;
    }
    return QString::number(ms) + QStringLiteral("ms");
}

bool needsQuotes(const QString &name)
{
    const auto isPlain = [](QChar c) {
        return c == u'_' || (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9');
    };
    return name.isEmpty() || name.front().isDigit() || !std::ranges::all_of(name, isPlain) ||
           sql::isReserved(name);
}

// Which files can be left out when rows of a range of buckets are rewritten.
bool followsTime(const PartitionField &field)
{
    return field.transform != Transform::Bucket && field.transform != Transform::Void;
}

class Linter {
public:
    explicit Linter(const LintContext &context) : m_context(context) {}

    QList<Error> take() { return std::move(m_found); }

    void look(const Migration &migration)
    {
        m_isTold = migration.version > m_context.applied;
        m_place = {migration.file, 0, 0};
        if (migration.upgrade.isEmpty())
            warn(QStringLiteral("its upgrade has no steps"), u"empty_upgrade",
                 u"Write them before it is applied: it counts as edited afterwards");
        for (const auto &step : migration.upgrade) {
            m_place = step.place;
            loseNothing(step.operation);
            std::visit([this](const auto &node) { see(node); }, step.operation);
        }
        retyped();
        downgrade(migration);
    }

private:
    struct KnownColumn {
        Type type;
        Place place;
    };
    using Columns = QMap<QString, KnownColumn>;
    // The step that has given a view another type to read.
    struct Retyped {
        Place place;
        QString column;
        TableName table;
    };

    void warn(QString message, QStringView code, QStringView hint)
    {
        if (m_isTold)
            m_found.append(
                invalidError(std::move(message)).withCode(code).at(m_place).withHint(hint));
    }

    void loseNothing(const Operation &operation)
    {
        if (const QString loss = lossOf(operation); !loss.isEmpty())
            warn(QStringLiteral("%1: %2").arg(operationText(operation), loss), u"destructive",
                 u"Make sure that nobody needs it; whoever upgrades is asked");
    }

    void downgrade(const Migration &migration)
    {
        if (migration.isDeclaredIrreversible) {
            m_place = migration.downgradePlace;
            warn(QStringLiteral("it cannot be taken back: %1").arg(migration.whyIrreversible),
                 u"irreversible", u"Try it on a copy first");
            return;
        }
        if (migration.downgrade)
            return;
        // The last one that has no inverse is the one that the reason names.
        m_place = {migration.file, 0, 0};
        for (const auto &step : migration.upgrade) {
            if (!inverseOf(step.operation))
                m_place = step.place;
        }
        warn(migration.whyIrreversible, u"no_downgrade",
             u"Write the way back as 'downgrade', or 'downgrade: irreversible' and 'because'");
    }

    // Views that a step has given other types to read, and that no later one builds.
    void retyped()
    {
        for (auto it = m_retyped.cbegin(); it != m_retyped.cend(); ++it) {
            m_place = it->place;
            warn(QStringLiteral("view '%1' reads column '%2' of %3, so its own columns may get "
                                "other types, which its table does not have")
                     .arg(it.key(), it->column, it->table.text()),
                 u"retyped", u"Add replace_view of the same definition behind this step");
        }
        m_retyped.clear();
    }

    void name(const QString &text, QStringView what)
    {
        if (needsQuotes(text))
            warn(QStringLiteral("%1 '%2' needs quotes wherever it is used").arg(what, text),
                 u"quoted_name",
                 u"Choose lower-case letters, digits and _, and no word of the language");
    }

    void names(const TableName &table)
    {
        name(table.schema, u"schema");
        name(table.table, u"table");
    }

    // Views.

    void see(const CreateView &node) { define(node.spec); }
    void see(const ReplaceView &node) { define(node.spec); }
    void see(const RestoreView &node) { forget(node.name); }
    void see(const DropView &node) { forget(node.name); }
    void forget(const QString &view)
    {
        m_views.remove(view);
        m_retyped.remove(view);
    }
    void see(const Backfill &) {}
    void see(const RenameView &node)
    {
        if (!m_views.contains(node.from))
            return;
        View view = m_views.take(node.from);
        view.spec = renamed(view.spec, node.to, m_context.defaults);
        m_views.insert(node.to, view);
    }

    void define(const ViewSpec &spec)
    {
        const auto shape = shapeOf(spec, m_context.defaults);
        const View view{spec, shape ? *shape : ViewShape()};
        name(spec.target.table, u"table");
        for (const auto &column : view.shape.columns)
            name(column.name, u"column");
        partitioning(view);
        retentionOf(view);
        readsExpired(view);
        m_views.insert(spec.name, view);
        m_retyped.remove(spec.name);
    }

    void partitioning(const View &view)
    {
        const auto &fields = view.spec.targetPartitioning;
        if (!view.shape.isRanges() || !view.shape.bucket || fields.isEmpty())
            return;
        const QString bucket = view.shape.columns[view.shape.bucket->output].name;
        const bool hasBucket = std::ranges::any_of(fields, [&](const PartitionField &field) {
            return followsTime(field) && field.column.compare(bucket, Qt::CaseInsensitive) == 0;
        });
        if (hasBucket)
            return;
        QStringList texts;
        for (const auto &field : fields)
            texts.append(field.text());
        warn(QStringLiteral("view '%1': target_partitioning [%2] does not follow %3, by which the "
                            "view is refreshed: each refresh reads every partition")
                 .arg(view.spec.name, texts.join(QStringLiteral(", ")), bucket),
             u"partitioning", QStringLiteral("Add day(%1), or the like").arg(bucket));
    }

    // What others read of the view's table is counted from its snapshots.
    void retentionOf(const View &view)
    {
        const auto &maintenance = view.spec.maintenance;
        if (!maintenance.expireSnapshots)
            return;
        checkExpiry({view.spec.target, maintenance.expireSnapshotsRetention},
                    QStringLiteral("view '%1': expire_snapshots_retention").arg(view.spec.name));
        for (const auto &reader : std::as_const(m_views))
            checkReader(view, reader);
    }

    // The other way round: a new view that reads the table of an old one.
    void readsExpired(const View &reader)
    {
        for (const auto &view : std::as_const(m_views)) {
            if (view.spec.maintenance.expireSnapshots && view.spec.name != reader.spec.name)
                checkReader(view, reader);
        }
    }

    void checkReader(const View &view, const View &reader)
    {
        const auto retention = view.spec.maintenance.expireSnapshotsRetention;
        if (reads(reader, view.spec.target) && retention < reader.spec.refreshInterval)
            warn(QStringLiteral("view '%1': expire_snapshots_retention %2 is shorter than the %3 "
                                "between two refreshes of view '%4', which reads it")
                     .arg(view.spec.name, durationText(retention),
                          durationText(reader.spec.refreshInterval), reader.spec.name),
                 u"retention", u"Keep snapshots for longer: else each refresh reads everything");
    }

    static bool reads(const View &view, const TableName &table, const QString &column = {})
    {
        return std::ranges::any_of(view.shape.sources, [&](const ShapeSource &source) {
            return source.table == table && (column.isEmpty() || source.columns.contains(column));
        });
    }

    void checkExpiry(const Expiry &expiry, const QString &what)
    {
        const auto oldest = m_context.oldestBookmark.constFind(expiry.table);
        if (oldest != m_context.oldestBookmark.cend() && expiry.retention < *oldest)
            warn(QStringLiteral("%1 %2 is shorter than the age of the oldest snapshot of %3 that a "
                                "view counts from, %4")
                     .arg(what, durationText(expiry.retention), expiry.table.text(),
                          durationText(*oldest)),
                 u"retention", u"Refresh the views first, or keep snapshots for longer");
    }

    // Tables.

    void see(const CreateSchema &node) { name(node.name.schema, u"schema"); }
    void see(const DropSchema &) {}

    void see(const CreateTable &node)
    {
        names(node.spec.name);
        Columns columns;
        for (const auto &column : node.spec.columns) {
            name(column.name, u"column");
            columns.insert(column.name, {column.type, m_place});
        }
        m_tables.insert(node.spec.name, columns);
    }

    void see(const DropTable &node) { m_tables.remove(node.name); }

    void see(const RenameTable &node)
    {
        names(node.to);
        m_tables.insert(node.to, m_tables.take(node.from));
    }

    void see(const AddColumn &node)
    {
        name(node.column.name, u"column");
        m_tables[node.table].insert(node.column.name, {node.column.type, m_place});
        if (!node.column.nullable)
            warn(QStringLiteral("column '%1' of %2 is added as NOT NULL, which a table that holds "
                                "rows refuses")
                     .arg(node.column.name, node.table.text()),
                 u"not_null", u"Leave out 'nullable: false'");
    }

    void see(const DropColumn &node) { m_tables[node.table].remove(node.column); }

    void see(const RenameColumn &node)
    {
        name(node.to, u"column");
        auto &columns = m_tables[node.table];
        if (columns.contains(node.from))
            columns.insert(node.to, columns.take(node.from));
    }

    void see(const AlterColumn &node)
    {
        if (!node.type)
            return;
        auto &columns = m_tables[node.table];
        const auto before = columns.constFind(node.column);
        const bool isKnown = before != columns.cend();
        if (isKnown && sameColumnType(before->type, *node.type))
            return;
        if (isKnown && !isWiderColumnType(before->type, *node.type))
            warn(
                QStringLiteral("column '%1' of %2 is of type %3 since %4, and %5 does not hold all "
                               "of its values")
                    .arg(node.column, node.table.text(), before->type.text(),
                         placeText(before->place), node.type->text()),
                u"narrowing",
                u"Add a column of another name, fill it with an sql step, and drop this one later");
        for (const auto &view : std::as_const(m_views)) {
            if (reads(view, node.table, node.column))
                m_retyped.insert(view.spec.name, {m_place, node.column, node.table});
        }
        columns.insert(node.column, {*node.type, m_place});
    }

    static QString placeText(const Place &place)
    {
        return QStringLiteral("%1:%2").arg(place.file.section(u'/', -1),
                                           QString::number(place.line));
    }

    void see(const SetPartitioning &) {}
    void see(const SetSortOrder &) {}
    void see(const SetProperties &) {}

    void see(const Sql &node)
    {
        for (const auto &statement : {node.statement, node.undo}) {
            if (const QString part = volatilePart(statement); !part.isEmpty())
                warn(QStringLiteral("sql: %1 gives another answer each time").arg(part),
                     u"volatile_function",
                     u"Write the value out, so that the migration does the same everywhere");
        }
        const auto expiry = expiryOf(node.statement, m_context.defaults);
        if (!expiry)
            return;
        checkExpiry(*expiry, QStringLiteral("sql: the retention"));
        for (const auto &view : std::as_const(m_views)) {
            if (reads(view, expiry->table) && expiry->retention < view.spec.refreshInterval)
                warn(QStringLiteral("sql: snapshots of %1 that are older than %2 expire, and view "
                                    "'%3', which reads it, is refreshed every %4")
                         .arg(expiry->table.text(), durationText(expiry->retention), view.spec.name,
                              durationText(view.spec.refreshInterval)),
                     u"retention",
                     u"Keep snapshots for longer: else each refresh reads everything");
        }
    }

    const LintContext &m_context;
    QList<Error> m_found;
    Place m_place;
    bool m_isTold = true;
    QMap<TableName, Columns> m_tables;
    QMap<QString, View> m_views;
    QMap<QString, Retyped> m_retyped;  // by view
};

}  // namespace

QList<Error> lint(const MigrationFolder &folder, const LintContext &context)
{
    Linter linter(context);
    for (const auto &migration : folder.migrations)
        linter.look(migration);
    return linter.take();
}

}  // namespace ivm::migrate
