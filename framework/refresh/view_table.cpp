#include "framework/refresh/view_table.h"

#include "framework/base/fail_point.h"
#include "framework/refresh/held_target.h"
#include "framework/sqlexec/ddl.h"
#include "framework/view/outputs.h"

#include <algorithm>

namespace ivm {

namespace {

bool isOf(const View &view, const TargetVersion &version)
{
    return tellsOf(version.table.comment, view.spec) ||
           (version.bookmark && version.bookmark->target == version.table.name &&
            version.bookmark->targetHead.tableId == version.head.tableId);
}

Error notTheViews(const View &view, const TableName &table)
{
    Error error = invalidError(QStringLiteral("view '%1': table %2 is not known to be its own")
                                   .arg(view.spec.name, table.text()))
                      .withCode(u"not_the_views")
                      .withHint(u"Drop or rename the table by hand where that is meant");
    error.place = view.spec.queryPlace;
    return error;
}

// One rename, under the leases of both tables.
class Rename {
public:
    Rename(RefreshServices &services, const View &from, const View &to, HeldTarget &source,
           HeldTarget *destination)
        : m_services(services), m_from(from), m_to(to), m_source(source),
          m_destination(destination ? *destination : source)
    {
    }

    Status run(const BeforeSwitch &before)
    {
        IVM_TRY(const TargetVersion source, m_source.now());
        if (source.exists() && !isOf(m_from, source) && (isMoved() || !isOf(m_to, source)))
            return fail(notTheViews(m_from, m_from.spec.target));
        if (isMoved()) {
            IVM_TRY(const TargetVersion there, m_destination.now());
            IVM_CHECK(checkFree(source, there));
        }
        IVM_CHECK(before(source));
        IVM_CHECK(failPoint(u"rename.before"));
        if (isMoved() && source.exists())
            IVM_CHECK(
                m_source.change(source.head, renameTableSql(m_from.spec.target, m_to.spec.target)));
        IVM_CHECK(failPoint(u"rename.renamed"));
        IVM_TRY(const TargetVersion renamed, m_destination.now());
        if (renamed.exists())
            IVM_CHECK(tell(renamed));
        IVM_CHECK(failPoint(u"rename.told"));
        return takeAlong(source.bookmark);
    }

private:
    bool isMoved() const { return m_from.spec.target != m_to.spec.target; }

    Status checkFree(const TargetVersion &source, const TargetVersion &there) const
    {
        if (source.exists() && there.exists())
            return fail(
                alreadyExistsError(
                    QStringLiteral("view '%1': its table %2 cannot be renamed: there is "
                                   "a table %3 already")
                        .arg(m_from.spec.name, m_from.spec.target.text(), m_to.spec.target.text()))
                    .withHint(u"Drop that table, or give the view another target_table"));
        const bool isFree = !there.exists() || isOf(m_to, there) || isRenamed(source, there);
        return isFree ? Status() : fail(notTheViews(m_to, m_to.spec.target));
    }

    // By a run that is gone.
    bool isRenamed(const TargetVersion &source, const TargetVersion &there) const
    {
        return tellsOf(there.table.comment, m_from.spec) ||
               (source.bookmark && source.bookmark->targetHead.tableId == there.head.tableId);
    }

    // What the table's comment says beside whose it is.
    QString wordsOf(const QString &comment) const
    {
        ViewSpec plain = m_from.spec;
        plain.comment.clear();
        const QString mark = targetComment(plain);
        const QString behind = QStringLiteral(" (%1)").arg(mark);
        if (comment == targetComment(m_from.spec) || comment == mark)
            return m_to.spec.comment;
        return comment.endsWith(behind) ? comment.chopped(behind.size()) : comment;
    }

    Status tell(const TargetVersion &table)
    {
        const QString &comment = table.table.comment;
        if (tellsOf(comment, m_to.spec))
            return {};
        ViewSpec spec = m_to.spec;
        spec.comment = wordsOf(comment);
        const QString sql = QStringLiteral("COMMENT ON TABLE %1 IS %2")
                                .arg(m_to.spec.target.quoted(), quotedLiteral(targetComment(spec)));
        IVM_CHECK(m_destination.change(table.head, sql));
        return {};
    }

    Status takeAlong(std::optional<Bookmark> bookmark)
    {
        if (bookmark && bookmark->view == m_from.spec.name) {
            IVM_TRY(const TargetVersion now, m_destination.now());
            const bool isSame = m_from.spec.query.trimmed() == m_to.spec.query.trimmed() &&
                                m_from.spec.keys == m_to.spec.keys &&
                                bookmark->definitionHash == m_from.spec.definitionHash();
            const bool hasSameRows = bookmark->targetHead.tableId == now.head.tableId &&
                                     bookmark->targetHead.snapshot == now.head.snapshot &&
                                     sameColumns(bookmark->targetColumns, now.table.columns);
            bookmark->view = m_to.spec.name;
            bookmark->target = m_to.spec.target;
            if (isSame)
                bookmark->definitionHash = m_to.spec.definitionHash();
            if (hasSameRows)
                bookmark->targetHead = now.head;
            IVM_CHECK(m_services.store.saveBookmark(*bookmark));
            IVM_CHECK(failPoint(u"rename.saved"));
        }
        if (m_from.spec.name == m_to.spec.name)
            return {};
        IVM_CHECK(takeRecordsAlong());
        return m_services.store.forgetView(m_from.spec.name);
    }

    // Those that a run that is gone has not taken along.
    Status takeRecordsAlong()
    {
        IVM_TRY(auto records, m_services.store.records(m_from.spec.name, kRecordsKept));
        IVM_TRY(const auto there, m_services.store.records(m_to.spec.name, kRecordsKept));
        QList<RefreshRecord> missing;
        for (auto &record : records) {
            record.view = m_to.spec.name;
            if (!there.contains(record))
                missing.prepend(record);
        }
        return m_services.store.addRecords(missing);
    }

    RefreshServices &m_services;
    const View &m_from;
    const View &m_to;
    HeldTarget &m_source;
    HeldTarget &m_destination;
};

}  // namespace

Status dropView(RefreshServices &services, const View &view, ViewTable table, const Call &call)
{
    IVM_TRY(const auto target, HeldTarget::take(services, view, call));
    if (table == ViewTable::Drop) {
        IVM_TRY(const TargetVersion now, target->now());
        if (now.exists() && !isOf(view, now))
            return fail(notTheViews(view, view.spec.target));
        if (now.exists())
            IVM_CHECK(target->session().dropTable(view.spec.target, target->call()));
        IVM_CHECK(failPoint(u"drop.dropped"));
    }
    IVM_CHECK(services.store.forgetView(switchName(view)));
    return services.store.forgetView(view.spec.name);
}

Status renameView(RefreshServices &services, const View &from, const View &to,
                  const BeforeSwitch &before, const Call &call)
{
    IVM_TRY(const auto source, HeldTarget::take(services, from, call));
    std::unique_ptr<HeldTarget> destination;
    if (from.spec.target != to.spec.target) {
        IVM_TRY(destination, HeldTarget::take(services, to, call));
    }
    return Rename(services, from, to, *source, destination.get()).run(before);
}

}  // namespace ivm
