// The views there are at some point of a migration, and what must not happen to them: each step is
// tried here before anything runs, so that a run is not refused half way.
//
// Plain data; any thread.
#pragma once

#include "framework/api/history.h"
#include "framework/migrate/operation_reader.h"
#include "framework/view/graph.h"

namespace ivm::migrate {

// A view of another owner than migrations.
struct OtherView {
    View view;
    QString owner;  // for people: "views.yaml:12"
};

// What a replace_view has put aside, newest first when followed.
struct EarlierVersion {
    qint64 version = 0;
    ViewSpec spec;
    QByteArray target;  // the builder's own
    QList<SnapshotId> held;
    QString earlier;  // of that version itself
};
QString earlierText(const EarlierVersion &earlier, const TableName &defaults);
Result<EarlierVersion> readEarlier(const MigratedView &view, const TableName &defaults);
// What a view may come back to that a replace_view of `version` makes: the one that it replaces;
// or, where that is of a later migration, which is being taken back, the one before it.
Result<QString> earlierBehind(const EarlierVersion &replaced, qint64 version,
                              const TableName &defaults);
// The same as a version of the view as it is called now, which may have been renamed since.
Result<EarlierVersion> earlierOf(const MigratedView &view, const ViewSpec &now,
                                 const TableName &defaults);
// What all that the view may come back to needs of its target.
Result<QList<SnapshotId>> heldOf(MigratedView view, const TableName &defaults);

class ViewSet {
public:
    // The history's views of all lines, and those of other owners. Corrupt for a stored definition
    // that is none.
    static Result<ViewSet> make(const QList<MigratedView> &migrated, const QList<OtherView> &others,
                                const TableName &defaults);

    struct Known {
        View view;
        QString owner;
        std::optional<MigratedView> migrated;  // none: of another owner
    };
    const QList<Known> &all() const { return m_all; }
    const Known *find(QStringView name) const;
    const Known *findTarget(const TableName &table) const;  // the view whose table it is

    // Does to the list what the step does. Invalid, Conflict, NotFound, with the step's place,
    // where it would break something: a name that is taken, a view that is not there or another's,
    // a table or column that a view reads (naming all that do), the rows of a view's own table.
    Status apply(const Step &step, const QString &line, qint64 version);
    // Without the views of other owners.
    ViewSet ofMigrations() const;
    // Forgets views of other owners of which migrations say the same in `last`.
    void leaveOut(const ViewSet &last);
    // Invalid, naming them, where views read themselves through others.
    Status checkCycles() const;

private:
    explicit ViewSet(TableName defaults) : m_defaults(std::move(defaults)) {}

    Status create(const ViewSpec &spec, const QString &line, qint64 version);
    Status replace(const ViewSpec &spec, const QString &line, qint64 version);
    Status restore(const RestoreView &node, const QString &line);
    Status drop(const DropView &node, const QString &line);
    Status rename(const RenameView &node, const QString &line, qint64 version);
    Status checkTable(const TableName &table, QStringView what) const;
    Status checkColumn(const TableName &table, const QString &column, QStringView what) const;
    Status checkRows(const TableName &table) const;
    Status checkSchema(const TableName &schema) const;
    Status checkReadersKeep(const View &before, const View &after) const;
    Status checkFree(const ViewSpec &spec) const;
    Result<Known *> own(const QString &name, const QString &line);
    QStringList readers(const TableName &table, const QString &column = {}) const;

    TableName m_defaults;
    QList<Known> m_all;
};

// The view under its other name; the target goes along where it was named after the view.
ViewSpec renamed(const ViewSpec &spec, const QString &to, const TableName &defaults);

}  // namespace ivm::migrate
