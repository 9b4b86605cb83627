// The one list of views: each with its owner, its hash, what it means, and why it is refused if it
// is.
//
// Plain data; any thread. Checks here what needs all views at once: names, targets, cycles.
#pragma once

#include "framework/api/history.h"
#include "framework/host/views_file.h"
#include "framework/view/graph.h"

namespace ivm {

// Who may change a definition.
enum class ViewOwner { File, Api, Migration };

QString ownerName(ViewOwner owner);  // "file" …

struct Definition {
    ViewSpec spec;
    ViewOwner owner = ViewOwner::File;
    QString migration;       // of the owner: "migration 0003"
    QList<SnapshotId> held;  // of the target, for a migration that is taken back
    Place place;
    QString hash;                    // of what decides the target's rows; empty when refused
    std::optional<ViewShape> shape;  // none when refused
    QList<Error> problems;           // any: the view is refused
    QList<Error> warnings;
    // Of a migration's view: an entry of views.yaml that says something else, which has no effect.
    std::optional<Error> contradiction;

    bool isRefused() const { return !problems.isEmpty(); }
};

class Definitions {
public:
    Definitions() = default;
    // `defaults` are the catalog and schema of bare names. Of a view that both have the migration
    // is the owner, and what it says is in force; where the file says something else, that is an
    // error beside it.
    Definitions(const ViewsFile &file, const TableName &defaults,
                const QList<MigratedView> &migrated = {});

    const QList<Definition> &all() const { return m_all; }
    const Definition *find(QStringView name) const;  // null when there is none
    // Of the list as a whole. Where there are any, what the list lacks is not known.
    const QList<Error> &problems() const { return m_problems; }

    // Those that are not refused, in the order in which they are to be refreshed.
    const QList<View> &views() const { return m_views; }
    // One that is not refused. NotFound, naming the nearest name; the view's first problem.
    Result<View> view(const QString &name) const;

private:
    void addMigrated(const MigratedView &view, const TableName &defaults);
    void addEntry(const ViewEntry &entry, const TableName &defaults);
    void understand(const TableName &defaults);
    void refuseDoubles();
    void refuseCycles();
    QList<View> usable() const;
    Definition *definitionOf(const View &view);

    QList<Definition> m_all;
    QList<Error> m_problems;
    QList<View> m_views;
};

}  // namespace ivm
