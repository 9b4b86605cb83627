// What the commands of `ivmctl migrate` share: their folder, what they run with, and how a run is
// told.
//
// Threads: the main thread. Lifetime: the command's.
#pragma once

#include "cli/ivmctl/command.h"
#include "framework/migrate/repair.h"

#include <QJsonArray>

namespace ivm::ctl {

// --namespace and --folder.
QList<OptionSpec> migrateOptions(const QList<OptionSpec> &own = {});

migrate::FolderRequest folderRequest(Context &context);

// What a command does where files are wrong: it ends, or goes on with a warning, because it asks
// the history alone. Who looks after an accident must not have to mend files first.
enum class BrokenFiles { End, Warn };

// The files, and all that running them takes.
class Migrating {
public:
    // Reports what is wrong with the configuration or the files, and gives the code to end with.
    static std::variant<std::unique_ptr<Migrating>, Exit>
    open(Context &context, BrokenFiles broken = BrokenFiles::End);
    ~Migrating();

    const migrate::MigrationFolder &folder() const { return m_folder; }
    migrate::Runner &runner() { return *m_runner; }
    migrate::Repair &repair() { return *m_repair; }
    HistoryStore &history() { return *m_history; }
    // Fills in what the steps read and how. Gives what of it would fail.
    Result<QList<Error>> estimate(migrate::Runner::Look &look,
                                  const QList<migrate::OtherView> &others, const Call &call);
    // What the run has to know of views that are no migration's.
    migrate::RunRequest request(migrate::Direction direction, const QString &goal) const;

private:
    explicit Migrating(migrate::MigrationFolder folder) : m_folder(std::move(folder)) {}

    migrate::MigrationFolder m_folder;
    Host *m_host = nullptr;
    SystemClock m_clock;
    std::function<Result<Executor *>()> m_executor;
    TableName m_defaults;
    HistoryStore *m_history = nullptr;
    std::unique_ptr<migrate::ViewBuilder> m_builder;
    std::unique_ptr<migrate::Runner> m_runner;
    std::unique_ptr<migrate::Repair> m_repair;
};

// `ivmctl migrate upgrade` and `downgrade`.
Exit runMigrations(Context &context, migrate::Direction direction, const QString &goal);
QList<OptionSpec> runOptions();

// The code to end with when nothing was begun: drift is told apart from what is wrong.
Exit exitFor(const Error &error);

QJsonArray planJson(const migrate::MigrationPlan &plan);

}  // namespace ivm::ctl
