// The file of a migration that was generated.
#include "framework/migrate/autogenerate.h"
#include "framework/migrate/operation_yaml.h"

namespace ivm::migrate {

namespace {

constexpr qsizetype kWidth = 96;

// Lines that begin with "# ", broken between words. What is told may hold anything but ends of
// lines afterwards.
QString comment(const QString &text, int indent)
{
    const QString margin = QString(indent, u' ') + QStringLiteral("# ");
    QString out;
    QString line;
    for (const auto &word : text.simplified().split(u' ')) {
        if (!line.isEmpty() && margin.size() + line.size() + word.size() + 1 > kWidth) {
            out += margin + line + u'\n';
            line.clear();
        }
        line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
    out += margin + line + u'\n';
    for (QChar &c : out) {
        if (c != u'\n' && !c.isPrint() && !c.isSurrogate())
            c = u'?';
    }
    return out;
}

QString item(const Operation &operation, const TableName &defaults)
{
    constexpr int kIndent = 2;
    return QString(kIndent, u' ') + QStringLiteral("- ") +
           yaml::write(stepNode(operation, defaults), kIndent + 2) + u'\n';
}

QString downgradeText(const Generated &generated, const TableName &defaults)
{
    if (!generated.downgrade)
        return QStringLiteral("downgrade: irreversible\nbecause: ") +
               yaml::scalarText(generated.because.simplified()) + u'\n';
    QString out = QStringLiteral("downgrade:\n");
    for (const auto &operation : *generated.downgrade)
        out += item(operation, defaults);
    return out;
}

}  // namespace

QByteArray generatedText(const Generated &generated, const QString &about,
                         const TableName &defaults)
{
    QString out = QStringLiteral("about: ") + yaml::scalarText(about.simplified()) + u'\n';
    out += comment(QStringLiteral("Made of what differs between views.yaml and schema/ and what is "
                                  "applied. Read it before it is applied; until then it may be "
                                  "edited."),
                   0);
    out += QStringLiteral("upgrade:\n");
    for (const auto &step : generated.upgrade) {
        out += comment(step.why, 2);
        if (const QString loss = lossOf(step.operation); !loss.isEmpty())
            out += comment(QStringLiteral("DESTRUCTIVE: ") + loss, 2);
        out += item(step.operation, defaults);
    }
    return (out + downgradeText(generated, defaults)).toUtf8();
}

}  // namespace ivm::migrate
