#include "framework/migrate/table_file.h"

#include "framework/migrate/sort_text.h"
#include "framework/yaml/fields.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <limits>

namespace ivm::migrate {

namespace {

const QString kWas = QStringLiteral("was");
const QString kId = QStringLiteral("id");

Error problem(QString message, Place place, QStringView hint = {})
{
    return invalidError(std::move(message)).withCode(u"schema").at(std::move(place)).withHint(hint);
}

// Reads the hints of a column, and takes them away from what the reader of operations gets.
TableFile::ColumnHint takeHint(yaml::Node &column, QList<Error> &problems)
{
    const auto isHint = [](const yaml::Entry &entry) {
        return entry.key == kWas || entry.key == kId;
    };
    yaml::Node hints = column;
    std::erase_if(hints.entries, [&](const yaml::Entry &entry) { return !isHint(entry); });
    std::erase_if(column.entries, isHint);
    Fields fields(hints, QStringLiteral("column"), problems);
    TableFile::ColumnHint out{
        .was = fields.text(kWas).value_or(QString()).toLower(),
        .id = int(fields.integer(kId, 1, std::numeric_limits<int>::max()).value_or(0)),
        .place = column.place};
    fields.finish();
    return out;
}

QList<TableFile::ColumnHint> takeHints(yaml::Node &root, QList<Error> &problems)
{
    QList<TableFile::ColumnHint> out;
    for (auto &entry : root.entries) {
        if (entry.key != u"columns")
            continue;
        for (auto &column : entry.value.items) {
            if (column.kind == yaml::Node::Kind::Map)
                out.append(takeHint(column, problems));
        }
    }
    return out;
}

class Check {
public:
    Check(const TableFile &file, QList<Error> &problems) : m_file(file), m_problems(problems) {}

    void run()
    {
        checkColumns();
        const auto &spec = m_file.table.spec;
        for (const auto &field : spec.partitioning)
            checkKnown(field.column, u"partitioning");
        for (const auto &text : spec.sortedBy)
            checkKnown(sortColumn(text), u"sorted_by");
        for (auto it = m_file.table.properties.cbegin(); it != m_file.table.properties.cend();
             ++it) {
            if (!it.value())
                report(QStringLiteral("property '%1' has no value").arg(it.key()), m_file.place,
                       u"Say which it shall have, or leave it out");
        }
    }

private:
    void report(const QString &message, const Place &place, QStringView hint)
    {
        m_problems.append(
            problem(QStringLiteral("table %1: ").arg(m_file.table.spec.name.text()) + message,
                    place, hint));
    }

    void checkColumns()
    {
        QSet<QString> names;
        QSet<QString> earlier;
        QSet<int> ids;
        for (qsizetype i = 0; i < m_file.hints.size(); ++i) {
            const QString &name = m_file.table.spec.columns[i].name;
            const auto &hint = m_file.hints[i];
            if (names.contains(name))
                report(QStringLiteral("column '%1' is there twice").arg(name), hint.place,
                       u"Names are told apart without regard to case");
            if (!hint.was.isEmpty() && earlier.contains(hint.was))
                report(QStringLiteral("two columns were '%1'").arg(hint.was), hint.place,
                       u"One column becomes one");
            if (hint.id != 0 && ids.contains(hint.id))
                report(QStringLiteral("two columns have the id %1").arg(hint.id), hint.place,
                       u"Each has its own");
            names.insert(name);
            earlier.insert(hint.was);
            ids.insert(hint.id);
        }
    }

    void checkKnown(const QString &name, QStringView key)
    {
        const auto &columns = m_file.table.spec.columns;
        const auto isIt = [&](const Column &column) {
            return column.name.compare(name, Qt::CaseInsensitive) == 0;
        };
        if (!std::ranges::any_of(columns, isIt))
            report(QStringLiteral("'%1' names column '%2', which it does not have").arg(key, name),
                   m_file.place, u"Name one of its columns");
    }

    const TableFile &m_file;
    QList<Error> &m_problems;
};

// As create_table's fields are read.
std::optional<Step> readTable(const yaml::Node &root, const TableName &defaults,
                              QList<Error> &problems)
{
    yaml::Node list{.kind = yaml::Node::Kind::List, .place = root.place, .text = {}};
    yaml::Node step{.kind = yaml::Node::Kind::Map, .place = root.place, .text = {}};
    step.entries.push_back({QStringLiteral("create_table"), root.place, root});
    list.items.push_back(std::move(step));
    const auto steps = readSteps(list, defaults, problems);
    return steps.isEmpty() ? std::nullopt : std::optional(steps.first());
}

}  // namespace

std::optional<TableFile> readTableFile(const QByteArray &bytes, const QString &file,
                                       const TableName &defaults, QList<Error> &problems)
{
    auto root = yaml::parse(bytes, file);
    if (!root) {
        problems.append(root.error());
        return std::nullopt;
    }
    if (root->kind != yaml::Node::Kind::Map) {
        problems.append(problem(QStringLiteral("the file holds %1, expected a map with name and "
                                               "columns")
                                    .arg(root->kindName()),
                                {file, 1, 1}));
        return std::nullopt;
    }
    QList<Error> own;
    const auto hints = takeHints(*root, own);
    const auto step = readTable(*root, defaults, own);
    std::optional<TableFile> out;
    if (step && own.isEmpty()) {
        out = TableFile{std::get<CreateTable>(step->operation), {file, 1, 1}, hints};
        Check(*out, own).run();
    }
    sortByPlace(own);
    problems.append(own);
    return own.isEmpty() ? out : std::nullopt;
}

TableFiles readTableFiles(const QString &folder, const TableName &defaults)
{
    TableFiles out;
    const QDir dir(folder);
    for (const auto &name : dir.entryList({QStringLiteral("*.yaml")}, QDir::Files, QDir::Name)) {
        const QString path = dir.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            out.problems.append(
                unavailableError(
                    QStringLiteral("the file cannot be read: %1").arg(file.errorString()))
                    .at({path, 0, 0}));
            continue;
        }
        const auto table =
            readTableFile(file.read(yaml::kMaxBytes + 1), path, defaults, out.problems);
        if (!table)
            continue;
        const auto same = std::ranges::find_if(out.tables, [&](const TableFile &other) {
            return other.table.spec.name == table->table.spec.name;
        });
        if (same == out.tables.end())
            out.tables.append(*table);
        else
            out.problems.append(
                problem(QStringLiteral("table %1 is also that of %2")
                            .arg(table->table.spec.name.text(), same->place.file.section(u'/', -1)),
                        table->place, u"Keep one of the two files"));
    }
    std::ranges::sort(out.tables, {}, [](const TableFile &file) { return file.table.spec.name; });
    return out;
}

}  // namespace ivm::migrate
