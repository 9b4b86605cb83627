// Text tests: files that hold an input and the output it must give, compared word for word.
//
// A file holds cases, each of the form
//     == what the case shows
//     input, any number of lines
//     --
//     expected output
// With IVM_UPDATE_GOLDEN=1 in the environment the outputs are rewritten instead, for a person to
// read in the diff.
#pragma once

#include <QDir>
#include <QFile>
#include <QTest>

#include <functional>

namespace ivm::test {

struct GoldenCase {
    QString name;
    QString input;
    QString expected;
};

inline QList<GoldenCase> readGolden(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    QList<GoldenCase> cases;
    bool inOutput = false;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        if (line.startsWith(u"== ")) {
            cases.append({line.sliced(3), {}, {}});
            inOutput = false;
        } else if (line == u"--" && !inOutput && !cases.isEmpty()) {
            inOutput = true;
        } else if (!cases.isEmpty()) {
            QString &text = inOutput ? cases.last().expected : cases.last().input;
            text += line;
            text += u'\n';
        }
    }
    for (auto &one : cases) {
        one.input = one.input.trimmed();
        one.expected = one.expected.trimmed();
    }
    return cases;
}

// Call from a _data() function: one row a case of every .txt file in `folder` (under tests/golden).
inline void addGoldenRows(const QString &folder)
{
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("expected");
    const QDir dir(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/") + folder);
    for (const QString &name : dir.entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name)) {
        for (const auto &one : readGolden(dir.filePath(name)))
            QTest::addRow("%s: %s", qPrintable(name), qPrintable(one.name))
                << one.input << one.expected;
    }
}

// Rewrites every file of the folder when IVM_UPDATE_GOLDEN is set; call from initTestCase().
inline void updateGolden(const QString &folder,
                         const std::function<QString(const QString &)> &output)
{
    if (!qEnvironmentVariableIsSet("IVM_UPDATE_GOLDEN"))
        return;
    const QDir dir(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/") + folder);
    for (const QString &name : dir.entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name)) {
        QString text;
        for (const auto &one : readGolden(dir.filePath(name))) {
            text += QStringLiteral("== ") + one.name + u'\n' + one.input + QStringLiteral("\n--\n");
            text += output(one.input).trimmed() + QStringLiteral("\n\n");
        }
        QFile file(dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(file.fileName()));
        file.write(QString(text.trimmed() + u'\n').toUtf8());
    }
}

}  // namespace ivm::test
