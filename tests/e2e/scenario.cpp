#include "tests/e2e/scenario.h"

#include "framework/yaml/yaml.h"
#include "framework/view/outputs.h"
#include "framework/view/shape.h"

#include <QUuid>

namespace ivm::test {

namespace {

TableName freshSchema(Engine engine, Catalog catalog)
{
    const bool isEmbeddedInTrino = engine == Engine::Trino && catalog == Catalog::Shared;
    return {isEmbeddedInTrino ? QStringLiteral("embedded") : QStringLiteral("iceberg"),
            QStringLiteral("scenario_") + QUuid::createUuid().toString(QUuid::Id128).left(8),
            {}};
}

TestHost hostOf(Engine engine, const QString &folder, const TableName &defaults,
                const QString &stateFile = QStringLiteral("state.db"))
{
    const QString state = folder + u'/' + stateFile;
    if (engine == Engine::Embedded)
        return TestHost::embedded(folder, state);
    return TestHost::trino(defaults.catalog, defaults.schema, state);
}

// Calls somebody once, as soon as it has told the changes of a table.
class HeldDetector : public Detector {
public:
    HeldDetector(Detector &detector, std::function<void()> other)
        : m_detector(detector), m_other(std::move(other))
    {
    }

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override
    {
        return m_detector.heads(requests, call);
    }

    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override
    {
        auto told = m_detector.changes(request, call);
        if (const auto other = std::exchange(m_other, {}))
            other();
        return told;
    }

    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override
    {
        return m_detector.liveFiles(request, call);
    }

private:
    Detector &m_detector;
    std::function<void()> m_other;
};

}  // namespace

Scenario::Scenario(Engine engine, Catalog catalog)
    : m_engine(engine), m_defaults(freshSchema(engine, catalog)),
      m_host(hostOf(engine, m_folder.path(), m_defaults))
{
    auto session = m_host.executor().openSession({}, Call{});
    if (!session)
        qFatal("%s", qPrintable(session.error().text()));
    m_session = *std::move(session);
    run(QStringLiteral("CREATE SCHEMA @"));
}

Scenario::~Scenario()
{
    if (m_engine == Engine::Trino)
        (void)execute(*m_session, text(QStringLiteral("DROP SCHEMA @ CASCADE")), {});
}

QStringList Scenario::rows(const QString &sql)
{
    const auto result = query(*m_session, text(sql), {});
    if (!result)
        return {result.error().text()};
    QStringList lines;
    for (const auto &row : result->rows) {
        QStringList values;
        for (const auto &value : row)
            values.append(value.text());
        lines.append(values.join(u'|'));
    }
    return lines;
}

void Scenario::run(const QStringList &statements)
{
    for (const auto &sql : statements) {
        const auto done = execute(*m_session, text(sql), {});
        QVERIFY2(done, done ? "" : qPrintable(sql + QStringLiteral(": ") + done.error().text()));
    }
}

TableHead Scenario::head(const QString &table)
{
    const auto info = m_session->tableInfo({m_defaults.catalog, m_defaults.schema, table}, Call{});
    if (!info)
        qFatal("%s", qPrintable(info.error().text()));
    return info->head;
}

Result<View> Scenario::understood(const QString &name, const QString &query,
                                  const QStringList &keys) const
{
    View view;
    view.spec.name = name;
    view.spec.target = {m_defaults.catalog, m_defaults.schema, name};
    view.spec.query = text(query);
    view.spec.keys = keys;
    view.spec.queryPlace = {QStringLiteral("views.yaml"), 3, 12};
    IVM_TRY(view.shape, shapeOf(view.spec, m_defaults));
    return view;
}

View Scenario::view(const QString &name, const QString &query, const QStringList &keys) const
{
    auto view = understood(name, query, keys);
    if (!view)
        qFatal("%s", qPrintable(view.error().text()));
    return *std::move(view);
}

QString Scenario::refusal(const QString &name, const QString &query) const
{
    const auto view = understood(name, query);
    return view ? name : view.error().text();
}

Definitions Scenario::definitions(const QString &views) const
{
    const auto root = yaml::parse(text(views).toUtf8(), QStringLiteral("views.yaml"));
    if (!root)
        qFatal("%s", qPrintable(root.error().text()));
    return {readViews(*root, m_defaults), m_defaults};
}

std::unique_ptr<TestHost> Scenario::anotherHost(const QString &stateFile) const
{
    // A host does not move: parts of it know where it is.
    return std::unique_ptr<TestHost>(
        new TestHost(hostOf(m_engine, m_folder.path(), m_defaults, stateFile)));
}

QList<RefreshOutcome> Scenario::refresh(const QList<View> &views)
{
    const auto outcomes = Refresher(services()).refresh(views, RefreshMode::IfChanged, {});
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return *outcomes;
}

RefreshOutcome Scenario::refresh(const View &view, RefreshMode mode)
{
    const auto outcomes = Refresher(services()).refresh({view}, mode, {});
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return outcomes->front();
}

Explanation Scenario::explain(const View &view)
{
    auto explanation = Refresher(services()).explain(view, {});
    if (!explanation)
        qFatal("%s", qPrintable(explanation.error().text()));
    return *std::move(explanation);
}

VerifyOutcome Scenario::verify(const View &view)
{
    auto ours = services();
    const auto outcome = verifyView(ours, view, {}, {});
    if (!outcome)
        qFatal("%s", qPrintable(outcome.error().text()));
    return *outcome;
}

RefreshOutcome Scenario::refreshHeldAt(Hold hold, const View &view,
                                       const std::function<void()> &other)
{
    const auto ours = services();
    HeldDetector detector(ours.detector, hold == Hold::Measured ? other : nullptr);
    Refresher refresher({.executor = ours.executor,
                         .detector = detector,
                         .store = ours.store,
                         .clock = ours.clock,
                         .owner = ours.owner});
    const auto onStart = [&](const View &) {
        if (hold == Hold::Looked)
            other();
    };
    const auto outcomes = refresher.refresh({view}, RefreshMode::IfChanged, {}, onStart);
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return outcomes->front();
}

QString Scenario::refreshed(const View &view)
{
    const auto outcome = refresh(view);
    if (outcome.error)
        return outcome.error->text();
    const QString action = actionName(outcome.action);
    QString found = difference(view);
    if (found.isEmpty() && !verify(view).equal)
        found = QStringLiteral("verify says that it differs");
    return found.isEmpty() ? action : QString(action + QStringLiteral(", but ") + found);
}

void Scenario::python(const QString &what, const QString &table, QJsonObject arguments)
{
    if (!m_peer) {
        m_peer = std::make_unique<Peer>();
        const QString problem =
            m_peer->start(m_engine == Engine::Embedded ? m_folder.path()
                                                       : qEnvironmentVariable("IVM_TEST_EMBEDDED"));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
    arguments.insert(QStringLiteral("table"), QString(m_defaults.schema + u'.' + table));
    const auto answer = m_peer->ask(what, arguments);
    QVERIFY2(!answer.contains(u"error"), qPrintable(answer.value(u"error").toString()));
}

QString Scenario::difference(const View &view)
{
    const auto wanted = query(*m_session, view.shape.query, {});
    if (!wanted)
        return wanted.error().text();
    const auto stored =
        query(*m_session, QStringLiteral("SELECT * FROM %1").arg(view.spec.target.quoted()), {});
    if (!stored)
        return stored.error().text();
    const auto outputs = outputColumns(view.spec, view.shape, wanted->columns);
    if (!outputs)
        return outputs.error().text();
    return Oracle(*outputs).difference(*wanted, *stored);
}

}  // namespace ivm::test
