#include "cli/ivmctl/commands/migrate_parts.h"

#include "framework/host/documents.h"
#include "framework/host/migrating.h"
#include "framework/migrate/plan_estimate.h"
#include "framework/migrate/preflight.h"

#include <QDir>
#include <QFileInfo>

namespace ivm::ctl {

namespace {

using namespace migrate;

const QString kNamespace = QStringLiteral("--namespace");
const QString kFolder = QStringLiteral("--folder");
const QString kYes = QStringLiteral("--yes");
const QString kWait = QStringLiteral("--wait");

// A number of seconds; none where it is none.
std::optional<std::chrono::seconds> waitOf(const Arguments &arguments)
{
    if (!arguments.has(kWait))
        return std::chrono::seconds(0);
    QString text = arguments.options.value(kWait);
    if (text.endsWith(u's'))
        text.chop(1);
    bool isNumber = false;
    const int seconds = text.toInt(&isNumber);
    if (!isNumber || seconds < 0)
        return std::nullopt;
    return std::chrono::seconds(seconds);
}

void noteWaiting(Terminal &terminal, const QString &holder)
{
    terminal.note(QString(QStringLiteral("waiting: ") + visible(holder)));
}

// Prints a run as it goes on.
class RunPrinter {
public:
    explicit RunPrinter(Context &context) : m_terminal(context.terminal) {}

    RunProgress progress()
    {
        return {.waiting = [this](const QString &holder) { noteWaiting(m_terminal, holder); },
                .step = [this](const PlannedMigration &planned,
                               const PlannedStep &step) { tell(planned, step); },
                .done = [this](const PlannedMigration &planned,
                               double seconds) { tell(planned, seconds); }};
    }

    Exit finish(const RunOutcome &outcome, Direction direction)
    {
        if (outcome.error)
            m_terminal.error(*outcome.error);
        if (m_terminal.isJson())
            m_terminal.json(document(outcome, direction));
        else if (!outcome.error && outcome.done.isEmpty())
            m_terminal.note(QStringLiteral("nothing to do: at %1").arg(outcome.current));
        if (!outcome.error)
            return Exit::Done;
        return outcome.isPartial ? Exit::Partly : Exit::Failed;
    }

private:
    void tell(const PlannedMigration &planned, const PlannedStep &step)
    {
        m_terminal.progress(QStringLiteral("%1, step %2 of %3: %4 …")
                                .arg(planned.migration->label(), QString::number(step.number),
                                     QString::number(planned.steps.size()),
                                     operationText(step.step->operation)));
    }

    void tell(const PlannedMigration &planned, double seconds)
    {
        if (m_terminal.isJson())
            return;
        const bool isUp = planned.direction == Direction::Upgrade;
        m_terminal.line(QStringLiteral("%1  %2  %3, %4 s")
                            .arg(m_terminal.paint(Colour::Bold, planned.migration->label()),
                                 m_terminal.paint(Colour::Green, isUp ? u"applied" : u"taken back"),
                                 counted(planned.steps.size(), "step", "steps"),
                                 QString::number(seconds, 'f', 3)));
    }

    QJsonObject document(const RunOutcome &outcome, Direction direction) const
    {
        QJsonArray done;
        for (const auto &migration : outcome.done)
            done.append(
                QJsonObject{{QStringLiteral("version"), migration.version},
                            {QStringLiteral("direction"), directionName(migration.direction)},
                            {QStringLiteral("name"), migration.label},
                            {QStringLiteral("seconds"), migration.seconds}});
        QJsonArray steps;
        for (const auto &step : outcome.steps)
            steps.append(QJsonObject{{QStringLiteral("version"), step.version},
                                     {QStringLiteral("step"), step.number},
                                     {QStringLiteral("operation"), step.text},
                                     {QStringLiteral("result"), step.result}});
        QJsonObject out{{QStringLiteral("direction"), directionName(direction)},
                        {QStringLiteral("done"), done},
                        {QStringLiteral("steps"), steps},
                        {QStringLiteral("current"), outcome.current}};
        if (outcome.error)
            out.insert(QStringLiteral("error"), errorJson(m_terminal.shown(*outcome.error)));
        return out;
    }

    Terminal &m_terminal;
};

// Whether what is lost may be: --yes, or a person who was asked. Then nothing else is done: "one
// back" is the one that he was shown.
Result<bool> mayLose(Context &context, Migrating &migrating, RunRequest &request)
{
    if (context.arguments.has(kYes))
        return true;
    if (!context.terminal.canAsk())
        return false;
    IVM_TRY(const auto look, migrating.runner().look(request, context.call));
    request.goal = QString::number(look.goal.version);
    if (!look.plan.isDestructive())
        return false;
    for (const auto &planned : look.plan.migrations) {
        for (const auto &step : planned.steps) {
            if (step.loses())
                context.terminal.note(QStringLiteral("%1, step %2: %3: %4")
                                          .arg(planned.migration->label(),
                                               QString::number(step.number),
                                               operationText(step.step->operation), step.loss));
        }
    }
    return context.terminal.ask(u"Go on?");
}

}  // namespace

QList<OptionSpec> migrateOptions(const QList<OptionSpec> &own)
{
    QList<OptionSpec> out{
        {kNamespace, QStringLiteral("NAME"),
         QStringLiteral("the line of history, and its folder; default: default")},
        {kFolder, QStringLiteral("DIR"),
         QStringLiteral("where the files are; default: migrations, beside the configuration")}};
    out.append(own);
    return out;
}

QList<OptionSpec> runOptions()
{
    return migrateOptions({{kYes, {}, QStringLiteral("agree to what is lost, without being asked")},
                           {kWait, QStringLiteral("SECONDS"),
                            QStringLiteral("wait for another run to end; default: 0")}});
}

FolderRequest folderRequest(Context &context)
{
    Host &host = context.host();
    const auto &options = context.arguments.options;
    const QString folder = options.value(kFolder);
    return {.folder = folder.isEmpty()
                          ? QDir(host.config().folder).filePath(QStringLiteral("migrations"))
                          : QFileInfo(folder).absoluteFilePath(),
            .line = options.value(kNamespace, kDefaultLine.toString()),
            .defaults = host.tableDefaults(),
            .environment = host.config().environment};
}

std::variant<std::unique_ptr<Migrating>, Exit> Migrating::open(Context &context, BrokenFiles broken)
{
    if (!isConfigured(context))
        return Exit::Usage;
    std::unique_ptr<Migrating> out(new Migrating(readFolder(folderRequest(context))));
    const auto &problems = out->m_folder.problems;
    for (const auto &problem : problems) {
        if (broken == BrokenFiles::Warn)
            context.terminal.warning(problem);
        else
            context.terminal.error(problem);
    }
    if (!problems.isEmpty() && broken == BrokenFiles::End) {
        if (context.terminal.isJson())
            context.terminal.json(
                {{QStringLiteral("error"), errorJson(context.terminal.shown(problems.first()))}});
        return Exit::Usage;
    }
    Host &host = context.host();
    auto history = host.history();
    if (!history)
        return failWith(context, history.error());
    out->m_history = *history;
    out->m_host = &host;
    out->m_builder = makeViewBuilder(host, [&terminal = context.terminal](const QString &holder) {
        noteWaiting(terminal, holder);
    });
    out->m_executor = [&host] { return host.executor(); };
    out->m_defaults = host.tableDefaults();
    const RunServices services{.history = *out->m_history,
                               .executor = out->m_executor,
                               .builder = *out->m_builder,
                               .clock = out->m_clock,
                               .actor = migrationActor(host),
                               .defaults = out->m_defaults};
    out->m_runner = std::make_unique<Runner>(services);
    out->m_repair = std::make_unique<Repair>(services);
    return out;
}

Migrating::~Migrating() = default;

Result<QList<Error>> Migrating::estimate(Runner::Look &look, const QList<OtherView> &others,
                                         const Call &call)
{
    TableLooks looks(m_executor, call);
    IVM_CHECK(migrate::estimate(look.plan, look.history, {looks, *m_builder, m_defaults}, call));
    IVM_TRY(const auto views, ViewSet::make(look.history.views, others, m_defaults));
    return preflight(look.plan, views, looks, call);
}

RunRequest Migrating::request(Direction direction, const QString &goal) const
{
    return {.folder = m_folder,
            .direction = direction,
            .goal = goal,
            .others = otherViews(m_host->definitionsOfFile()),
            .progress = {}};
}

Exit exitFor(const Error &error)
{
    if (migrate::isDrift(error))
        return Exit::Differs;
    return error.code == u"usage" || error.code == u"migration" ? Exit::Usage : Exit::Failed;
}

Exit runMigrations(Context &context, Direction direction, const QString &goal)
{
    const auto wait = waitOf(context.arguments);
    if (!wait)
        return failWith(
            context,
            invalidError(QStringLiteral("--wait is no number of seconds")).withCode(u"usage"),
            Exit::Usage);
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    // The first migration may make the first table; the history may be kept beside it.
    if (const auto made = context.host().makeWarehouse(); !made)
        return failWith(context, made.error());
    RunPrinter printer(context);
    RunRequest request = migrating.request(direction, goal);
    request.wait = *wait;
    request.progress = printer.progress();
    const auto agreed = mayLose(context, migrating, request);
    if (!agreed)
        return failWith(context, agreed.error(), exitFor(agreed.error()));
    request.mayLose = *agreed;
    const auto outcome = migrating.runner().run(request, context.call);
    if (!outcome)
        return failWith(context, outcome.error(), exitFor(outcome.error()));
    return printer.finish(*outcome, direction);
}

QJsonArray planJson(const MigrationPlan &plan)
{
    QJsonArray out;
    for (const auto &planned : plan.migrations) {
        for (const auto &step : planned.steps) {
            if (step.state == StepState::Done)
                continue;
            QJsonArray reads;
            for (const auto &read : step.reads)
                reads.append(QJsonObject{
                    {QStringLiteral("table"), read.table.text()},
                    {QStringLiteral("rows"), read.rows ? QJsonValue(*read.rows) : QJsonValue()},
                    {QStringLiteral("exists"), read.isThere}});
            out.append(QJsonObject{
                {QStringLiteral("version"), planned.migration->version},
                {QStringLiteral("direction"), directionName(planned.direction)},
                {QStringLiteral("step"), step.number},
                {QStringLiteral("operation"), operationText(step.step->operation)},
                {QStringLiteral("statement"), step.statements.join(QStringLiteral(";\n"))},
                {QStringLiteral("destructive"), !step.loss.isEmpty()},
                {QStringLiteral("loss"), step.loss},
                {QStringLiteral("reads"), reads},
                {QStringLiteral("how"), step.how},
                {QStringLiteral("builds"),
                 step.changes ? QJsonValue(step.changes->text()) : QJsonValue()}});
        }
    }
    return out;
}

}  // namespace ivm::ctl
