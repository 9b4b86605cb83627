// A check of JSON against a JSON Schema, in as much of the language as the schemas of share/schema
// use; a word that it does not know ends the test, so that none is read over.
//
// Pure; one thread. Source: JSON Schema 2020-12, "Validation".
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace ivm::test {

class JsonSchema {
public:
    explicit JsonSchema(QJsonObject root) : m_root(std::move(root)) {}

    // The first thing that is wrong, with its place in the value; empty where nothing is.
    QString wrong(const QJsonValue &value) const { return check(value, m_root, {}); }

private:
    using Value = QJsonValue;

    QString check(const Value &value, const QJsonObject &schema, const QString &at) const
    {
        for (auto it = schema.begin(); it != schema.end(); ++it) {
            const QString wrong = checkWord(value, schema, it.key(), it.value(), at);
            if (!wrong.isEmpty())
                return wrong;
        }
        return {};
    }

    QString checkWord(const Value &value, const QJsonObject &schema, const QString &word,
                      const Value &rule, const QString &at) const
    {
        static const QStringList notes{QStringLiteral("$schema"),
                                       QStringLiteral("$id"),
                                       QStringLiteral("$defs"),
                                       QStringLiteral("title"),
                                       QStringLiteral("then"),
                                       QStringLiteral("description"),
                                       QStringLiteral("patternProperties")};
        if (notes.contains(word))
            return {};
        if (word == u"$ref")
            return check(value, definition(rule.toString()), at);
        if (word == u"type")
            return unless(isOfType(value, rule), at, u"another type");
        if (word == u"enum")
            return unless(rule.toArray().contains(value), at, u"none of the values");
        if (word == u"const")
            return unless(value == rule, at, u"another value");
        if (word == u"pattern")
            return unless(!value.isString() || matches(value.toString(), rule), at, u"no match");
        if (word == u"minimum")
            return unless(!value.isDouble() || value.toDouble() >= rule.toDouble(), at, u"less");
        if (word == u"maximum")
            return unless(!value.isDouble() || value.toDouble() <= rule.toDouble(), at, u"more");
        if (word == u"minItems")
            return unless(!value.isArray() || value.toArray().size() >= rule.toInt(), at, u"few");
        return checkParts(value, schema, word, rule, at);
    }

    QString checkParts(const Value &value, const QJsonObject &schema, const QString &word,
                       const Value &rule, const QString &at) const
    {
        const QJsonObject object = value.toObject();
        if (word == u"required") {
            const auto isThere = [&](const Value &key) { return object.contains(key.toString()); };
            const QJsonArray keys = rule.toArray();
            const bool has = std::all_of(keys.begin(), keys.end(), isThere);
            return unless(!value.isObject() || has, at, u"a key is missing");
        }
        if (word == u"minProperties")
            return unless(!value.isObject() || object.size() >= rule.toInt(), at, u"few keys");
        if (word == u"maxProperties")
            return unless(!value.isObject() || object.size() <= rule.toInt(), at, u"many keys");
        if (word == u"items") {
            const QJsonArray items = value.toArray();
            for (qsizetype i = 0; i < items.size(); ++i) {
                const QString wrong =
                    check(items[i], rule.toObject(), next(at, QString::number(i)));
                if (!wrong.isEmpty())
                    return wrong;
            }
            return {};
        }
        const bool isAboutKeys = word == u"properties" || word == u"additionalProperties";
        if (isAboutKeys)
            return checkProperties(object, schema, at);
        return checkLogic(value, schema, word, rule, at);
    }

    QString checkProperties(const QJsonObject &object, const QJsonObject &schema,
                            const QString &at) const
    {
        const QJsonObject known = schema.value(u"properties").toObject();
        for (auto it = object.begin(); it != object.end(); ++it) {
            const QString place = next(at, it.key());
            QString wrong;
            if (known.contains(it.key()))
                wrong = check(it.value(), known.value(it.key()).toObject(), place);
            else
                wrong = checkFurther(it.key(), it.value(), schema, place);
            if (!wrong.isEmpty())
                return wrong;
        }
        return {};
    }

    QString checkFurther(const QString &key, const Value &value, const QJsonObject &schema,
                         const QString &at) const
    {
        const QJsonObject patterns = schema.value(u"patternProperties").toObject();
        for (auto it = patterns.begin(); it != patterns.end(); ++it) {
            if (matches(key, it.key()))
                return check(value, it.value().toObject(), at);
        }
        const Value further = schema.value(u"additionalProperties");
        if (further.isObject())
            return check(value, further.toObject(), at);
        return unless(further.toBool(true), at, u"an unknown key");
    }

    QString checkLogic(const Value &value, const QJsonObject &schema, const QString &word,
                       const Value &rule, const QString &at) const
    {
        const QJsonArray all = rule.toArray();
        if (word == u"anyOf") {
            const auto fits = [&](const Value &one) {
                return check(value, one.toObject(), at).isEmpty();
            };
            return unless(std::any_of(all.begin(), all.end(), fits), at, u"none of the forms");
        }
        if (word == u"allOf") {
            for (const auto &one : all) {
                const QString wrong = check(value, one.toObject(), at);
                if (!wrong.isEmpty())
                    return wrong;
            }
            return {};
        }
        if (word == u"if") {
            const bool is = check(value, rule.toObject(), at).isEmpty();
            return is ? check(value, schema.value(u"then").toObject(), at) : QString();
        }
        qFatal("the schema has a word that the tests do not know: %s", qPrintable(word));
    }

    QJsonObject definition(const QString &reference) const
    {
        QJsonObject found = m_root;
        const QStringList keys = reference.split(u'/');
        for (const auto &key : keys.sliced(1)) {
            if (!found.contains(key))
                qFatal("the schema has no %s", qPrintable(reference));
            found = found.value(key).toObject();
        }
        return found;
    }

    static bool isOfType(const Value &value, const Value &rule)
    {
        if (const QJsonArray types = rule.toArray(); !types.isEmpty())
            return std::any_of(types.begin(), types.end(),
                               [&](const Value &type) { return isOfType(value, type); });
        const QString type = rule.toString();
        if (type == u"integer")
            return value.isDouble() && std::floor(value.toDouble()) == value.toDouble();
        return (type == u"string" && value.isString()) || (type == u"number" && value.isDouble()) ||
               (type == u"boolean" && value.isBool()) || (type == u"null" && value.isNull()) ||
               (type == u"array" && value.isArray()) || (type == u"object" && value.isObject());
    }

    static bool matches(const QString &text, const Value &pattern)
    {
        const QRegularExpression form(pattern.toString());
        if (!form.isValid())
            qFatal("not a pattern: %s", qPrintable(pattern.toString()));
        return form.match(text).hasMatch();
    }

    static QString next(const QString &at, const QString &key) { return at + u'/' + key; }

    static QString unless(bool isRight, const QString &at, QStringView what)
    {
        return isRight ? QString() : QStringLiteral("%1: %2").arg(at, what);
    }

    QJsonObject m_root;
};

}  // namespace ivm::test
