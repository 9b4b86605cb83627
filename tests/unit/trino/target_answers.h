// Answers of a stub about a target: where it stands, what a commit made of it, and what became of a
// query.
#pragma once

#include "tests/unit/trino/stub_session.h"

namespace ivm::trino {

const QString kQueryId = QStringLiteral("20260101_000000_00001_stubs");
const TableName kTarget{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("t")};
const TableHead kBefore{QStringLiteral("file:///w/t"),
                        QStringLiteral("file:///w/t/metadata/00001-a.metadata.json"), 7};
const TableHead kAfter{QStringLiteral("file:///w/t"),
                       QStringLiteral("file:///w/t/metadata/00002-b.metadata.json"), 8};

inline Intent exampleIntent()
{
    return {.id = QStringLiteral("i"),
            .view = QStringLiteral("v"),
            .target = kTarget,
            .targetHead = kBefore,
            .statementId = kQueryId,
            .summary = {}};
}

// A snapshot with its parent and what it added.
struct Made {
    qint64 id;
    qint64 parent;
    int added = 0;
};
// A table's metadata files, oldest first, each with its head.
using Log = QList<std::pair<QString, qint64>>;

// The answer to a look at the target. Without a log its metadata file before was kBefore's.
inline StubReply lookAnswer(const StubTrino &stub, const TableHead &head,
                            const std::optional<Made> &made = {}, Log log = {})
{
    if (log.isEmpty() && head != kBefore)
        log.append({kBefore.token, *kBefore.snapshot});
    if (log.isEmpty() || log.last().first != head.token)
        log.append({head.token, head.snapshot.value_or(0)});
    QByteArrayList rows;
    for (const auto &[file, itsHead] : log)
        rows.append("[\"" + file.toUtf8() + "\",\"t\"," + QByteArray::number(itsHead) +
                    ",null,null,null]");
    rows.append("[null,null," + QByteArray::number(head.snapshot.value_or(0)) + ",null,null,null]");
    if (made)
        rows.append("[null,null,null," + QByteArray::number(made->id) + ',' +
                    QByteArray::number(made->parent) + ",{\"added-records\":\"" +
                    QByteArray::number(made->added) + "\"}]");
    return stub.page(
        {},
        R"json("columns":[{"name":"file","type":"varchar"},{"name":"at","type":"varchar"},
        {"name":"head","type":"bigint"},{"name":"id","type":"bigint"},
        {"name":"parent","type":"bigint"},{"name":"summary","type":"map(varchar, varchar)"}],
        "data":[)json" +
            rows.join(',') + ']');
}

// The answer about a query's state; without a state it is not known. `asker` is the id of the
// statement that asked.
inline StubReply stateAnswer(const StubTrino &stub, const QByteArray &state, int tasks,
                             const QByteArray &asker = "20260101_000000_00009_stubs")
{
    const QByteArray data =
        state.isEmpty() ? QByteArray() : "[\"" + state + "\"," + QByteArray::number(tasks) + ']';
    StubReply reply =
        stub.page({},
                  R"("columns":[{"name":"state","type":"varchar"},{"name":"_col1","type":"bigint"}],
        "data":[)" + data +
                      ']');
    reply.body.replace(kQueryId.toUtf8(), asker);
    return reply;
}

}  // namespace ivm::trino
