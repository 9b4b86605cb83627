#include "framework/iceberg/avro.h"

#include <zlib.h>

#include <QRandomGenerator>
#include <QtEndian>

#include <bit>

namespace ivm::iceberg::avro {

namespace {

constexpr qsizetype kSyncBytes = 16;
// Readers take a block at a time.
constexpr qsizetype kBlockBytes = 1 << 20;

class Encoder {
public:
    QByteArray out;

    void whole(qint64 value)
    {
        quint64 bits = (quint64(value) << 1) ^ quint64(value >> 63);
        for (; bits >= 0x80; bits >>= 7)
            out.append(char(bits | 0x80));
        out.append(char(bits));
    }

    void bytes(const QByteArray &value)
    {
        whole(value.size());
        out.append(value);
    }

    // False where the value does not fit the node.
    bool value(const Node &node, const Value &value)
    {
        switch (node.kind) {
        case Kind::Null: return value.isNull();
        case Kind::Boolean: return boolean(value);
        case Kind::Int:
        case Kind::Long:
        case Kind::Enum: return number(node.kind, value);
        case Kind::Float:
        case Kind::Double: return floating(node.kind, value);
        case Kind::String: return string(value);
        case Kind::Bytes:
        case Kind::Fixed: return raw(node, value);
        case Kind::Record: return record(node, value);
        case Kind::Array:
        case Kind::Map: return items(node, value);
        case Kind::Union: return branch(node, value);
        }
        Q_UNREACHABLE();
    }

private:
    bool boolean(const Value &value)
    {
        const auto *found = std::get_if<bool>(&value.data);
        if (found)
            out.append(*found ? '\1' : '\0');
        return found;
    }

    bool number(Kind kind, const Value &value)
    {
        const auto *found = std::get_if<qint64>(&value.data);
        if (!found || (kind != Kind::Long && *found != qint32(*found)))
            return false;
        whole(*found);
        return true;
    }

    bool floating(Kind kind, const Value &value)
    {
        const auto *found = std::get_if<double>(&value.data);
        if (!found)
            return false;
        char buffer[8];
        if (kind == Kind::Float)
            qToLittleEndian(std::bit_cast<quint32>(float(*found)), buffer);
        else
            qToLittleEndian(std::bit_cast<quint64>(*found), buffer);
        out.append(buffer, kind == Kind::Float ? 4 : 8);
        return true;
    }

    bool string(const Value &value)
    {
        const auto *found = std::get_if<QString>(&value.data);
        if (found)
            bytes(found->toUtf8());
        return found;
    }

    bool raw(const Node &node, const Value &value)
    {
        const auto *found = std::get_if<QByteArray>(&value.data);
        if (!found || (node.kind == Kind::Fixed && found->size() != node.size))
            return false;
        if (node.kind == Kind::Fixed)
            out.append(*found);
        else
            bytes(*found);
        return true;
    }

    bool record(const Node &node, const Value &value)
    {
        const auto *fields = std::get_if<std::vector<Value>>(&value.data);
        if (!fields || qsizetype(fields->size()) != node.fields.size())
            return false;
        for (qsizetype i = 0; i < node.fields.size(); ++i) {
            if (!this->value(*node.fields[i].type, (*fields)[size_t(i)]))
                return false;
        }
        return true;
    }

    bool items(const Node &node, const Value &value)
    {
        const auto *list = std::get_if<std::vector<Value>>(&value.data);
        const size_t width = node.kind == Kind::Map ? 2 : 1;
        if (!list || list->size() % width != 0)
            return false;
        if (!list->empty())
            whole(qint64(list->size() / width));
        for (size_t i = 0; i < list->size(); ++i) {
            const bool isKey = width == 2 && i % 2 == 0;
            if (isKey ? !string((*list)[i]) : !this->value(*node.parts[0], (*list)[i]))
                return false;
        }
        whole(0);
        return true;
    }

    bool branch(const Node &node, const Value &value)
    {
        for (qsizetype i = 0; i < node.parts.size(); ++i) {
            if ((node.parts[i]->kind == Kind::Null) != value.isNull())
                continue;
            whole(i);
            return this->value(*node.parts[i], value);
        }
        return false;
    }
};

QByteArray deflated(const QByteArray &bytes)
{
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    QByteArray out(qsizetype(deflateBound(&stream, uLong(bytes.size()))), Qt::Uninitialized);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    stream.avail_in = uInt(bytes.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = uInt(out.size());
    const int state = deflate(&stream, Z_FINISH);
    out.resize(state == Z_STREAM_END ? qsizetype(stream.total_out) : 0);
    deflateEnd(&stream);
    return out;
}

void appendBlock(Encoder &file, const QByteArray &records, qint64 count, Codec codec,
                 const QByteArray &sync)
{
    file.whole(count);
    file.bytes(codec == Codec::Deflate ? deflated(records) : records);
    file.out.append(sync);
}

Encoder header(const FileSpec &spec, const QByteArray &sync)
{
    Encoder file;
    file.out.append("Obj\1", 4);
    auto metadata = spec.metadata;
    metadata.insert(QStringLiteral("avro.schema"), spec.schema);
    metadata.insert(QStringLiteral("avro.codec"),
                    spec.codec == Codec::Deflate ? "deflate" : "null");
    file.whole(metadata.size());
    for (const auto &[key, value] : metadata.asKeyValueRange()) {
        file.bytes(key.toUtf8());
        file.bytes(value);
    }
    file.whole(0);
    file.out.append(sync);
    return file;
}

}  // namespace

Result<QByteArray> writeFile(const FileSpec &spec, const std::vector<Value> &records)
{
    IVM_TRY(const auto schema, parseSchema(spec.schema, u"a file to be written"));
    QByteArray sync(kSyncBytes, Qt::Uninitialized);
    QRandomGenerator::system()->fillRange(reinterpret_cast<quint32 *>(sync.data()), kSyncBytes / 4);
    Encoder file = header(spec, sync);
    Encoder block;
    qint64 count = 0;
    for (size_t i = 0; i < records.size(); ++i) {
        if (!block.value(*schema, records[i]))
            return fail(
                internalError(QStringLiteral("record %1 does not fit the Avro schema").arg(i)));
        ++count;
        if (block.out.size() >= kBlockBytes || i + 1 == records.size()) {
            appendBlock(file, block.out, count, spec.codec, sync);
            block.out.clear();
            count = 0;
        }
    }
    return file.out;
}

}  // namespace ivm::iceberg::avro
