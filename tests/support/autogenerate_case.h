// What a migration is generated of, written as the golden cases of it are: parts, each behind a
// line "@ kind":
//     @ applied views     entries as in views.yaml, of the line `default`
//     @ other line        the same, of the line `sales`
//     @ others            the same, of another owner
//     @ applied table     as a schema file; `id` gives the ids, `properties` are Iceberg's
//     @ views             entries of views.yaml; without this part there is no such file
//     @ schema            a schema file
//     @ no schema         schemas of tables are not there
#pragma once

#include "framework/migrate/autogenerate.h"

#include <QJsonDocument>

#include <algorithm>

namespace ivm::test {

inline const TableName kGenerateDefaults{QStringLiteral("iceberg"), QStringLiteral("main"),
                                         QString()};

// The tables that a test says there are.
class GivenTables final : public migrate::AppliedTables {
public:
    Result<std::optional<migrate::AppliedTable>> table(const TableName &name) override
    {
        const auto found = std::ranges::find(
            tables, name, [](const migrate::AppliedTable &table) { return table.info.name; });
        return found == tables.end() ? std::nullopt : std::optional(*found);
    }
    Result<bool> hasSchema(const TableName &) override { return hasSchemas; }

    QList<migrate::AppliedTable> tables;
    bool hasSchemas = true;
};

class AutogenerateCase {
public:
    explicit AutogenerateCase(const QString &input)
    {
        m_folder.line = QStringLiteral("default");
        QString kind;
        QString text;
        for (const auto &one : input.split(u'\n')) {
            if (one.startsWith(u"@ ")) {
                take(kind, text);
                kind = one.sliced(2).trimmed();
                text.clear();
            } else {
                text += one + u'\n';
            }
        }
        take(kind, text);
    }

    migrate::Generated generate()
    {
        migrate::AutogenerateRequest request{.folder = m_folder,
                                             .history = m_history,
                                             .views = m_views,
                                             .tables = m_tables,
                                             .others = m_others,
                                             .defaults = kGenerateDefaults,
                                             .applied = m_applied};
        auto out = migrate::autogenerate(request);
        if (!out)
            qFatal("%s", qPrintable(out.error().text()));
        out->problems = m_problems + out->problems;
        return *out;
    }

private:
    QList<ViewSpec> specsOf(const QString &text, const QString &file)
    {
        QList<ViewSpec> out;
        const auto root = yaml::parse(text.toUtf8(), file);
        if (!root)
            qFatal("%s", qPrintable(root.error().text()));
        for (const auto &item : root->items) {
            const auto entry = readViewEntry(item, QStringLiteral("nameless"), kGenerateDefaults);
            m_problems += entry.problems;
            out.append(entry.spec);
        }
        return out;
    }

    void own(const QString &line, const QList<ViewSpec> &specs)
    {
        for (const auto &spec : specs) {
            const auto entry = QJsonDocument(entryOf(spec, kGenerateDefaults));
            m_history.views.append(
                {.name = spec.name,
                 .line = line,
                 .version = 1,
                 .definition = QString::fromUtf8(entry.toJson(QJsonDocument::Compact)),
                 .earlier = {},
                 .held = {}});
        }
    }

    void addOthers(const QList<ViewSpec> &specs)
    {
        for (const auto &spec : specs) {
            auto shape = shapeOf(spec, kGenerateDefaults);
            if (!shape)
                qFatal("%s", qPrintable(shape.error().text()));
            m_others.append({View{spec, *shape}, QStringLiteral("views.yaml:1")});
        }
    }

    void addTable(const migrate::TableFile &file)
    {
        const auto &spec = file.table.spec;
        migrate::AppliedTable table;
        table.info = {.name = spec.name,
                      .columns = spec.columns,
                      .partitioning = spec.partitioning,
                      .sortedBy = spec.sortedBy,
                      .head = {},
                      .headSummary = {},
                      .comment = spec.comment};
        for (qsizetype i = 0; i < file.hints.size(); ++i)
            table.info.columns[i].fieldId = file.hints[i].id;
        const auto &properties = file.table.properties;
        for (auto it = properties.cbegin(); it != properties.cend(); ++it) {
            if (!table.properties)
                table.properties.emplace();
            QString value = it->value_or(QString());
            table.properties->insert(it.key(), value.remove(u'\''));
        }
        m_applied.tables.append(table);
    }

    void take(const QString &kind, const QString &text)
    {
        const QString file =
            kind == u"schema" ? QStringLiteral("schema/t.yaml") : QStringLiteral("views.yaml");
        if (kind == u"applied views")
            own(m_folder.line, specsOf(text, file));
        else if (kind == u"other line")
            own(QStringLiteral("sales"), specsOf(text, file));
        else if (kind == u"others")
            addOthers(specsOf(text, file));
        else if (kind == u"views")
            m_views = specsOf(text, file);
        else if (kind == u"no schema")
            m_applied.hasSchemas = false;
        else if (kind == u"schema" || kind == u"applied table")
            takeTable(kind, text, file);
        else if (!kind.isEmpty())
            qFatal("no part of a case is called '%s'", qPrintable(kind));
    }

    void takeTable(const QString &kind, const QString &text, const QString &file)
    {
        const auto table =
            migrate::readTableFile(text.toUtf8(), file, kGenerateDefaults, m_problems);
        if (!table)
            return;
        if (kind == u"schema")
            m_tables.append(*table);
        else
            addTable(*table);
    }

    migrate::MigrationFolder m_folder;
    MigrationHistory m_history;
    std::optional<QList<ViewSpec>> m_views;
    QList<migrate::TableFile> m_tables;
    QList<migrate::OtherView> m_others;
    GivenTables m_applied;
    QList<Error> m_problems;
};

}  // namespace ivm::test
