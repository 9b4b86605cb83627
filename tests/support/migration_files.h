// A folder of migration files that a test writes.
#pragma once

#include "framework/migrate/migration_file.h"

#include <QTemporaryDir>
#include <QTest>

namespace ivm::test {

inline const TableName kMigrationDefaults{QStringLiteral("iceberg"), QStringLiteral("main"),
                                          QString()};

// Files are told apart by lines "@ name"; one without is 0001_case.yaml.
inline void writeMigrationFiles(const QString &folder, const QString &input)
{
    QString name = QStringLiteral("0001_case.yaml");
    QMap<QString, QString> files;
    for (const auto &line : input.split(u'\n')) {
        if (line.startsWith(u"@ "))
            name = line.sliced(2);
        else
            files[name] += line + u'\n';
        if (line.startsWith(u"@ "))
            files[name];
    }
    for (auto it = files.cbegin(); it != files.cend(); ++it) {
        QFile file(folder + u'/' + it.key());
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(file.fileName()));
        file.write(it.value().toUtf8());
    }
}

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
            {.folder = m_dir.path(), .defaults = kMigrationDefaults, .environment = environment});
    }

    migrate::Variables environment;

private:
    QTemporaryDir m_dir;
};

}  // namespace ivm::test
