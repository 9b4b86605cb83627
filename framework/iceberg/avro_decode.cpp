#include "framework/iceberg/avro.h"

#include <zlib.h>

#include <QStringDecoder>
#include <QtEndian>

#include <bit>
#include <limits>

namespace ivm::iceberg::avro {

namespace {

constexpr QByteArrayView kMagic("Obj\1", 4);
constexpr qsizetype kSyncBytes = 16;
constexpr int kMaxDepth = 128;

// A value takes about 40 bytes here but may take none in a file, and a block may decompress to a
// thousand times its size. No manifest comes near these; hostile files end at them.
qint64 mostValues(qsizetype fileBytes) { return 1'000'000 + 32 * qint64(fileBytes); }
qsizetype mostUnpackedBytes(qsizetype packed) { return (16 << 20) + 256 * packed; }

// Takes values off the front of some bytes; every length is checked before it is used.
class Decoder {
public:
    // `base` is where `bytes` begin in the file, for messages; inside a compressed block it is the
    // block's own beginning. `valuesLeft` is the file's, and counted down.
    Decoder(QByteArrayView bytes, qint64 base, QStringView what, qint64 &valuesLeft)
        : m_bytes(bytes), m_base(base), m_what(what), m_valuesLeft(valuesLeft)
    {
    }

    qsizetype left() const { return m_bytes.size() - m_at; }
    qint64 position() const { return m_base + m_at; }
    QStringView what() const { return m_what; }

    Error problem(const QString &text) const
    {
        return corruptError(
            QStringLiteral("%1: at byte %2 %3").arg(m_what, QString::number(position()), text));
    }

    Result<qint64> whole()
    {
        quint64 bits = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (left() == 0)
                return fail(problem(QStringLiteral("the file ends inside a number")));
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            // The tenth byte has room for one bit only.
            if (shift == 63 && byte > 1)
                break;
            bits |= quint64(byte & 0x7f) << shift;
            if (!(byte & 0x80))
                return qint64(bits >> 1) ^ -qint64(bits & 1);
        }
        return fail(problem(QStringLiteral("there is a number of more than 64 bits")));
    }

    Result<QByteArrayView> take(qint64 count)
    {
        if (count < 0 || count > left())
            return fail(problem(
                QStringLiteral("%1 bytes are announced, but %2 are left").arg(count).arg(left())));
        const auto taken = m_bytes.sliced(m_at, qsizetype(count));
        m_at += qsizetype(count);
        return taken;
    }

    Result<QByteArrayView> bytes()
    {
        IVM_TRY(const qint64 count, whole());
        return take(count);
    }

    Result<Value> value(const Node &node, int depth)
    {
        if (--m_valuesLeft < 0 || depth > kMaxDepth)
            return fail(problem(QStringLiteral("there is more than a manifest can hold")));
        switch (node.kind) {
        case Kind::Null: return Value{};
        case Kind::Boolean: return boolean();
        case Kind::Int:
        case Kind::Long:
        case Kind::Enum: return number(node.kind);
        case Kind::Float:
        case Kind::Double: return floating(node.kind);
        case Kind::Bytes: {
            IVM_TRY(const auto raw, bytes());
            return Value{raw.toByteArray()};
        }
        case Kind::Fixed: {
            IVM_TRY(const auto raw, take(node.size));
            return Value{raw.toByteArray()};
        }
        case Kind::String: return string();
        case Kind::Record: return record(node, depth);
        case Kind::Array:
        case Kind::Map: return blocks(node, depth);
        case Kind::Union: return branch(node, depth);
        }
        Q_UNREACHABLE();
    }

private:
    Result<Value> boolean()
    {
        IVM_TRY(const auto raw, take(1));
        if (raw[0] != 0 && raw[0] != 1)
            return fail(problem(QStringLiteral("a boolean is neither 0 nor 1")));
        return Value{raw[0] == 1};
    }

    Result<Value> number(Kind kind)
    {
        IVM_TRY(const qint64 found, whole());
        if (kind != Kind::Long && found != qint32(found))
            return fail(problem(QStringLiteral("an int has more than 32 bits")));
        return Value{found};
    }

    Result<Value> floating(Kind kind)
    {
        IVM_TRY(const auto raw, take(kind == Kind::Float ? 4 : 8));
        if (kind == Kind::Float)
            return Value{double(std::bit_cast<float>(qFromLittleEndian<quint32>(raw.data())))};
        return Value{std::bit_cast<double>(qFromLittleEndian<quint64>(raw.data()))};
    }

    Result<Value> string()
    {
        IVM_TRY(const auto raw, bytes());
        QStringDecoder utf8(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        QString text = utf8(raw);
        if (utf8.hasError())
            return fail(problem(QStringLiteral("a string is not UTF-8")));
        return Value{text};
    }

    Result<Value> record(const Node &node, int depth)
    {
        std::vector<Value> fields;
        fields.reserve(size_t(node.fields.size()));
        for (const auto &field : node.fields) {
            IVM_TRY(auto made, value(*field.type, depth + 1));
            fields.push_back(std::move(made));
        }
        return Value{std::move(fields)};
    }

    Result<Value> branch(const Node &node, int depth)
    {
        IVM_TRY(const qint64 index, whole());
        if (index < 0 || index >= node.parts.size())
            return fail(problem(QStringLiteral("a union has no branch %1").arg(index)));
        return value(*node.parts[index], depth + 1);
    }

    // Arrays and maps come in blocks: a count and that many items, until a count of 0.
    Result<Value> blocks(const Node &node, int depth)
    {
        std::vector<Value> items;
        while (true) {
            IVM_TRY(qint64 count, whole());
            if (count == 0)
                return Value{std::move(items)};
            if (count < 0) {
                // The size in bytes follows, for readers who skip.
                IVM_CHECK(whole());
                if (count == std::numeric_limits<qint64>::min())
                    return fail(problem(QStringLiteral("a count is out of range")));
                count = -count;
            }
            if (count > left())
                return fail(problem(QStringLiteral("%1 items are announced, but %2 bytes are left")
                                        .arg(count)
                                        .arg(left())));
            for (qint64 i = 0; i < count; ++i) {
                if (node.kind == Kind::Map) {
                    IVM_TRY(auto key, string());
                    items.push_back(std::move(key));
                }
                IVM_TRY(auto item, value(*node.parts[0], depth + 1));
                items.push_back(std::move(item));
            }
        }
    }

    QByteArrayView m_bytes;
    qint64 m_base = 0;
    QStringView m_what;
    qsizetype m_at = 0;
    qint64 &m_valuesLeft;
};

// Raw deflate, as Avro has it: without the header and checksum of zlib. None when the bytes are not
// that, or too many.
std::optional<QByteArray> inflated(QByteArrayView packed)
{
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return {};
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
    stream.avail_in = uInt(packed.size());
    QByteArray out;
    int state = Z_OK;
    // What is made grows with what was read; nothing is allocated on an announcement.
    while (state == Z_OK && out.size() <= mostUnpackedBytes(packed.size())) {
        const qsizetype before = out.size();
        const qsizetype step = std::clamp<qsizetype>(before, 16 * 1024, 16 * 1024 * 1024);
        out.resize(before + step);
        stream.next_out = reinterpret_cast<Bytef *>(out.data() + before);
        stream.avail_out = uInt(step);
        state = inflate(&stream, Z_NO_FLUSH);
        out.resize(before + step - qsizetype(stream.avail_out));
    }
    inflateEnd(&stream);
    const bool isWhole = state == Z_STREAM_END && out.size() <= mostUnpackedBytes(packed.size());
    return isWhole ? std::optional(out) : std::nullopt;
}

Result<QMap<QString, QByteArray>> readHeader(Decoder &decoder)
{
    const auto magic = decoder.take(kMagic.size());
    if (!magic || *magic != kMagic)
        return fail(decoder.problem(QStringLiteral("this is not an Avro file")));
    QMap<QString, QByteArray> metadata;
    const Node bytesMap{.kind = Kind::Map,
                        .parts = {std::make_shared<const Node>(Node{.kind = Kind::Bytes})}};
    IVM_TRY(const auto pairs, decoder.value(bytesMap, 0));
    const auto &list = std::get<std::vector<Value>>(pairs.data);
    for (size_t i = 0; i + 1 < list.size(); i += 2)
        metadata.insert(std::get<QString>(list[i].data), std::get<QByteArray>(list[i + 1].data));
    return metadata;
}

Status readBlock(Decoder &file, bool isDeflated, QByteArrayView sync, qint64 &valuesLeft, File &out)
{
    const qint64 start = file.position();
    IVM_TRY(const qint64 count, file.whole());
    IVM_TRY(auto payload, file.bytes());
    IVM_TRY(const auto marker, file.take(kSyncBytes));
    if (marker != sync)
        return fail(file.problem(QStringLiteral("a block does not end with the file's marker")));
    QByteArray unpacked;
    if (isDeflated) {
        auto made = inflated(payload);
        if (!made)
            return fail(file.problem(
                QStringLiteral("the block from byte %1 on does not decompress").arg(start)));
        unpacked = std::move(*made);
        payload = unpacked;
    }
    if (count < 0 || count > payload.size())
        return fail(file.problem(QStringLiteral("a block of %1 bytes announces %2 records")
                                     .arg(payload.size())
                                     .arg(count)));
    Decoder records(payload, isDeflated ? 0 : file.position() - kSyncBytes - payload.size(),
                    file.what(), valuesLeft);
    for (qint64 i = 0; i < count; ++i) {
        IVM_TRY(auto record, records.value(*out.schema, 0));
        out.records.push_back(std::move(record));
    }
    if (records.left() != 0)
        return fail(records.problem(
            QStringLiteral("%1 bytes are left over in a block").arg(records.left())));
    return {};
}

}  // namespace

Result<File> readFile(const QByteArray &bytes, QStringView what)
{
    qint64 valuesLeft = mostValues(bytes.size());
    Decoder decoder(bytes, 0, what, valuesLeft);
    File file;
    IVM_TRY(file.metadata, readHeader(decoder));
    IVM_TRY(const auto sync, decoder.take(kSyncBytes));
    const QByteArray codec = file.metadata.value(QStringLiteral("avro.codec"), "null");
    if (codec != "null" && codec != "deflate")
        return fail(unsupportedError(
            QStringLiteral("%1 is compressed with '%2'; only deflate and none are read")
                .arg(what, QString::fromUtf8(codec.left(100)))));
    IVM_TRY(file.schema, parseSchema(file.metadata.value(QStringLiteral("avro.schema")), what));
    while (decoder.left() > 0)
        IVM_CHECK(readBlock(decoder, codec == "deflate", sync, valuesLeft, file));
    return file;
}

}  // namespace ivm::iceberg::avro
