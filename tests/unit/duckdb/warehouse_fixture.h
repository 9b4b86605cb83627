// A warehouse in a temporary folder, and verbs that make a test read as a story.
//
// One thread.
#pragma once

#include "plugins/executor_duckdb/executor.h"
#include "plugins/executor_duckdb/session.h"
#include "plugins/executor_duckdb/table/rewrite.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

namespace ivm::duckdb {

class WarehouseFixture {
public:
    WarehouseFixture() : WarehouseFixture(QStringLiteral("/ivm-data")) {}
    explicit WarehouseFixture(const QString &folder)
        : m_executor({.warehouse = m_directory.path() + folder}), m_session(m_executor)
    {
    }

    EmbeddedExecutor &executor() { return m_executor; }
    EmbeddedSession &session() { return m_session; }
    QString folder() { return m_executor.warehouse().folder(); }
    QString scratch() const { return m_directory.path(); }

    Result<StatementResult> attempt(const QString &sql, const Call &call = {})
    {
        return execute(m_session, sql, call);
    }

    // Runs a statement that must work; gives how many rows it changed.
    qint64 run(const QString &sql)
    {
        const auto result = attempt(sql);
        if (!result)
            QTest::qFail(qPrintable(sql + QStringLiteral(": ") + result.error().text()), __FILE__,
                         __LINE__);
        return result ? result->rowsAffected : -1;
    }

    Error failure(const QString &sql)
    {
        const auto result = attempt(sql);
        if (result)
            QTest::qFail(qPrintable(sql + QStringLiteral(": worked")), __FILE__, __LINE__);
        return result ? Error{} : result.error();
    }

    // Each row as "a|b|c".
    QStringList rows(const QString &sql)
    {
        const auto found = query(m_session, sql, {});
        if (!found) {
            QTest::qFail(qPrintable(sql + QStringLiteral(": ") + found.error().text()), __FILE__,
                         __LINE__);
            return {};
        }
        QStringList lines;
        for (const auto &row : found->rows) {
            QStringList values;
            for (const auto &value : row)
                values.append(value.text());
            lines.append(values.join(u'|'));
        }
        return lines;
    }

    TableInfo info(const char *table)
    {
        const auto found = m_session.tableInfo(name(table), {});
        if (!found)
            QTest::qFail(qPrintable(found.error().text()), __FILE__, __LINE__);
        return found.value_or(TableInfo{});
    }

    TableName name(const char *table) const
    {
        return {QStringLiteral("iceberg"), QStringLiteral("main"), QString::fromLatin1(table)};
    }

    // The table and its live files, as the format tells them; ends the program where there is none.
    iceberg::Table table(const char *of)
    {
        const auto open = executor().warehouse().reading();
        auto table = iceberg::loadTable(*open, name(of));
        if (!table)
            qFatal("%s", qPrintable(table.error().text()));
        return *table;
    }
    iceberg::LiveFiles liveFiles(const char *of)
    {
        const auto open = executor().warehouse().reading();
        const auto metadata = table(of).metadata;
        if (!metadata.currentSnapshot())
            qFatal("the table has no rows");
        auto files = iceberg::liveFiles(open->io, metadata, *metadata.currentSnapshot(), {}, {});
        if (!files)
            qFatal("%s", qPrintable(files.error().text()));
        return *files;
    }

    // Makes table `v` hold what the query gives, as a refresh does.
    Result<CommitResult> replaceAll(const QList<OutputColumn> &columns, const QString &query)
    {
        const Intent intent{.id = QStringLiteral("intent"),
                            .view = QStringLiteral("v"),
                            .target = name("v"),
                            .targetHead = info("v").head,
                            .statementId = {},
                            .summary = {{QStringLiteral("ivm.bookmark"), QStringLiteral("{}")}}};
        return m_session.commit(ReplaceAll{{name("v"), columns, query}}, intent, {}, {});
    }

    qint64 head(const char *table) { return info(table).head.snapshot.value_or(0); }

    // The paths of the table's live data files, in order.
    QStringList dataFiles(const char *table)
    {
        return rows(QStringLiteral("SELECT file_path FROM \"%1$files\" ORDER BY 1")
                        .arg(QString::fromLatin1(table)));
    }

    // Every file and folder below the warehouse's data folders, in order.
    QStringList filesOnDisk()
    {
        QStringList found;
        QDirIterator iterator(folder(), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                              QDirIterator::Subdirectories);
        while (iterator.hasNext()) {
            const QString path = iterator.next();
            if (path.contains(QStringLiteral("/data/")))
                found.append(path);
        }
        found.sort();
        return found;
    }

private:
    // In memory where there is such a folder: most tests would otherwise wait for the disk.
    static QString temporary()
    {
        const QFileInfo memory(QStringLiteral("/dev/shm"));
        return (memory.isWritable() ? memory.filePath() : QDir::tempPath()) +
               QStringLiteral("/ivm-XXXXXX");
    }

    QTemporaryDir m_directory{temporary()};
    EmbeddedExecutor m_executor;
    EmbeddedSession m_session;
};

}  // namespace ivm::duckdb
