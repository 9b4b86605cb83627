#include "framework/host/plugin_metadata.h"

#include "framework/api/plugin.h"
#include "framework/base/json.h"

#include <algorithm>
#include <array>

namespace ivm {

namespace {

constexpr std::array kKinds{PluginKind::Executor, PluginKind::Detector, PluginKind::Store};

constexpr std::pair<QStringView, OptionType> kTypes[] = {
    {u"string", OptionType::String}, {u"integer", OptionType::Integer},
    {u"number", OptionType::Number}, {u"boolean", OptionType::Boolean},
    {u"path", OptionType::Path},     {u"map", OptionType::Map},
    {u"list", OptionType::List},
};

Result<OptionType> optionType(const QString &name, QStringView what)
{
    for (const auto &[word, type] : kTypes) {
        if (word == name)
            return type;
    }
    return fail(corruptError(QStringLiteral("%1: '%2' is not a type of option").arg(what, name)));
}

Result<PluginOption> readOption(const QJsonValue &value)
{
    const QString list = QStringLiteral("options");
    if (!value.isObject())
        return fail(corruptError(QStringLiteral("an item of \"options\" is not an object")));
    const QJsonObject object = value.toObject();
    PluginOption option;
    IVM_TRY(option.name, json::string(object, u"name", list));
    const QString what = QStringLiteral("option '%1'").arg(option.name);
    IVM_TRY(const QString type, json::string(object, u"type", what));
    IVM_TRY(option.type, optionType(type, what));
    option.required = object.value(u"required").toBool();
    option.secret = object.value(u"secret").toBool();
    option.environment = object.value(u"env").toString();
    option.text = object.value(u"text").toString();
    option.defaultValue = object.value(u"default");
    if (!option.defaultValue.isUndefined() && !fitsType(option.defaultValue, option.type))
        return fail(
            corruptError(QStringLiteral("%1: its default is not of type %2").arg(what, type)));
    return option;
}

Result<PluginKind> kindOf(const QString &interface)
{
    QStringList known;
    for (const PluginKind kind : kKinds) {
        if (interface == pluginInterface(kind))
            return kind;
        known.append(pluginInterface(kind));
    }
    return fail(invalidError(QStringLiteral("its interface is '%1', expected one of %2")
                                 .arg(interface, known.join(QStringLiteral(", "))))
                    .withCode(u"plugin_interface")
                    .withHint(u"Build the plugin with the headers of this version"));
}

Result<PluginMetadata> readBody(const QJsonObject &object)
{
    const QString what = QStringLiteral("its metadata");
    PluginMetadata metadata;
    IVM_TRY(metadata.name, json::string(object, u"name", what));
    if (metadata.name.isEmpty())
        return fail(corruptError(QStringLiteral("its metadata: \"name\" is empty")));
    IVM_TRY(metadata.version, json::string(object, u"version", what));
    IVM_TRY(metadata.text, json::string(object, u"text", what));
    IVM_TRY(const QString builtFor, json::string(object, u"builtFor", what));
    if (builtFor != hostVersion())
        return fail(invalidError(QStringLiteral("it was built for version %1, this is version %2")
                                     .arg(builtFor, hostVersion()))
                        .withCode(u"plugin_version")
                        .withHint(u"Install the plugin of this version"));
    for (const auto &word : object.value(u"capabilities").toArray())
        metadata.capabilities.append(word.toString());
    IVM_TRY(const auto options, json::array(object, u"options", what));
    for (const auto &value : options) {
        IVM_TRY(auto option, readOption(value));
        metadata.options.append(std::move(option));
    }
    return metadata;
}

}  // namespace

bool fitsType(const QJsonValue &value, OptionType type)
{
    switch (type) {
    case OptionType::String:
    case OptionType::Path: return value.isString();
    case OptionType::Integer:
    case OptionType::Number: return value.isDouble();
    case OptionType::Boolean: return value.isBool();
    case OptionType::Map: return value.isObject();
    case OptionType::List: return value.isArray();
    }
    Q_UNREACHABLE();
}

QString hostVersion() { return QStringLiteral(IVM_VERSION); }

QString pluginKindName(PluginKind kind)
{
    switch (kind) {
    case PluginKind::Executor: return QStringLiteral("executor");
    case PluginKind::Detector: return QStringLiteral("detector");
    case PluginKind::Store: return QStringLiteral("store");
    }
    Q_UNREACHABLE();
}

QString pluginInterface(PluginKind kind)
{
    switch (kind) {
    case PluginKind::Executor: return QStringLiteral(IVM_EXECUTOR_IID);
    case PluginKind::Detector: return QStringLiteral(IVM_DETECTOR_IID);
    case PluginKind::Store: return QStringLiteral(IVM_STORE_IID);
    }
    Q_UNREACHABLE();
}

const PluginOption *PluginMetadata::option(QStringView wanted) const
{
    const auto found = std::ranges::find(options, wanted, &PluginOption::name);
    return found == options.end() ? nullptr : &*found;
}

Result<PluginMetadata> readPluginMetadata(const QJsonObject &found)
{
    IVM_TRY(const PluginKind kind, kindOf(found.value(u"IID").toString()));
    const QJsonValue body = found.value(u"MetaData");
    if (!body.isObject() || body.toObject().isEmpty())
        return fail(corruptError(QStringLiteral("it has no metadata")));
    IVM_TRY(auto metadata, readBody(body.toObject()));
    metadata.kind = kind;
    return metadata;
}

}  // namespace ivm
