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

// A secret that is one by mistake of spelling only would be printed.
Result<bool> flag(const QJsonObject &object, const QString &key, QStringView what)
{
    const QJsonValue value = object.value(key);
    if (value.isUndefined() || value.isBool())
        return value.toBool();
    return fail(corruptError(QStringLiteral("%1: \"%2\" is not true or false").arg(what, key)));
}

Result<QString> optionalText(const QJsonObject &object, QStringView key, QStringView what)
{
    return object.contains(key) ? json::string(object, key, what) : QString();
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
    IVM_TRY(option.required, flag(object, QStringLiteral("required"), what));
    IVM_TRY(option.secret, flag(object, QStringLiteral("secret"), what));
    IVM_TRY(option.environment, optionalText(object, u"env", what));
    IVM_TRY(option.text, optionalText(object, u"text", what));
    if (option.secret && option.type != OptionType::String)
        return fail(corruptError(QStringLiteral("%1: a secret is of type string").arg(what)));
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

Result<QStringList> readCapabilities(const QJsonObject &object, QStringView what)
{
    QStringList words;
    IVM_TRY(const auto items, json::array(object, u"capabilities", what));
    for (const auto &word : items) {
        if (!word.isString())
            return fail(corruptError(
                QStringLiteral("%1: an item of \"capabilities\" is not a text").arg(what)));
        words.append(word.toString());
    }
    return words;
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
    if (object.contains(u"capabilities")) {
        IVM_TRY(metadata.capabilities, readCapabilities(object, what));
    }
    IVM_TRY(const auto options, json::array(object, u"options", what));
    for (const auto &value : options) {
        IVM_TRY(auto option, readOption(value));
        if (metadata.option(option.name))
            return fail(
                corruptError(QStringLiteral("option '%1': there are two").arg(option.name)));
        metadata.options.append(std::move(option));
    }
    return metadata;
}

}  // namespace

QString optionTypeName(OptionType type)
{
    return std::ranges::find(kTypes, type, &std::pair<QStringView, OptionType>::second)
        ->first.toString();
}

bool fitsType(const QJsonValue &value, OptionType type)
{
    switch (type) {
    case OptionType::String:
    case OptionType::Path: return value.isString();
    case OptionType::Integer: return value.isDouble() && value.toInteger(0) == value.toInteger(1);
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
