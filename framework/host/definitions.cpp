#include "framework/host/definitions.h"

#include "framework/base/nearest.h"
#include "framework/migrate/version_text.h"
#include "framework/view/same_definition.h"

#include <algorithm>

namespace ivm {

namespace {

QString lineText(const Place &place) { return QStringLiteral("line %1").arg(place.line); }

// Where another view is written down.
QString whereText(const Definition &definition)
{
    return definition.owner == ViewOwner::Migration ? definition.migration
                                                    : lineText(definition.place);
}

Error contradictionOf(const ViewEntry &entry, const Definition &migrated)
{
    return invalidError(QStringLiteral("view '%1': this entry says something else than %2, which "
                                       "is in force")
                            .arg(entry.spec.name, migrated.migration))
        .withCode(u"same_name")
        .at(entry.place)
        .withHint(u"Apply the migration that says it, or write it ('ivmctl migrate revision "
                  u"--autogenerate'); or make the entry what is in force");
}

Error refusal(const Definition &definition, const QString &problem, const QString &code)
{
    return invalidError(QStringLiteral("view '%1': %2").arg(definition.spec.name, problem))
        .withCode(code)
        .at(definition.place);
}

}  // namespace

QString ownerName(ViewOwner owner)
{
    switch (owner) {
    case ViewOwner::File: return QStringLiteral("file");
    case ViewOwner::Api: return QStringLiteral("api");
    case ViewOwner::Migration: return QStringLiteral("migration");
    }
    Q_UNREACHABLE();
}

Definitions::Definitions(const ViewsFile &file, const TableName &defaults,
                         const QList<MigratedView> &migrated)
    : m_problems(file.problems)
{
    for (const auto &view : migrated)
        addMigrated(view, defaults);
    for (const auto &entry : file.views)
        addEntry(entry, defaults);
    refuseDoubles();
    understand(defaults);
    refuseCycles();
}

void Definitions::addMigrated(const MigratedView &view, const TableName &defaults)
{
    Definition definition;
    definition.owner = ViewOwner::Migration;
    definition.migration = migrate::ownerText(view);
    definition.place = {definition.migration, 0, 0};
    definition.spec.name = view.name;
    definition.held = view.held;
    auto spec = specOfEntry(view.definition.toUtf8(), definition.migration, defaults);
    if (spec)
        definition.spec = *std::move(spec);
    else
        definition.problems.append(std::move(spec).error());
    m_all.append(std::move(definition));
}

void Definitions::addEntry(const ViewEntry &entry, const TableName &defaults)
{
    const auto migrated = std::ranges::find_if(m_all, [&](const Definition &definition) {
        return definition.owner == ViewOwner::Migration && definition.spec.name == entry.spec.name;
    });
    if (migrated != m_all.end()) {
        if (!entry.problems.isEmpty())
            migrated->contradiction = entry.problems.first();
        else if (!sameDefinition(migrated->spec, entry.spec, defaults))
            migrated->contradiction = contradictionOf(entry, *migrated);
        return;
    }
    Definition definition;
    definition.spec = entry.spec;
    definition.place = entry.place;
    definition.problems = entry.problems;
    definition.warnings = entry.warnings;
    m_all.append(std::move(definition));
}

// All of them are refused, not only the later ones: which one is meant cannot be known.
void Definitions::refuseDoubles()
{
    QHash<QString, QList<qsizetype>> byName;
    QHash<TableName, QList<qsizetype>> byTarget;
    for (qsizetype i = 0; i < m_all.size(); ++i) {
        byName[m_all[i].spec.name].append(i);
        if (!m_all[i].isRefused())
            byTarget[m_all[i].spec.target].append(i);
    }
    const auto refuse = [&](const QList<qsizetype> &indexes, const auto &describe) {
        for (const qsizetype i : indexes) {
            const qsizetype other = i == indexes.first() ? indexes.at(1) : indexes.first();
            m_all[i].problems.append(describe(m_all.at(i), m_all.at(other)));
        }
    };
    for (const auto &indexes : std::as_const(byTarget)) {
        // Two of one name are told so below.
        const bool sameName = std::ranges::any_of(
            indexes, [&](qsizetype i) { return byName[m_all.at(i).spec.name].size() > 1; });
        if (indexes.size() > 1 && !sameName)
            refuse(indexes, [](const Definition &definition, const Definition &other) {
                return refusal(definition,
                               QStringLiteral("its target %1 is also that of view '%2' in %3")
                                   .arg(definition.spec.target.text(), other.spec.name,
                                        whereText(other)),
                               QStringLiteral("same_target"))
                    .withHint(u"Give one of them another target_table");
            });
    }
    for (const auto &indexes : std::as_const(byName)) {
        if (indexes.size() > 1)
            refuse(indexes, [](const Definition &definition, const Definition &other) {
                return refusal(definition,
                               QStringLiteral("the name is also given to the view in %1")
                                   .arg(whereText(other)),
                               QStringLiteral("same_name"))
                    .withHint(u"Rename or remove one of them");
            });
    }
}

void Definitions::understand(const TableName &defaults)
{
    for (auto &definition : m_all) {
        if (definition.isRefused())
            continue;
        auto shape = shapeOf(definition.spec, defaults);
        if (shape) {
            definition.shape = *std::move(shape);
            definition.hash = definition.spec.definitionHash();
        } else {
            definition.problems.append(std::move(shape).error());
        }
    }
}

QList<View> Definitions::usable() const
{
    QList<View> out;
    for (const auto &definition : m_all) {
        if (!definition.isRefused())
            out.append({definition.spec, *definition.shape});
    }
    return out;
}

Definition *Definitions::definitionOf(const View &view)
{
    const auto found = std::ranges::find_if(m_all, [&](const Definition &definition) {
        return !definition.isRefused() && definition.spec.name == view.spec.name;
    });
    return found == m_all.end() ? nullptr : &*found;
}

void Definitions::refuseCycles()
{
    const auto views = usable();
    const auto order = refreshOrder(views);
    for (const qsizetype index : order.inCycle) {
        if (Definition *definition = definitionOf(views[index])) {
            definition->problems.append(cycleError(views, index));
            definition->shape.reset();
            definition->hash.clear();
        }
    }
    for (const qsizetype index : order.order)
        m_views.append(views[index]);
}

const Definition *Definitions::find(QStringView name) const
{
    const auto found = std::ranges::find_if(
        m_all, [&](const Definition &definition) { return definition.spec.name == name; });
    return found == m_all.end() ? nullptr : &*found;
}

Result<View> Definitions::view(const QString &name) const
{
    const Definition *definition = find(name);
    if (!definition) {
        QStringList names;
        for (const auto &known : m_all)
            names.append(known.spec.name);
        return fail(notFoundError(QStringLiteral("there is no view named '%1'").arg(name))
                        .withCode(u"no_view")
                        .withHint(nearestHint(name, names)));
    }
    if (definition->isRefused())
        return fail(definition->problems.first());
    return View{definition->spec, *definition->shape};
}

}  // namespace ivm
