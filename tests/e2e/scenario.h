// One engine, a schema of the test's own, and views that are refreshed and compared with their
// query: what the scenario tests are told in.
//
// One thread. Lifetime: of one test function; the schema's tables go with it.
#pragma once

#include "framework/host/definitions.h"
#include "framework/refresh/verify.h"
#include "tests/interop/iceberg/peer.h"
#include "tests/support/oracle.h"
#include "tests/support/test_host.h"

#include <QTemporaryDir>

namespace ivm::test {

enum class Engine { Embedded, Trino };

// Who else reaches the tables of a Trino; everybody reaches those of the embedded engine.
enum class Catalog {
    OfTrino,
    Shared,  // the embedded engine's: PyIceberg writes there too
};

class Scenario {
public:
    explicit Scenario(Engine engine, Catalog catalog = Catalog::OfTrino);
    ~Scenario();

    Engine engine() const { return m_engine; }
    TestHost &host() { return m_host; }
    RefreshServices services() { return m_host.services(); }
    // Another program's host over the same tables, with its state in a file of that name; the
    // scenario's own is state.db.
    std::unique_ptr<TestHost> anotherHost(const QString &stateFile) const;
    const QString &schema() const { return m_defaults.schema; }
    QString folder() const { return m_folder.path(); }  // state; the warehouse too, where embedded

    // The rows that a statement gives, a row a string and its values joined by '|', in their order;
    // or its error alone. '@' in the text stands for the schema.
    QStringList rows(const QString &sql);
    // Runs statements; fails the test, with the statement, where one fails.
    void run(const QStringList &statements);
    void run(const QString &sql) { run(QStringList(sql)); }

    // The state of a table of the schema.
    TableHead head(const QString &table);

    // A view of that name, with the table of that name; the query is said again to change it.
    View view(const QString &name, const QString &query, const QStringList &keys = {}) const;
    // Those of a views file.
    Definitions definitions(const QString &views) const;
    // Why such a view is refused; the view's name when it is not.
    QString refusal(const QString &name, const QString &query) const;

    // What a refresh does, to several views in their order, and what it would do.
    RefreshOutcome refresh(const View &view, RefreshMode mode = RefreshMode::IfChanged);
    QList<RefreshOutcome> refresh(const QList<View> &views);
    Explanation explain(const View &view);
    VerifyOutcome verify(const View &view);

    // The same, while somebody else works: at once after the tables were looked at, or later, after
    // what changed in them was measured.
    enum class Hold { Looked, Measured };
    RefreshOutcome refreshHeldAt(Hold hold, const View &view, const std::function<void()> &other);

    // What a refresh did, after which the table equals the query and verify says so too: the
    // action's name. Else what is wrong: the error's text, or the difference.
    QString refreshed(const View &view);
    // How the table differs from the query, both read whole; empty where it does not.
    QString difference(const View &view);

    // PyIceberg does to a table what the function of that name in peer.py does. Fails the test
    // where that fails. Only where the catalog is shared.
    void python(const QString &what, const QString &table, QJsonObject arguments = {});

private:
    Result<View> understood(const QString &name, const QString &query,
                            const QStringList &keys = {}) const;
    QString text(QString sql) const { return sql.replace(u'@', m_defaults.schema); }

    Engine m_engine;
    QTemporaryDir m_folder;
    TableName m_defaults;
    TestHost m_host;
    std::unique_ptr<Peer> m_peer;
    std::unique_ptr<Session> m_session;
};

}  // namespace ivm::test
