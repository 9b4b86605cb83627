#include "plugins/detector_trino/history.h"

#include "plugins/detector_trino/cells.h"

namespace ivm::trino {

Result<QList<iceberg::SnapshotNode>> readHistory(Session &session, const TableName &table,
                                                 const Call &call)
{
    const QString sql = QStringLiteral("SELECT snapshot_id, parent_id, operation, summary FROM ") +
                        table.quotedMetadataTable(u"snapshots");
    IVM_TRY(const auto rows, query(session, sql, call));
    QList<iceberg::SnapshotNode> nodes;
    for (const auto &row : rows.rows) {
        const auto id = wholeIn(row, 0);
        const auto *summary =
            row.size() == 4 ? std::get_if<std::vector<Value>>(&row[3].data) : nullptr;
        if (!id)
            return fail(corruptError(
                QStringLiteral("table %1 has a snapshot without an id").arg(table.text())));
        iceberg::SnapshotNode node{.id = *id, .parent = wholeIn(row, 1)};
        for (size_t i = 0; summary && i + 1 < summary->size(); i += 2)
            node.summary.insert(textIn(*summary, i), textIn(*summary, i + 1));
        node.summary.insert(QStringLiteral("operation"), textIn(row, 2));
        nodes.append(node);
    }
    return nodes;
}

}  // namespace ivm::trino
