// What a plugin says about itself before any of its code runs. The form of the JSON is described in
// api/plugin.h.
//
// Plain data and pure functions; any thread.
#pragma once

#include "framework/base/result.h"

#include <QJsonObject>
#include <QStringList>

namespace ivm {

enum class PluginKind { Executor, Detector, Store };

QString pluginKindName(PluginKind kind);   // "executor" …
QString pluginInterface(PluginKind kind);  // IVM_EXECUTOR_IID …

enum class OptionType { String, Integer, Number, Boolean, Path, Map, List };

QString optionTypeName(OptionType type);  // "string" …, as the metadata has it

bool fitsType(const QJsonValue &value, OptionType type);

struct PluginOption {
    QString name;
    OptionType type = OptionType::String;
    bool required = false;
    QJsonValue defaultValue = QJsonValue::Undefined;
    bool secret = false;  // never printed, and never written into a configuration
    QString environment;  // the variable it may come from; may be empty
    QString text;
};

struct PluginMetadata {
    PluginKind kind = PluginKind::Executor;
    QString name;
    QString version;
    QString text;
    QStringList capabilities;
    QList<PluginOption> options;

    const PluginOption *option(QStringView name) const;  // null when there is none
};

// The version that plugins must be built for: this program's own.
QString hostVersion();

// From what Qt finds in the library. Invalid: not one of our interfaces, damaged metadata, built
// for another version.
Result<PluginMetadata> readPluginMetadata(const QJsonObject &found);

}  // namespace ivm
