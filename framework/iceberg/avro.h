// Avro object container files, as far as Iceberg's manifests need them.
//
// Plain data; any thread. Source: Apache Avro 1.11 specification, "Object Container Files" and
// "Binary Encoding". Bytes are hostile until read: every count is checked against the bytes that
// are left before anything is allocated.
#pragma once

#include "framework/base/result.h"

#include <QByteArray>
#include <QJsonValue>
#include <QList>
#include <QMap>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace ivm::iceberg::avro {

enum class Kind {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    Record,
    Enum,
    Array,
    Map,
    Union,
    Fixed
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct NodeField {
    QString name;
    std::optional<int> fieldId;
    NodePtr type;
};

// One type of a schema.
struct Node {
    Kind kind = Kind::Null;
    QString name = {};  // of a named type
    QString logicalType = {};
    int size = 0;                  // Fixed: bytes
    int scale = 0;                 // decimal
    QList<NodeField> fields = {};  // Record
    QList<NodePtr> parts = {};     // Array: items. Map: values. Union: branches.
    QStringList symbols = {};      // Enum
};

// One value; which alternative holds it follows from the node:
//   null monostate · boolean bool · int, long, enum (index) qint64 · float, double double · string
//   QString bytes, fixed QByteArray · record its fields, array its items, map its keys and values
//   in turn: std::vector<Value>
// A union is the value of its branch.
struct Value {
    std::variant<std::monostate, bool, qint64, double, QString, QByteArray, std::vector<Value>>
        data;

    bool isNull() const { return std::holds_alternative<std::monostate>(data); }
    bool operator==(const Value &) const = default;
};

struct File {
    QMap<QString, QByteArray> metadata;  // "avro.schema" and "avro.codec" included
    NodePtr schema;
    std::vector<Value> records;
};

// Corrupt, naming `what`, when it is not a schema; types that refer to themselves are Unsupported.
Result<NodePtr> parseSchema(const QByteArray &json, QStringView what);

// Reads a whole file. Corrupt, naming `what` and the byte; Unsupported, naming the codec, for
// others than null and deflate.
Result<File> readFile(const QByteArray &bytes, QStringView what);

enum class Codec { Null, Deflate };

struct FileSpec {
    QByteArray schema;  // JSON, stored as it is: field ids and logical types included
    QMap<QString, QByteArray> metadata = {};  // beside schema and codec
    Codec codec = Codec::Deflate;
};

// Writes a whole file. A union takes null for a NULL value and else its other branch. Internal when
// a record does not fit the schema.
Result<QByteArray> writeFile(const FileSpec &spec, const std::vector<Value> &records);

}  // namespace ivm::iceberg::avro
