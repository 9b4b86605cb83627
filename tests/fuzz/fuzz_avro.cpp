#include "tests/fuzz/iceberg_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

using namespace iceberg;

QString targetName() { return QStringLiteral("avro"); }

int usualInputs() { return 40'000; }

QList<QByteArray> seeds()
{
    QList<QByteArray> seeds;
    for (const int files : {0, 1, 7}) {
        seeds.append(fuzzManifest(files).bytes);
        seeds.append(unpacked(seeds.last()));
    }
    const QByteArray schema =
        R"({"type":"record","name":"r","fields":[{"name":"a","type":["null",{"type":"array",)"
        R"("items":{"type":"map","values":"double"}}]},{"name":"e","type":{"type":"enum",)"
        R"("name":"e","symbols":["x","y"]}},{"name":"f","type":{"type":"fixed","name":"f",)"
        R"("size":3}},{"name":"b","type":"boolean"},{"name":"g","type":"float"}]})";
    const auto file = avro::writeFile({.schema = schema, .codec = avro::Codec::Null}, {});
    if (file)
        seeds.append(*file);
    return seeds;
}

QList<QByteArray> words() { return avroWords(); }

// What is read is written so that the same is read again.
QString complaint(const QByteArray &input)
{
    const auto file = avro::readFile(input, u"the input");
    if (!file)
        return wrongError(file.error());
    const auto bytes = avro::writeFile(
        {.schema = file->metadata.value(QStringLiteral("avro.schema")), .codec = avro::Codec::Null},
        file->records);
    // Unions of more than null and one other are read only.
    if (!bytes)
        return bytes.error().kind == ErrorKind::Internal ? QString() : bytes.error().text();
    const auto again = avro::readFile(*bytes, u"what was written");
    if (!again)
        return again.error().text();
    const auto twice =
        avro::writeFile({.schema = again->metadata.value(QStringLiteral("avro.schema")),
                         .codec = avro::Codec::Null},
                        again->records);
    if (!twice || again->records.size() != file->records.size())
        return QStringLiteral("what was read is not what was written");
    return {};
}

}  // namespace ivm::fuzz
