// The migration files of one folder: numbered, each with the way up and the way down.
//
// Plain data; any thread.
#pragma once

#include "framework/migrate/operation_reader.h"

namespace ivm::migrate {

using Variables = QMap<QString, QString>;

// A query that must give exactly one row with one column, which is true.
struct VerifyQuery {
    QString query;
    Place place;
};

struct Migration {
    qint64 version = 0;
    QString name;      // "add_daily" of 0002_add_daily.yaml
    QString file;      // absolute
    QString checksum;  // checksumOf() the file
    // Of the text with the line end at its end, or without it: an editor that adds it changes
    // nothing.
    QString otherChecksum;
    QString description;  // `about`, or the name in words
    QList<Step> upgrade;
    // How it is taken back; none where it cannot be, and whyIrreversible says why.
    std::optional<QList<Step>> downgrade;
    QString whyIrreversible;
    bool isDeclaredIrreversible = false;
    bool hasWrittenDowngrade = false;  // else it is made of the operations' inverses
    Place downgradePlace = {};         // of what is written
    QList<VerifyQuery> verify;
    Variables variables;  // those that it uses, with their values

    QString label() const;  // "0002_add_daily"
};

struct MigrationFolder {
    QString path;
    QString line;                 // of history: "default" for the flat folder
    QList<Migration> migrations;  // by version, without gaps unless there are problems
    QList<Error> problems;

    const Migration *find(qint64 version) const;
    qint64 head() const { return migrations.isEmpty() ? 0 : migrations.back().version; }
};

inline constexpr QStringView kDefaultLine = u"default";

struct FolderRequest {
    QString folder;  // absolute; that of the default line
    QString line = kDefaultLine.toString();
    TableName defaults;     // catalog and schema of bare names
    Variables environment;  // what ${NAME} may be taken from, where the file declares NAME
};

// Reads the folder's files, or those of <folder>/<line> for another line than the default one. What
// is wrong is in `problems`: files that cannot be read, names that are no migration's, numbers that
// are given twice or left out.
MigrationFolder readFolder(const FolderRequest &request);

// One file's text. Problems go to `problems`.
Migration readMigration(const QByteArray &bytes, const QString &file, const FolderRequest &request,
                        QList<Error> &problems);

// SHA-256 in hex of the text with LF line ends and no BOM.
QString checksumOf(const QByteArray &bytes);

// "add_daily" and 2: "0002_add_daily.yaml".
QString migrationFileName(qint64 version, const QString &name);

}  // namespace ivm::migrate
