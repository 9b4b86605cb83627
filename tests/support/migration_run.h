// Runs of migrations over fakes: a folder of files, a history in memory, an engine that does
// nothing and has one table t (a bigint, b integer), a builder that builds nothing. For tests of
// what a run records and leaves.
//
// One test at a time; reset() before each.
#pragma once

#include "framework/migrate/repair.h"
#include "tests/support/fake_builder.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_history.h"
#include "tests/support/migration_files.h"

namespace ivm::test {

inline const QString kLine = migrate::kDefaultLine.toString();

inline const QByteArray kCreateView =
    "- create_view: {name: v, query: \"SELECT a, count(*) AS n FROM t GROUP BY a\"}\n";
inline const QByteArray kReplaceView =
    "- replace_view: {name: v, query: \"SELECT a, count(*) AS n, "
    "max(b) AS m FROM t GROUP BY a\"}\n";

class MigrationRun {
protected:
    void reset()
    {
        m_files = std::make_unique<MigrationFiles>();
        m_world = {};
        m_world.answers.insert(QString(), Rows());
        TableInfo t;
        t.name = {kMigrationDefaults.catalog, kMigrationDefaults.schema, QStringLiteral("t")};
        t.columns = {{.name = QStringLiteral("a"), .type = {.kind = TypeKind::Bigint}},
                     {.name = QStringLiteral("b"), .type = {.kind = TypeKind::Integer}}};
        m_world.tables.insert(t.name, t);
        m_history = std::make_unique<FakeHistory>(m_clock);
        m_builder = std::make_unique<FakeBuilder>();
        m_executor = std::make_unique<FakeExecutor>(m_world);
        m_files->write(
            QStringLiteral("0001_a.yaml"),
            "about: first\nupgrade:\n- create_schema: {name: a}\n- create_schema: {name: "
            "b}\n");
    }
    Result<migrate::RunOutcome> run(migrate::Direction direction = migrate::Direction::Upgrade,
                                    const QString &goal = QStringLiteral("head"),
                                    bool mayLose = true, const Call &call = {})
    {
        m_folder = m_files->read();
        migrate::Runner runner(services());
        return runner.run({.folder = m_folder,
                           .direction = direction,
                           .goal = goal,
                           .others = {},
                           .mayLose = mayLose,
                           .progress = {}},
                          call);
    }
    migrate::RunServices services()
    {
        return {.history = *m_history,
                .executor = [this]() -> Result<Executor *> { return m_executor.get(); },
                .builder = *m_builder,
                .clock = m_clock,
                .actor = {.name = QStringLiteral("ann"),
                          .host = QStringLiteral("box"),
                          .toolVersion = QStringLiteral("1"),
                          .owner = QStringLiteral("ivmctl on box")},
                .defaults = kMigrationDefaults};
    }
    // "upgrade_started 1, step_started 1.1 …", of the line's events from the n-th on.
    QString events(qsizetype from = 0)
    {
        QStringList out;
        const auto all = m_history->events(kLine, {});
        for (const auto &event : all->mid(from)) {
            QString text = event.event + QStringLiteral(" %1").arg(event.version);
            if (event.step > 0)
                text += QStringLiteral(".%1").arg(event.step);
            out.append(text);
        }
        return out.join(QStringLiteral(", "));
    }
    qsizetype eventCount() { return m_history->events(kLine, {})->size(); }
    QString statusOf(qint64 version)
    {
        const migrate::LineState state(*m_history->history({}), kLine);
        const auto *record = state.record(version);
        return record ? migrationStatusName(record->status) : QStringLiteral("none");
    }
    MigratedView viewRow()
    {
        const auto views = m_history->history({})->views;
        return views.isEmpty() ? MigratedView() : views.first();
    }
    void answer(const QString &start, const Error &error) { m_world.refusals.insert(start, error); }

    std::unique_ptr<MigrationFiles> m_files;
    migrate::MigrationFolder m_folder;
    FakeClock m_clock;
    FakeWorld m_world;
    std::unique_ptr<FakeHistory> m_history;
    std::unique_ptr<FakeBuilder> m_builder;
    std::unique_ptr<FakeExecutor> m_executor;
};

}  // namespace ivm::test
