// Tables and views as somebody wants them, changed at random: what migrations are generated of.
//
// Plain data; one thread.
#pragma once

#include "framework/migrate/table_file.h"
#include "tests/e2e/history/dice.h"

#include <QMap>

namespace ivm::test {

class WantedState {
public:
    explicit WantedState(TableName defaults) : m_defaults(std::move(defaults)) {}

    QList<ViewSpec> views() const { return m_views.values(); }
    QList<migrate::TableFile> tables() const { return m_tables.values(); }
    // Tables and those of views, by name.
    QList<TableName> tableNames() const;

    // One to three changes; says which. None where they would leave a view without its columns.
    QStringList change(Dice &dice);
    // It is so now: columns have their names.
    void settle();

private:
    QString changeOnce(Dice &dice);
    // Whether every view reads columns that its table has.
    bool isConsistent() const;
    QString addTable(Dice &dice);
    QString changeTable(Dice &dice);
    QString addColumn(migrate::TableFile &file, Dice &dice);
    QString dropColumn(migrate::TableFile &file, Dice &dice);
    QString renameColumn(migrate::TableFile &file, Dice &dice);
    QString alterColumn(migrate::TableFile &file, Dice &dice);
    QString changeLayout(migrate::TableFile &file, Dice &dice);
    QString addView(Dice &dice);
    QString changeView(Dice &dice);
    ViewSpec viewSpec(const QString &name, Dice &dice) const;
    QString whole(const QString &table) const { return m_defaults.schema + u'.' + table; }
    QString fresh(const QString &kind) { return QStringLiteral("%1%2").arg(kind).arg(++m_last); }

    TableName m_defaults;
    QMap<QString, migrate::TableFile> m_tables;
    QMap<QString, ViewSpec> m_views;
    QSet<QString> m_partitioned;  // columns that a table was ever partitioned by
    int m_last = 0;
};

}  // namespace ivm::test
