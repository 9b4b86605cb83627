// One engine, a schema of the test's own, and views that are refreshed and compared with their
// query: what the scenario tests are told in.
//
// One thread. Lifetime: of one test function; the schema's tables go with it.
#pragma once

#include "framework/refresh/verify.h"
#include "tests/support/oracle.h"
#include "tests/support/test_host.h"

#include <QTemporaryDir>

namespace ivm::test {

enum class Engine { Embedded, Trino };

class Scenario {
public:
    explicit Scenario(Engine engine);
    ~Scenario();

    Engine engine() const { return m_engine; }
    TestHost &host() { return m_host; }
    RefreshServices services() { return m_host.services(); }

    // The rows that a statement gives, a row a string and its values joined by '|', in their order;
    // or its error alone. '@' in the text stands for the schema.
    QStringList rows(const QString &sql);
    // Runs statements; fails the test, with the statement, where one fails.
    void run(const QStringList &statements);
    void run(const QString &sql) { run(QStringList(sql)); }

    // A view of that name, with the table of that name; the query is said again to change it.
    View view(const QString &name, const QString &query) const;

    // What a refresh did, after which the table equals the query and verify says so too: the
    // action's name. Else what is wrong: the error's text, or the difference.
    QString refreshed(const View &view);

private:
    QString difference(const View &view);
    QString text(QString sql) const { return sql.replace(u'@', m_schema); }

    Engine m_engine;
    QTemporaryDir m_folder;
    QString m_schema;
    TestHost m_host;
    std::unique_ptr<Session> m_session;
};

}  // namespace ivm::test
