#include "framework/yaml/yaml.h"
#include "tests/support/golden.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

namespace {

// One line a node: where it is, where its text is, and what it is.
void dump(const yaml::Node &node, const QString &indent, QString &out)
{
    const QString at = QStringLiteral("@%1:%2").arg(node.place.line).arg(node.place.column);
    switch (node.kind) {
    case yaml::Node::Kind::Null: out += QStringLiteral(" nothing %1\n").arg(at); return;
    case yaml::Node::Kind::Scalar:
        out += QStringLiteral(" %1%2 %3 text@%4:%5 indent %6%7\n")
                   .arg(node.quoted ? QStringLiteral("quoted ") : QString(),
                        QString(node.text).replace(u'\n', QStringLiteral("\\n")), at)
                   .arg(node.textPlace.line)
                   .arg(node.textPlace.column)
                   .arg(node.textIndent)
                   .arg(node.isFolded ? u" folded" : u"");
        return;
    case yaml::Node::Kind::List:
        out += QStringLiteral(" list %1\n").arg(at);
        for (const auto &item : node.items) {
            out += indent + u'-';
            dump(item, indent + QStringLiteral("  "), out);
        }
        return;
    case yaml::Node::Kind::Map:
        out += QStringLiteral(" map %1\n").arg(at);
        for (const auto &entry : node.entries) {
            out += indent + entry.key +
                   QStringLiteral("@%1:%2:").arg(entry.place.line).arg(entry.place.column);
            dump(entry.value, indent + QStringLiteral("  "), out);
        }
        return;
    }
}

QString outputOf(const QByteArray &bytes)
{
    const auto root = yaml::parse(bytes, QStringLiteral("a.yaml"));
    if (!root)
        return root.error().text();
    QString out;
    dump(*root, {}, out);
    return out.trimmed();
}

}  // namespace

class tst_Yaml : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void readsOrRefuses_data();
    void readsOrRefuses();
    void takesAnyBytes_data();
    void takesAnyBytes();
    void staysWithinBounds_data();
    void staysWithinBounds();
    void crLfAndAByteOrderMarkChangeNothing();
    void saysWhyAFileCannotBeRead();
};

void tst_Yaml::initTestCase()
{
    test::updateGolden(QStringLiteral("yaml"),
                       [](const QString &input) { return outputOf(input.toUtf8()); });
}

void tst_Yaml::readsOrRefuses_data() { test::addGoldenRows(QStringLiteral("yaml")); }

void tst_Yaml::readsOrRefuses()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input.toUtf8()), expected);
}

void tst_Yaml::takesAnyBytes_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("expected");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("nothing @1:1");
    QTest::newRow("only a comment") << QByteArray("# views\n") << QStringLiteral("nothing @1:1");
    QTest::newRow("zero bytes")
        << QByteArray("a: 1\n\0b: 2", 9)
        << QStringLiteral("a.yaml:2:1: control character 0x00 is not allowed. Remove it");
    QTest::newRow("the byte at which yaml-cpp would end silently")
        << QByteArray("a: 1\nb: x\x04y\n")
        << QStringLiteral("a.yaml:2:5: control character 0x04 is not allowed. Remove it");
    QTest::newRow("not UTF-8")
        << QByteArray("a: 1\nb: \xff\xfe\n")
        << QStringLiteral("a.yaml:2:1: the line is not UTF-8 text. Save the file as UTF-8");
    QTest::newRow("UTF-16")
        << QByteArray("\xff\xfe"
                      "a\0:\0",
                      6)
        << QStringLiteral("a.yaml:1:1: the line is not UTF-8 text. Save the file as UTF-8");
    QTest::newRow("a tab as indentation")
        << QByteArray("a:\n\tb: 1\n")
        << QStringLiteral("a.yaml:2:1: the line is indented with a tab. Use spaces");
    QTest::newRow("a tab after spaces")
        << QByteArray("a:\n  b: 1\n \tc: 1\n")
        << QStringLiteral("a.yaml:3:2: the line is indented with a tab. Use spaces");
    QTest::newRow("columns count characters, not bytes")
        << QByteArray("\xc3\xa9\xf0\x9f\x98\x80: [\xc3\xa9, \nb")
        << QStringLiteral("a.yaml:1:6: the '[' that starts here is never closed. Add the ']'");
}

void tst_Yaml::takesAnyBytes()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(bytes), expected);
}

void tst_Yaml::staysWithinBounds_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    constexpr int kMany = 200'000;
    const QString tooDeep = QStringLiteral("lists and maps lie");
    const QString notAKey = QStringLiteral("a key must be plain text");
    const QString neverClosed = QStringLiteral("the '%1' that starts here is never closed");
    QTest::newRow("many open brackets") << QByteArray(kMany, '[') << neverClosed.arg(u"[");
    QTest::newRow("many open braces")
        << QByteArray("{a: ").repeated(kMany) << neverClosed.arg(u"{");
    QTest::newRow("many dashes") << QByteArray("- ").repeated(kMany) << tooDeep;
    QTest::newRow("many question marks") << QByteArray("? ").repeated(kMany) << notAKey;
    QByteArray bomb("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; ++i) {
        const QByteArray before = "*a" + QByteArray::number(i - 1) + ", ";
        bomb += "a" + QByteArray::number(i) + ": &a" + QByteArray::number(i) + " [" +
                before.repeated(8) + "x]\n";
    }
    QTest::newRow("aliases of aliases of aliases")
        << bomb << QStringLiteral("the file has more than 200000 nodes");
    QTest::newRow("too large") << QByteArray(yaml::kMaxBytes + 1, 'a')
                               << QStringLiteral("the file has 2097153 bytes");
    QTest::newRow("a very long word") << QByteArray(yaml::kMaxBytes, 'a') << QString();
}

void tst_Yaml::staysWithinBounds()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    QElapsedTimer timer;
    timer.start();
    const auto root = yaml::parse(bytes, QStringLiteral("a.yaml"));
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    if (message.isEmpty())
        QVERIFY(root);
    else
        QVERIFY2(!root && root.error().message.startsWith(message),
                 qPrintable(root ? QString() : root.error().text()));
}

void tst_Yaml::crLfAndAByteOrderMarkChangeNothing()
{
    const QByteArray bytes("a: |\n  SELECT 1,\n    2\nb: [1, 2]\n");
    QCOMPARE(outputOf(QByteArray("\xef\xbb\xbf") + QByteArray(bytes).replace("\n", "\r\n")),
             outputOf(bytes));
}

void tst_Yaml::saysWhyAFileCannotBeRead()
{
    QTemporaryDir dir;
    const auto textOf = [](const QString &path) {
        const auto root = yaml::parseFile(path);
        return root ? QString() : root.error().text();
    };
    QCOMPARE(textOf(dir.filePath(QStringLiteral("no.yaml"))),
             QString(dir.filePath(QStringLiteral("no.yaml")) +
                     QStringLiteral(": there is no such file")));
    QCOMPARE(textOf(dir.path()),
             QString(dir.path() + QStringLiteral(": this is a folder, expected a file")));
}

QTEST_GUILESS_MAIN(tst_Yaml)
#include "tst_yaml.moc"
