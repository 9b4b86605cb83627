#include "plugins/trino_sql/privileges.h"

namespace ivm::trino {

namespace {

constexpr QStringView kDenied = u"permission_denied";

struct Need {
    QString statement;
    QString hint;  // what to do when it is denied
    QStringView code = kDenied;
};

QString grant(QStringView privilege, const QString &table)
{
    return QStringLiteral("Run: GRANT %1 ON %2 TO the user").arg(privilege, table);
}

// What is read to find out what changed. Rules that name tables do not cover these by themselves.
QList<Need> needsOfTable(const TableName &table)
{
    QList<Need> needs;
    for (const auto metadata : {u"refs", u"snapshots", u"metadata_log_entries", u"all_entries",
                                u"all_manifests", u"files"}) {
        const QString name = table.quotedMetadataTable(metadata);
        needs.append(
            {QStringLiteral("SELECT 1 FROM ") + name,
             QStringLiteral("Changes are found through %1: let the user read it").arg(name)});
    }
    return needs;
}

QList<Need> needsOfTarget(const Replacement &view)
{
    const QString target = view.target.quoted();
    const QString column = quotedIdentifier(view.columns.first().name);
    return {
        {QStringLiteral("SELECT * FROM ") + target, grant(u"SELECT", target)},
        {QStringLiteral("INSERT INTO %1 SELECT * FROM %1").arg(target), grant(u"INSERT", target)},
        {QStringLiteral("UPDATE %1 SET %2 = %2").arg(target, column), grant(u"UPDATE", target)},
        {QStringLiteral("DELETE FROM ") + target, grant(u"DELETE", target)}};
}

// What is asked after an answer was lost.
QList<Need> needsOfSettling()
{
    return {{QStringLiteral("SELECT 1 FROM system.runtime.queries, system.runtime.tasks"),
             QStringLiteral("After a lost answer the outcome is looked up there, and without that "
                            "the view is diffed: let the user see its own queries"),
             kCannotSettle}};
}

Need needOfMaking(const Replacement &view)
{
    return {QStringLiteral("CREATE TABLE %1 AS\n").arg(view.target.quoted()) + view.query,
            QStringLiteral("Let the user make tables in schema %1")
                .arg(quotedIdentifier(view.target.catalog) + u'.' +
                     quotedIdentifier(view.target.schema))};
}

class Asker {
public:
    Asker(Session &session, const Call &call) : m_session(session), m_call(call) {}

    Status ask(const Need &need)
    {
        const auto done =
            execute(m_session, QStringLiteral("EXPLAIN (TYPE VALIDATE) ") + need.statement, m_call);
        if (done)
            return {};
        // What else is wrong with a statement is for others to say, where they have use for it.
        if (done.error().kind == ErrorKind::Invalid && done.error().code == kDenied) {
            Error denied = done.error();
            denied.place = {};
            m_missing.append(std::move(denied).withCode(need.code).withHint(need.hint));
            return {};
        }
        const bool isElsewhere = done.error().kind == ErrorKind::Unavailable ||
                                 done.error().kind == ErrorKind::Cancelled ||
                                 done.error().kind == ErrorKind::Timeout;
        return isElsewhere ? Status(fail(done.error())) : Status();
    }
    Status ask(const QList<Need> &needs)
    {
        for (const auto &need : needs)
            IVM_CHECK(ask(need));
        return {};
    }
    // Needs that are met nearly always, in one statement; one by one only where they are not.
    Status askAtOnce(const QList<Need> &needs)
    {
        QStringList statements;
        for (const auto &need : needs)
            statements.append(need.statement);
        const auto all = execute(m_session,
                                 QStringLiteral("EXPLAIN (TYPE VALIDATE) ") +
                                     statements.join(QStringLiteral(" UNION ALL ")),
                                 m_call);
        return all ? Status() : ask(needs);
    }

    const QList<Error> &missing() const { return m_missing; }

private:
    Session &m_session;
    const Call &m_call;
    QList<Error> m_missing;
};

}  // namespace

Result<QList<Error>> missingPrivileges(Session &session, const Replacement &view,
                                       const QList<TableName> &sources, const Call &call)
{
    Asker asker(session, call);
    QList<Need> reading = needsOfSettling();
    for (const auto &source : sources)
        reading = needsOfTable(source) + reading;
    const auto target = execute(
        session, QStringLiteral("EXPLAIN (TYPE VALIDATE) SELECT 1 FROM ") + view.target.quoted(),
        call);
    if (!target && target.error().kind == ErrorKind::NotFound) {
        IVM_CHECK(asker.ask(needOfMaking(view)));
    } else {
        IVM_CHECK(asker.ask(needsOfTarget(view)));
        reading = needsOfTable(view.target) + reading;
    }
    IVM_CHECK(asker.askAtOnce(reading));
    return asker.missing();
}

}  // namespace ivm::trino
