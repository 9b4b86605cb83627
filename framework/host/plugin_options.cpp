#include "framework/host/plugin_options.h"

#include "framework/yaml/fields.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>

#include <limits>

namespace ivm {

namespace {

constexpr qint64 kLongestSecret = 64 * 1024;

bool isPlainTrue(const yaml::Node &node)
{
    return !node.quoted && node.text.compare(u"true", Qt::CaseInsensitive) == 0;
}
bool isPlainFalse(const yaml::Node &node)
{
    return !node.quoted && node.text.compare(u"false", Qt::CaseInsensitive) == 0;
}

// By its name, a member of a map that holds a path (api/plugin.h).
bool namesPath(const QString &key)
{
    return key == u"path" || key.endsWith(u"_path") || key.endsWith(u"_file") ||
           key.endsWith(u"Path");
}

QString absolutePath(const QString &folder, const QString &path)
{
    return QDir::cleanPath(QDir(folder).absoluteFilePath(path));
}

// What is inside a map or list option: the plugin knows what it means, so YAML's own types are
// kept, and paths are made absolute.
QJsonValue plainValue(const yaml::Node &node, const QString &folder)
{
    switch (node.kind) {
    case yaml::Node::Kind::Null: return QJsonValue::Null;
    case yaml::Node::Kind::List: {
        QJsonArray out;
        for (const auto &item : node.items)
            out.append(plainValue(item, folder));
        return out;
    }
    case yaml::Node::Kind::Map: {
        QJsonObject out;
        for (const auto &[key, place, value] : node.entries) {
            const bool isPath = namesPath(key) && value.kind == yaml::Node::Kind::Scalar;
            out.insert(key, isPath ? QJsonValue(absolutePath(folder, value.text))
                                   : plainValue(value, folder));
        }
        return out;
    }
    case yaml::Node::Kind::Scalar: break;
    }
    if (isPlainTrue(node) || isPlainFalse(node))
        return isPlainTrue(node);
    bool isNumber = false;
    const qint64 whole = node.text.toLongLong(&isNumber);
    if (isNumber && !node.quoted)
        return whole;
    return node.text;
}

class Completer {
public:
    Completer(const PluginMetadata &plugin, const OptionSources &sources, QList<Error> &problems)
        : m_plugin(plugin), m_sources(sources), m_problems(problems),
          m_fields(sources.choice.options, sources.choice.section, problems)
    {
    }

    QJsonObject complete()
    {
        for (const QString &key : m_sources.choice.hostKeys)
            (void)m_fields.node(key);
        for (const PluginOption &option : m_plugin.options) {
            if (const QJsonValue value = valueOf(option); !value.isUndefined())
                m_out.insert(option.name, value);
        }
        m_fields.finish();
        return m_out;
    }

private:
    QJsonValue valueOf(const PluginOption &option)
    {
        if (option.secret)
            return secretOf(option);
        const auto before = m_problems.size();
        QJsonValue value = read(m_fields, option);
        if (value.isUndefined() && m_problems.size() == before)
            value = elsewhere(option);
        return value;
    }

    QJsonValue elsewhere(const PluginOption &option)
    {
        const QString variable = m_sources.environment.value(option.environment);
        if (!option.environment.isEmpty() && !variable.isEmpty())
            return fromVariable(option, variable);
        if (const QJsonValue value = m_sources.inherited.value(option.name);
            !value.isUndefined() && fitsType(value, option.type))
            return value;
        if (!option.defaultValue.isUndefined())
            return option.type == OptionType::Path ? absolute(option.defaultValue.toString())
                                                   : option.defaultValue;
        if (option.required)
            reportMissing(option);
        return QJsonValue::Undefined;
    }

    void reportMissing(const PluginOption &option)
    {
        const QString step =
            option.environment.isEmpty()
                ? QStringLiteral("Set it under '%1:'").arg(m_sources.choice.section)
                : QStringLiteral("Set %1 in the environment").arg(option.environment);
        m_fields.report(QStringLiteral("plugin '%1' needs the option '%2' (%3)")
                            .arg(m_plugin.name, option.name, option.text),
                        m_sources.choice.place, step);
    }

    QJsonValue absolute(const QString &path) const { return absolutePath(m_sources.folder, path); }

    QJsonValue read(Fields &fields, const PluginOption &option) const
    {
        const auto json = [](const auto &value) {
            return value ? QJsonValue(*value) : QJsonValue(QJsonValue::Undefined);
        };
        switch (option.type) {
        case OptionType::String: return json(fields.text(option.name));
        case OptionType::Path: {
            const auto path = fields.text(option.name);
            return path ? absolute(*path) : QJsonValue(QJsonValue::Undefined);
        }
        case OptionType::Integer:
            return json(fields.integer(option.name, std::numeric_limits<qint64>::min(),
                                       std::numeric_limits<qint64>::max()));
        case OptionType::Number: return json(fields.number(option.name));
        case OptionType::Boolean: return json(fields.boolean(option.name));
        case OptionType::Map: {
            const yaml::Node *node = fields.map(option.name);
            return node ? plainValue(*node, m_sources.folder) : QJsonValue(QJsonValue::Undefined);
        }
        case OptionType::List: {
            const yaml::Node *node = fields.list(option.name);
            return node ? plainValue(*node, m_sources.folder) : QJsonValue(QJsonValue::Undefined);
        }
        }
        Q_UNREACHABLE();
    }

    // A variable's text is read as the same text in the configuration would be.
    QJsonValue fromVariable(const PluginOption &option, const QString &text)
    {
        if (option.type == OptionType::String)
            return text;
        if (option.type == OptionType::Path)
            return absolute(text);
        yaml::Node map;
        map.kind = yaml::Node::Kind::Map;
        yaml::Node value;
        value.kind = yaml::Node::Kind::Scalar;
        value.text = text;
        map.entries.push_back({option.name, {}, value});
        Fields fields(map, QStringLiteral("environment variable ") + option.environment,
                      m_problems);
        return read(fields, option);
    }

    QJsonValue secretOf(const PluginOption &option)
    {
        const QString fileKey = option.name + QStringLiteral("_file");
        const auto file = m_fields.text(fileKey);
        if (const yaml::Node *node = m_fields.node(option.name)) {
            const QString otherWay =
                option.environment.isEmpty()
                    ? QString()
                    : QStringLiteral("set %1 in the environment, or ").arg(option.environment);
            QString step = otherWay + QStringLiteral("name a file with it under '%1'").arg(fileKey);
            step[0] = step[0].toUpper();
            m_fields.report(
                QStringLiteral("'%1' is a secret and is not read from here").arg(option.name),
                node->place, step);
            return QJsonValue::Undefined;
        }
        if (file)
            return secretFrom(*file, m_fields.node(fileKey)->place);
        return elsewhere(option);
    }

    QJsonValue secretFrom(const QString &path, const Place &place)
    {
        QFile file(absolute(path).toString());
        if (!file.open(QIODevice::ReadOnly)) {
            m_fields.report(QStringLiteral("the file %1 cannot be read: %2")
                                .arg(file.fileName(), file.errorString()),
                            place);
            return QJsonValue::Undefined;
        }
        // Editors end a file with a line end that is not part of the secret.
        QString secret = QString::fromUtf8(file.read(kLongestSecret));
        while (secret.endsWith(u'\n') || secret.endsWith(u'\r'))
            secret.chop(1);
        return secret;
    }

    const PluginMetadata &m_plugin;
    const OptionSources &m_sources;
    QList<Error> &m_problems;
    Fields m_fields;
    QJsonObject m_out;
};

}  // namespace

QJsonObject completeOptions(const PluginMetadata &plugin, const OptionSources &sources,
                            QList<Error> &problems)
{
    return Completer(plugin, sources, problems).complete();
}

}  // namespace ivm
