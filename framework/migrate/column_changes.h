// What makes the columns of a table into those of its schema file.
//
// Plain data; any thread. Source of what can be changed under rows that are there: Iceberg table
// spec, "Schema Evolution".
#pragma once

#include "framework/migrate/generated_step.h"
#include "framework/migrate/table_file.h"

namespace ivm::migrate {

// Whether both are stored as the same type: timestamp is timestamp(6), names of fields are told
// apart without regard to case.
bool sameColumnType(const Type &left, const Type &right);
// Whether a column can become that type under rows that are there: bigint of integer, double of
// real, decimals of more digits. Dates and timestamps become nothing else in format version 2.
bool isWiderColumnType(const Type &from, const Type &to);

class ColumnChanges {
public:
    // Columns are the same that have the id of the file, or the name, or the name that the file
    // says they had. What cannot be done goes to `problems`.
    ColumnChanges(const TableFile &file, const TableInfo &applied, QList<Error> &problems);

    const QList<GeneratedStep> &first() const { return m_first; }  // renamed, added, altered
    const QList<GeneratedStep> &last() const { return m_last; }    // dropped

    // What a column of the table is called when the first steps are done, in lower case.
    QString nameAfter(const QString &column) const;
    // One that is added can be dropped again, but not where something has come to need it.
    void keepAdded(const QString &column, const QString &why);

private:
    struct Match {
        qsizetype wanted = -1;
        qsizetype there = -1;
    };

    void match();
    qsizetype matchById(qsizetype wanted);
    void reportUnknownId(qsizetype wanted);
    void addRenames();
    void rename(const Match &match);
    void addColumn(qsizetype wanted);
    void alter(const Match &match);
    std::optional<Type> widened(const Match &match);
    void drop(qsizetype there);
    QString hintOnNames() const;
    void report(const QString &message, const Place &place, QStringView hint);

    const Column &wanted(qsizetype index) const { return m_file.table.spec.columns[index]; }
    const Column &there(qsizetype index) const { return m_applied.columns[index]; }
    const TableName &table() const { return m_file.table.spec.name; }

    const TableFile &m_file;
    const TableInfo &m_applied;
    QList<Error> &m_problems;
    QList<Match> m_matches;
    QList<qsizetype> m_new;   // indexes of columns that are wanted
    QList<qsizetype> m_gone;  // indexes of columns that are there
    QMap<QString, QString> m_renamed;
    QList<GeneratedStep> m_first;
    QList<GeneratedStep> m_last;
};

}  // namespace ivm::migrate
