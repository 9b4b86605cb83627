// ivmctl migrate check: reads the files for what is wrong, and for what may go wrong.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/host/documents.h"
#include "framework/host/migrating.h"
#include "framework/host/migration_documents.h"
#include "framework/migrate/lint.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

using namespace migrate;

// How long ago each view's sources were read last: the snapshots that it counts from are at least
// as old. Nothing where no state is kept yet.
QHash<TableName, std::chrono::seconds> oldestBookmarks(Host &host)
{
    QHash<TableName, std::chrono::seconds> out;
    const auto store = host.state();
    const auto bookmarks = store ? (*store)->bookmarks() : Result<QList<Bookmark>>();
    if (!bookmarks)
        return out;
    const QDateTime now = SystemClock().now();
    for (const auto &bookmark : *bookmarks) {
        const auto records = (*store)->records(bookmark.view, 1);
        if (!records || records->isEmpty())
            continue;
        const std::chrono::seconds age{records->first().started.secsTo(now)};
        for (const auto &source : bookmark.sources)
            out[source.table] = std::max(out.value(source.table), age);
    }
    return out;
}

class Check {
public:
    explicit Check(Context &context) : m_context(context) {}

    Exit run()
    {
        Host &host = m_context.host();
        const auto request = folderRequest(m_context);
        const auto folder = readFolder(request);
        for (const auto &problem : folder.problems)
            report(problem, QStringLiteral("error"));
        const qint64 applied = folder.problems.isEmpty() ? lookAtHistory(host, folder) : 0;
        const LintContext context{.defaults = request.defaults,
                                  .applied = applied,
                                  .oldestBookmark = oldestBookmarks(host)};
        for (const auto &warning : lint(folder, context))
            report(warning, QStringLiteral("warning"));
        return finish(folder.migrations.size());
    }

private:
    // What stands between the files and the catalog; the version that is applied.
    qint64 lookAtHistory(Host &host, const MigrationFolder &folder)
    {
        const auto store = host.history();
        const auto history = store ? (*store)->history(m_context.call)
                                   : Result<MigrationHistory>(fail(store.error()));
        if (!history) {
            // The files can be looked at without it.
            report(Error(history.error()).during(u"the history is not known"),
                   QStringLiteral("warning"));
            return 0;
        }
        const LineState state(*history, folder.line);
        const auto drift = driftOf(folder, state);
        for (const auto &error : drift)
            report(error, QStringLiteral("error"));
        if (state.open())
            report(warningOf(state), QStringLiteral("warning"));
        else if (drift.isEmpty())
            tryPlan(host, folder, *history, state);
        return state.current();
    }

    // What comes after the open run depends on how that ends.
    static Error warningOf(const LineState &state)
    {
        return conflictError(openRunText(state))
            .withHint(state.isAtWork()
                          ? u"What follows it is looked at when it has ended"
                          : u"'ivmctl migrate repair' says what is to be done; what follows it "
                            u"was not looked at");
    }

    // What a run would refuse before it begins.
    void tryPlan(Host &host, const MigrationFolder &folder, const MigrationHistory &history,
                 const LineState &state)
    {
        auto views =
            ViewSet::make(history.views, otherViews(host.definitions()), host.tableDefaults());
        if (!views)
            return report(views.error(), QStringLiteral("error"));
        const auto plan =
            makePlan(folder, state, {Direction::Upgrade, folder.head()}, *std::move(views));
        if (!plan)
            report(plan.error(), QStringLiteral("error"));
    }

    void report(const Error &problem, const QString &severity)
    {
        auto &terminal = m_context.terminal;
        const bool isError = severity == u"error";
        isError ? terminal.error(problem) : terminal.warning(problem);
        isError ? ++m_errors : ++m_warnings;
        QJsonObject object = errorJson(terminal.shown(problem));
        object.insert(QStringLiteral("severity"), severity);
        m_problems.append(object);
    }

    Exit finish(qsizetype migrations)
    {
        if (m_context.terminal.isJson())
            m_context.terminal.json(
                {{QStringLiteral("ok"), m_errors == 0}, {QStringLiteral("problems"), m_problems}});
        m_context.terminal.note(QStringLiteral("%1, %2, %3")
                                    .arg(counted(migrations, "migration", "migrations"),
                                         counted(m_errors, "error", "errors"),
                                         counted(m_warnings, "warning", "warnings")));
        return m_errors == 0 ? Exit::Done : Exit::Usage;
    }

    Context &m_context;
    QJsonArray m_problems;
    int m_errors = 0;
    int m_warnings = 0;
};

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    return Check(context).run();
}

}  // namespace

Command migrateCheckCommand()
{
    return {{.name = QStringLiteral("migrate check"),
             .words = {},
             .summary = QStringLiteral("reads the files for what may go wrong"),
             .details = QStringLiteral(
                 "Reports what is wrong with the files, or stands between them and what is "
                 "applied, and warns of\n"
                 "what is worth a second look: what destroys rows, types that narrow, functions "
                 "that give\n"
                 "another answer each time, partitioning that defeats a view's ranges, snapshots "
                 "that are expired\n"
                 "too early, names that need quotes, ways back that are missing. Changes nothing. "
                 "Ends with 2\n"
                 "when something is wrong."),
             .examples = {QStringLiteral("ivmctl migrate check"),
                          QStringLiteral("ivmctl migrate check --json")},
             .options = migrateOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
