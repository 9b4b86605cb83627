// Takes fields out of a decoded Avro record by their field ids, checking the type of each.
//
// A view: node and value outlive it. Any thread. Private to this folder.
#pragma once

#include "framework/iceberg/avro.h"

namespace ivm::iceberg {

// The type behind an optional one.
inline const avro::Node &unwrapped(const avro::Node &node)
{
    if (node.kind != avro::Kind::Union)
        return node;
    for (const auto &part : node.parts) {
        if (part->kind != avro::Kind::Null)
            return *part;
    }
    return node;
}

class AvroRecord {
public:
    // Corrupt when it is no record; `what` names the file.
    static Result<AvroRecord> of(const avro::Node &node, const avro::Value &value, QStringView what)
    {
        const auto &record = unwrapped(node);
        const auto *fields = std::get_if<std::vector<avro::Value>>(&value.data);
        if (record.kind != avro::Kind::Record || !fields ||
            qsizetype(fields->size()) != record.fields.size())
            return fail(corruptError(QStringLiteral("%1: an entry is not a record").arg(what)));
        return AvroRecord(record, *fields, what);
    }

    struct Found {
        const avro::Node *node = nullptr;  // null: there is no such field
        const avro::Value *value = nullptr;
        bool isNull() const { return !value || value->isNull(); }
    };

    // By id, else by name where the file has no ids.
    Found find(int id, QStringView name) const
    {
        for (qsizetype i = 0; i < m_node->fields.size(); ++i) {
            const auto &field = m_node->fields[i];
            if (field.fieldId ? *field.fieldId == id : field.name == name)
                return {field.type.get(), &(*m_fields)[size_t(i)]};
        }
        return {};
    }

    // Absent and null are nothing; Corrupt for another type.
    template <typename T>
    Result<std::optional<T>> optional(int id, QStringView name) const
    {
        const auto found = find(id, name);
        if (found.isNull())
            return std::optional<T>();
        if (const auto *value = std::get_if<T>(&found.value->data))
            return std::optional<T>(*value);
        return fail(corruptError(
            QStringLiteral("%1: \"%2\" is of another type than it must be").arg(m_what, name)));
    }

    template <typename T>
    Result<T> required(int id, QStringView name) const
    {
        IVM_TRY(auto value, optional<T>(id, name));
        if (!value)
            return fail(corruptError(QStringLiteral("%1: \"%2\" is missing").arg(m_what, name)));
        return *std::move(value);
    }

    QStringView what() const { return m_what; }

private:
    AvroRecord(const avro::Node &node, const std::vector<avro::Value> &fields, QStringView what)
        : m_node(&node), m_fields(&fields), m_what(what)
    {
    }

    const avro::Node *m_node;
    const std::vector<avro::Value> *m_fields;
    QStringView m_what;
};

}  // namespace ivm::iceberg
