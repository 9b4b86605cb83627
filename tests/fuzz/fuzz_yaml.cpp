#include "framework/host/views_file.h"
#include "tests/fuzz/golden_seeds.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/yaml_words.h"

namespace ivm::fuzz {

namespace {

// Places count from 1, and lie within the file.
QString wrongPlace(const Place &place, const QList<QByteArray> &lines)
{
    const bool good = place.line >= 1 && place.line <= lines.size() + 1 && place.column >= 1;
    return good ? QString()
                : QStringLiteral("a place is %1:%2 of %3 lines")
                      .arg(place.line)
                      .arg(place.column)
                      .arg(lines.size());
}

QString wrongNode(const yaml::Node &node, const QList<QByteArray> &lines)
{
    if (node.kind == yaml::Node::Kind::Null)
        return {};
    if (const QString wrong = wrongPlace(node.place, lines); !wrong.isEmpty())
        return wrong;
    for (const auto &item : node.items) {
        if (const QString wrong = wrongNode(item, lines); !wrong.isEmpty())
            return wrong;
    }
    for (const auto &entry : node.entries) {
        if (const QString wrong = wrongNode(entry.value, lines); !wrong.isEmpty())
            return wrong;
    }
    return {};
}

}  // namespace

QString targetName() { return QStringLiteral("yaml"); }

int usualInputs() { return 20'000; }

QList<QByteArray> seeds()
{
    return goldenSeeds(QStringLiteral("yaml")) + goldenSeeds(QStringLiteral("views_file"));
}

QList<QByteArray> words() { return yamlWords(); }

// Read, as a tree and as a file of views, or refused at a place in the file.
QString complaint(const QByteArray &input)
{
    const QList<QByteArray> lines = QByteArray(input).replace('\r', '\n').split('\n');
    const auto root = yaml::parse(input, QStringLiteral("views.yaml"));
    if (!root) {
        const Error &error = root.error();
        return error.kind == ErrorKind::Invalid && error.place.file == u"views.yaml" ? QString()
                                                                                     : error.text();
    }
    if (const QString wrong = wrongNode(*root, lines); !wrong.isEmpty())
        return wrong;
    const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};
    const auto file = readViews(*root, defaults);
    for (const auto &view : file.views) {
        if (view.problems.isEmpty() && (view.spec.name.isEmpty() || view.spec.query.isEmpty()))
            return QStringLiteral("a view without a name or a query is accepted");
    }
    return {};
}

}  // namespace ivm::fuzz
