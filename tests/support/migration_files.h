// A folder of migration files that a test writes.
#pragma once

#include "framework/migrate/migration_file.h"

#include <QTemporaryDir>
#include <QTest>

namespace ivm::test {

inline const TableName kMigrationDefaults{QStringLiteral("iceberg"), QStringLiteral("main"),
                                          QString()};

class MigrationFiles {
public:
    QString path() const { return m_dir.path(); }

    void write(const QString &name, const QByteArray &text)
    {
        QFile file(m_dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    void remove(const QString &name) { QVERIFY(QFile::remove(m_dir.filePath(name))); }

    migrate::MigrationFolder read() const
    {
        return migrate::readFolder(
            {.folder = m_dir.path(), .defaults = kMigrationDefaults, .environment = {}});
    }

private:
    QTemporaryDir m_dir;
};

}  // namespace ivm::test
