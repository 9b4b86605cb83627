#include "tests/e2e/history/history.h"

#include "framework/view/outputs.h"
#include "tests/e2e/history/history_views.h"
#include "tests/support/oracle.h"

namespace ivm::test {

History::History(HistorySetting setting, const QString &prefix, quint32 seed)
    : m_setting(std::move(setting)), m_seed(seed), m_dice(seed),
      m_table(m_dice, m_setting.formatV1),
      m_source{m_setting.defaults.catalog, m_setting.defaults.schema,
               QString(prefix + QStringLiteral("_ev"))},
      m_views(historyViews(m_setting.defaults, prefix, m_source, m_dice))
{
}

HistoryResult History::play(int steps)
{
    const auto work = [&]() -> Status {
        IVM_TRY(Executor * executor, m_setting.services.executor());
        IVM_TRY(m_session, executor->openSession({}, Call{}));
        IVM_CHECK(runOnSource(m_table.create()));
        for (int step = 0; step < steps; ++step) {
            m_log.append(QStringLiteral("-- step %1").arg(step));
            for (int changes = 1 + m_dice.pick(3); changes > 0; --changes)
                IVM_CHECK(changeSource());
            if (step > 0 && m_dice.oneIn(5))
                IVM_CHECK(changeTarget());
            if (step > 0 && m_dice.oneIn(12))
                IVM_CHECK(loseTheStore());
            IVM_CHECK(refreshAndCompare());
        }
        return staysQuiet();
    };
    if (const auto done = work(); !done)
        m_result.failure =
            QStringLiteral("seed %1: %2\nreplay with IVM_SEED=%1; what was done:\n%3")
                .arg(m_seed)
                .arg(done.error().text(), m_log.join(u'\n'));
    for (const auto &view : m_views)
        (void)run(QStringLiteral("DROP TABLE IF EXISTS %1").arg(view.spec.target.quoted()));
    (void)run(QStringLiteral("DROP TABLE IF EXISTS %1").arg(m_source.quoted()));
    m_session.reset();
    return m_result;
}

Status History::run(const QString &sql)
{
    m_log.append(sql);
    IVM_CHECK(execute(*m_session, sql, {}));
    return {};
}

Status History::runOnSource(const QStringList &statements)
{
    const auto &others = m_setting.others;
    for (const auto &statement : statements) {
        // The engine itself does half of it.
        int who = m_dice.pick(2 * std::max(1, int(others.size())));
        if (m_table.isV1() && !m_setting.writesV1)
            who = 0;
        if (who >= others.size() || !others.at(who).takes(statement)) {
            IVM_CHECK(run(QString(statement).replace(u'@', m_source.quoted())));
            continue;
        }
        const auto &writer = others.at(who);
        const TableName name{writer.catalog, m_source.schema, m_source.table};
        const QString sql = QString(statement).replace(u'@', name.quoted());
        m_log.append(QStringLiteral("/* %1 */ %2").arg(writer.name, sql));
        IVM_CHECK(writer.run(name.schema + u'.' + name.table, sql));
    }
    return {};
}

Status History::changeSource()
{
    IVM_TRY(const auto heads, m_setting.services.detector.heads({{.table = m_source}}, {}));
    IVM_TRY(const TableHead head, heads.front());
    m_table.sawHead(head.snapshot);
    return runOnSource(m_table.change());
}

// Somebody edits a view's table by hand: the next refresh has to undo it.
Status History::changeTarget()
{
    const auto &view = m_dice.of(m_views);
    const QString table = view.spec.target.quoted();
    const auto keys = view.shape.keys();
    const QString filter =
        keys.isEmpty() ? QStringLiteral("true")
                       : QString(quotedIdentifier(keys.front()) + QStringLiteral(" IS NOT NULL"));
    switch (m_dice.pick(5)) {
    case 0: return run(QStringLiteral("DELETE FROM %1 WHERE %2").arg(table, filter));
    case 1: return run(QStringLiteral("INSERT INTO %1 SELECT * FROM %1").arg(table));
    case 2: {
        const QString measure = quotedIdentifier(view.shape.columns.last().name);
        return run(QStringLiteral("UPDATE %1 SET %2 = NULL WHERE %3").arg(table, measure, filter));
    }
    case 3: return run(QStringLiteral("ALTER TABLE %1 EXECUTE optimize").arg(table));
    default: return run(QStringLiteral("DROP TABLE %1").arg(table));
    }
}

Status History::loseTheStore()
{
    const auto &view = m_dice.of(m_views);
    m_log.append(QStringLiteral("-- the store forgets %1").arg(view.spec.name));
    return m_setting.services.store.forgetView(view.spec.name);
}

Result<QList<RefreshOutcome>> History::refresh()
{
    Refresher refresher(m_setting.services);
    IVM_TRY(const auto outcomes, refresher.refresh(m_views, RefreshMode::IfChanged, {}));
    for (const auto &outcome : outcomes) {
        m_log.append(QStringLiteral("-- %1: %2 (%3)")
                         .arg(outcome.view, actionName(outcome.action), outcome.reason));
        ++m_result.refreshes;
        ++m_result.actions[actionName(outcome.action)];
        if (outcome.error)
            return fail(*outcome.error);
    }
    return outcomes;
}

Status History::refreshAndCompare()
{
    IVM_CHECK(refresh());
    for (const auto &view : m_views)
        IVM_CHECK(compare(view));
    return {};
}

// A refresh right after another one finds nothing to do.
Status History::staysQuiet()
{
    IVM_TRY(const auto outcomes, refresh());
    for (const auto &outcome : outcomes) {
        if (outcome.action != Action::None)
            return fail(internalError(QStringLiteral("%1: refreshed again without a change: %2")
                                          .arg(outcome.view, outcome.reason)));
    }
    return {};
}

Status History::compare(const View &view)
{
    IVM_TRY(const Rows wanted, query(*m_session, view.shape.query, {}));
    IVM_TRY(
        const Rows stored,
        query(*m_session, QStringLiteral("SELECT * FROM %1").arg(view.spec.target.quoted()), {}));
    IVM_TRY(const auto outputs, outputColumns(view.spec, view.shape, wanted.columns));
    const QString difference = Oracle(outputs).difference(wanted, stored);
    if (!difference.isEmpty())
        return fail(internalError(QStringLiteral("%1: %2").arg(view.spec.name, difference)));
    // What verify says must agree, which shares no code with the comparison above.
    if (!m_dice.oneIn(6))
        return {};
    IVM_TRY(const auto verified, verifyView(m_setting.services, view, {}, {}));
    if (!verified.equal)
        return fail(internalError(QStringLiteral("%1: verify finds %2 missing and %3 extra rows")
                                      .arg(view.spec.name)
                                      .arg(verified.missing)
                                      .arg(verified.extra)));
    return {};
}

}  // namespace ivm::test
