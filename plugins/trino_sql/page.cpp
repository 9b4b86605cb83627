#include "plugins/trino_sql/page.h"

namespace ivm::trino {

namespace {

const QString kWhat = QStringLiteral("Trino's answer");

Error misfit(const QString &why)
{
    return corruptError(kWhat + QStringLiteral(": ") + why)
        .withHint(u"Is there a Trino at this address, or a proxy in between?");
}

Result<Column> readColumn(const JsonNode &node)
{
    const auto *name = node.member(u"name");
    const QString typeText = node.memberText(u"type");
    if (!name || !name->text() || typeText.isEmpty())
        return fail(misfit(QStringLiteral("a column has no name or no type")));
    const auto type = parseType(typeText);
    if (!type)
        return fail(unsupportedError(QStringLiteral("column %1 has type %2, which is not handled")
                                         .arg(*name->text(), typeText))
                        .withHint(u"Cast it to varchar in the query"));
    return Column{.name = *name->text(), .type = *type};
}

Status readColumns(const JsonNode &node, Page &page)
{
    const auto *items = node.items();
    if (!items)
        return fail(misfit(QStringLiteral("\"columns\" is not a list")));
    QList<Column> columns;
    for (const auto &item : *items) {
        IVM_TRY(auto column, readColumn(item));
        columns.append(column);
    }
    page.columns = columns;
    return {};
}

Status readNextUri(const JsonNode &node, Page &page)
{
    const auto *text = node.text();
    page.nextUri = text ? QUrl(*text, QUrl::StrictMode) : QUrl();
    if (!page.nextUri.isValid() || page.nextUri.isRelative())
        return fail(misfit(QStringLiteral("\"nextUri\" is not a URL")));
    return {};
}

const JsonNode *present(const JsonNode &root, QStringView name)
{
    const auto *node = root.member(name);
    return node && !node->isNull() ? node : nullptr;
}

void readStats(const JsonNode &stats, Page &page)
{
    page.state = stats.memberText(u"state");
    page.processedRows = stats.memberInteger(u"processedRows").value_or(0);
    page.processedBytes = stats.memberInteger(u"processedBytes").value_or(0);
}

void readWarnings(const JsonNode &warnings, Page &page)
{
    const auto *items = warnings.items();
    if (!items)
        return;
    for (const auto &warning : *items) {
        // A poll of many tables has that many on purpose, and would tell so each time.
        const auto *code = warning.member(u"warningCode");
        if (code && code->memberText(u"name") == u"TOO_MANY_STAGES")
            continue;
        if (const QString message = warning.memberText(u"message"); !message.isEmpty())
            page.warnings.append(message);
    }
}

Status readData(JsonNode root, Page &page)
{
    auto *members = std::get_if<JsonMembers>(&root.data);
    for (auto &[name, node] : *members) {
        if (name != u"data" || node.isNull())
            continue;
        auto *items = std::get_if<JsonItems>(&node.data);
        if (node.member(u"segments"))
            return fail(unsupportedError(
                            QStringLiteral("Trino spools its results, which was not asked for"))
                            .withHint(u"Is there a proxy in between that asks for it?"));
        if (!items)
            return fail(misfit(QStringLiteral("\"data\" is not a list of rows")));
        page.data = std::move(*items);
    }
    return {};
}

}  // namespace

Result<Page> readPage(JsonNode root, const QByteArray &bytes)
{
    Page page;
    page.bytes = bytes;
    page.id = root.memberText(u"id");
    if (page.id.isEmpty())
        return fail(misfit(QStringLiteral("\"id\" is missing")));
    if (const auto *error = present(root, u"error"))
        page.error = readTrinoError(*error);
    if (const auto *next = present(root, u"nextUri"))
        IVM_CHECK(readNextUri(*next, page));
    if (const auto *columns = present(root, u"columns"); columns && !page.error)
        IVM_CHECK(readColumns(*columns, page));
    if (const auto *stats = present(root, u"stats"))
        readStats(*stats, page);
    if (const auto *warnings = present(root, u"warnings"))
        readWarnings(*warnings, page);
    page.updateType = root.memberText(u"updateType");
    page.updateCount = root.memberInteger(u"updateCount");
    IVM_CHECK(readData(std::move(root), page));
    return page;
}

Result<Page> readPage(const QByteArray &bytes)
{
    auto root = parseRawJson(bytes, kWhat);
    if (!root)
        return fail(std::move(root).error().withHint(
            u"Is there a Trino at this address, or a proxy in between?"));
    return readPage(*std::move(root), bytes);
}

}  // namespace ivm::trino
