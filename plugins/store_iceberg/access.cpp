#include "plugins/store_iceberg/access.h"

#include "framework/base/log.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

namespace ivm::store_iceberg {

namespace {

// A place in a statement that nobody wrote says nothing. What cannot be found in our own statement
// has another program taken away.
Error aboutTables(Error error, const QString &what)
{
    error.place = {};
    if (error.kind != ErrorKind::Invalid || !error.message.contains(u"column", Qt::CaseInsensitive))
        return error;
    return corruptError(QStringLiteral("the tables of the %1 are not as iceberg-ivm makes them: %2")
                            .arg(what, error.message))
        .withHint(u"Another program has changed them; bring the column back by hand");
}

}  // namespace

void pause(int attempt, const Call &call)
{
    constexpr int kLongestMs = 1000;
    static thread_local std::minstd_rand random(std::random_device{}());
    const int most = std::min(kLongestMs, 20 << std::min(attempt, 6));
    const std::chrono::milliseconds time(std::uniform_int_distribution<int>(0, most)(random));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, call.stop, call.remaining(time),
                                           [] { return false; });
}

bool isLost(const Error &error)
{
    return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::CommitUnknown;
}

TableAccess::TableAccess(QString what, QList<TableSpec> tables, ExecutorProvider executor,
                         QMap<QString, QString> properties)
    : m_what(std::move(what)), m_tables(std::move(tables)), m_executor(std::move(executor)),
      m_properties(std::move(properties))
{
}

Error TableAccess::neverEnds(const Error &error) const
{
    return unavailableError(
               QStringLiteral("the %1 cannot be written: %2").arg(m_what, error.message))
        .withHint(u"Others write to it at the same time; try again");
}

Result<std::unique_ptr<Session>> TableAccess::session(const SessionOptions &options,
                                                      const Call &call) const
{
    IVM_CHECK(call.check(QStringLiteral("opening the %1").arg(m_what)));
    IVM_TRY(Executor * executor, m_executor());
    return executor->openSession(options, call);
}

Result<Rows> TableAccess::read(Session &session, const QString &sql, const Call &call) const
{
    auto rows = query(session, sql, call);
    if (!rows && rows.error().kind == ErrorKind::NotFound)
        return Rows{};
    if (!rows)
        return fail(aboutTables(rows.error(), m_what));
    return rows;
}

Result<QList<Rows>> TableAccess::readTogether(Session &session, const QList<Part> &parts,
                                              const Call &call) const
{
    auto all = query(session, togetherSql(parts), call);
    if (all)
        return apart(parts, *std::move(all));
    if (all.error().kind != ErrorKind::NotFound)
        return fail(aboutTables(all.error(), m_what));
    QList<Rows> out;
    for (const auto &part : parts) {
        IVM_TRY(auto rows, read(session, part.sql, call));
        out.append(std::move(rows));
    }
    return out;
}

// What somebody else is making at this moment may fail this in a catalog's own words.
Status TableAccess::makeTable(Session &session, const TableSpec &spec, const Call &call) const
{
    constexpr int kMostRaces = 5;
    for (int attempt = 1;; ++attempt) {
        const auto made = session.createTable(spec, call);
        if (made)
            setProperties(session, spec.name, call);
        if (made || made.error().kind == ErrorKind::AlreadyExists)
            return {};
        const bool mayBeRace = made.error().kind == ErrorKind::Unavailable || isLost(made.error());
        if (!mayBeRace || attempt == kMostRaces)
            return made;
        if (session.tableInfo(spec.name, call))
            return {};
        pause(attempt, call);
    }
}

void TableAccess::setProperties(Session &session, const TableName &table, const Call &call) const
{
    QStringList names;
    QStringList values;
    for (const auto &[name, value] : m_properties.asKeyValueRange()) {
        names.append(quotedLiteral(name));
        values.append(quotedLiteral(value));
    }
    if (names.isEmpty())
        return;
    const auto set =
        execute(session,
                QStringLiteral("ALTER TABLE %1 SET PROPERTIES extra_properties = MAP(ARRAY[%2], "
                               "ARRAY[%3])")
                    .arg(table.quoted(), names.join(QStringLiteral(", ")),
                         values.join(QStringLiteral(", "))),
                call);
    if (!set)
        qCDebug(logStore, "%s: %s", qPrintable(table.text()), qPrintable(set.error().message));
}

Result<StatementResult> TableAccess::writeOnce(Session &session, const QString &sql,
                                               const Call &call) const
{
    auto done = execute(session, sql, call);
    if (!done && done.error().kind == ErrorKind::NotFound) {
        for (const auto &spec : m_tables)
            IVM_CHECK(makeTable(session, spec, call));
        done = execute(session, sql, call);
    }
    if (!done)
        return fail(aboutTables(done.error(), m_what));
    return done;
}

Result<StatementResult> TableAccess::removeOnce(Session &session, const QString &sql,
                                                const Call &call) const
{
    auto done = execute(session, sql, call);
    if (!done && done.error().kind == ErrorKind::NotFound)
        return StatementResult{.statementId = {}, .updateType = {}, .rowsAffected = 0};
    if (!done)
        return fail(aboutTables(done.error(), m_what));
    return done;
}

Result<Written> TableAccess::write(Session &session, const QString &sql, const Call &call) const
{
    return untilKnown(&TableAccess::writeOnce, session, sql, call);
}

Result<Written> TableAccess::remove(Session &session, const QString &sql, const Call &call) const
{
    return untilKnown(&TableAccess::removeOnce, session, sql, call);
}

Result<Written> TableAccess::untilKnown(Once once, Session &session, const QString &sql,
                                        const Call &call) const
{
    Written written;
    for (int attempt = 1;; ++attempt) {
        const auto done = (this->*once)(session, sql, call);
        if (done) {
            written.rows = done->rowsAffected;
            return written;
        }
        if (!isLost(done.error()))
            return fail(done.error());
        if (attempt == kMostTries)
            return fail(neverEnds(done.error()));
        written.again = written.again || done.error().kind == ErrorKind::CommitUnknown;
        pause(attempt, call);
        IVM_CHECK(call.check(QStringLiteral("writing the %1").arg(m_what)));
    }
}

// What piles up: of each table its position, its files beside those of its partitions, and its
// snapshots that may go.
QString TableAccess::upkeepSql(const Upkeep &upkeep) const
{
    QStringList counts;
    for (qsizetype i = 0; i < m_tables.size(); ++i) {
        const TableSpec &table = m_tables[i];
        QString files =
            QStringLiteral("SELECT count(*) FROM ") + table.name.quotedMetadataTable(u"files");
        if (!table.partitioning.isEmpty())
            files = QStringLiteral("SELECT (%1) - 2 * (SELECT count(DISTINCT %2) FROM %3)")
                        .arg(files, quotedIdentifier(table.partitioning.first().column),
                             table.name.quoted());
        counts.append(QStringLiteral("SELECT %1 AS i, (%2) AS files, (SELECT count(*) FROM %3 "
                                     "WHERE committed_at < current_timestamp - INTERVAL '%4' "
                                     "SECOND) AS expired")
                          .arg(QString::number(i), files,
                               table.name.quotedMetadataTable(u"snapshots"),
                               QString::number(upkeep.kept.count())));
    }
    return counts.join(QStringLiteral(" UNION ALL "));
}

void TableAccess::notTidied(const Error &error) const
{
    qCInfo(logStore, "the tables of the %s are not tidied: %s", qPrintable(m_what),
           qPrintable(error.message));
}

void TableAccess::tidyBy(Session &session, const QString &sql, const Call &call) const
{
    const auto done = execute(session, sql, call);
    if (!done && done.error().kind != ErrorKind::NotFound &&
        done.error().kind != ErrorKind::Unsupported)
        notTidied(done.error());
}

bool TableAccess::tidy(Session &session, const Upkeep &upkeep, const Call &call) const
{
    const auto counts = query(session, upkeepSql(upkeep), call);
    if (!counts) {
        notTidied(counts.error());
        return false;
    }
    const auto exceeds = [](const Value &count, int most) {
        const auto *number = std::get_if<qint64>(&count.data);
        return number && *number > most;
    };
    for (const auto &row : counts->rows) {
        const auto *position = std::get_if<qint64>(&row[0].data);
        const QString alter = QStringLiteral("ALTER TABLE %1 EXECUTE ")
                                  .arg(m_tables.value(position ? *position : 0).name.quoted());
        if (exceeds(row[1], upkeep.mostFiles))
            tidyBy(session, alter + QStringLiteral("optimize"), call);
        if (exceeds(row[2], upkeep.mostSnapshots))
            tidyBy(session,
                   alter + QStringLiteral("expire_snapshots(retention_threshold => '%1s')")
                               .arg(upkeep.kept.count()),
                   call);
    }
    return true;
}

}  // namespace ivm::store_iceberg
