// Reads a map of a YAML file field by field: types, bounds, unknown and repeated keys, each problem
// with its place.
//
// Problems are collected, not returned one by one, so that a user sees all of them at once. A field
// that is absent or empty gives nothing; a field with a problem gives nothing too, and the problem
// says why. Threads: one. Lifetime: the node and the list of problems outlive the reader.
#pragma once

#include "framework/yaml/yaml.h"

#include <chrono>
#include <optional>

namespace ivm {

// In the order of the file, as far as they are about one.
void sortByPlace(QList<Error> &problems);

class Fields {
public:
    // `what` begins every message: "view 'hourly'", "server"; empty at the top of a file.
    Fields(const yaml::Node &map, QString what, QList<Error> &problems);

    // The field as it is, null when it is absent or empty. Like all below, makes the key a known
    // one.
    const yaml::Node *node(const QString &key);

    std::optional<QString> text(const QString &key);
    // As text(), but a problem when it is absent or empty.
    std::optional<QString> requiredText(const QString &key);
    std::optional<qint64> integer(const QString &key, qint64 least, qint64 most);
    std::optional<double> number(const QString &key);
    // A number of seconds greater than zero; fractions are fine.
    std::optional<std::chrono::milliseconds> seconds(const QString &key);
    // "500ms", "30s", "5m", "1h", "7d".
    std::optional<std::chrono::milliseconds> duration(const QString &key);
    std::optional<bool> boolean(const QString &key);
    // One of the words, as it is spelled there.
    std::optional<QString> word(const QString &key, const QStringList &words);
    std::optional<QStringList> texts(const QString &key);
    const yaml::Node *map(const QString &key);
    const yaml::Node *list(const QString &key);

    // Reports the keys that nobody asked for, and those that are given twice. Call it last.
    void finish();

    // "<what>: <message>" at the place.
    void report(QString message, const Place &place, const QString &hint = {});

private:
    const yaml::Node *scalar(const QString &key, QStringView wanted);
    void reportType(const QString &key, const yaml::Node &found, QStringView wanted,
                    const QString &hint = {});

    const yaml::Node &m_map;
    QString m_what;
    QList<Error> &m_problems;
    QStringList m_known;
};

}  // namespace ivm
