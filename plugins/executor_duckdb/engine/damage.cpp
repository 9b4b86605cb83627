#include "plugins/executor_duckdb/engine/damage.h"

#include "framework/api/table.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace ivm::duckdb {

namespace {

// DuckDB 1.5 has no word of its own for damage.
constexpr QStringView kSigns[] = {
    u"Invalid Error:",        u"No magic bytes",  u"too small to be a Parquet file",
    u"Failed to read file",   u"TProtocolExcept", u"Failed to read Parquet file",
    u"is no position delete", u"Parquet file is", u"decompression failure",
};

bool names(const QString &message, const QString &file)
{
    return message.contains(u'\'' + file + u'\'') || message.contains(u'"' + file + u'"') ||
           message.contains(file + u' ');
}

}  // namespace

bool isDamage(const QString &message)
{
    return std::ranges::any_of(kSigns, [&](QStringView sign) { return message.contains(sign); });
}

Error damageError(const QString &message, const QSet<QString> &files,
                  const std::function<bool(const QString &)> &answers)
{
    const QString said = message.section(u'\n', 0, 0).trimmed();
    QStringList sorted(files.begin(), files.end());
    sorted.sort();
    const auto isUnreadable = [&](const QString &file) {
        return !answers(
            QStringLiteral("SELECT count(*) FROM parquet_metadata(%1)").arg(quotedLiteral(file)));
    };
    auto damaged =
        std::ranges::find_if(sorted, [&](const QString &file) { return names(message, file); });
    if (damaged == sorted.end())
        damaged = std::ranges::find_if(sorted, isUnreadable);
    return damaged == sorted.end()
               ? corruptError(QStringLiteral("a file is damaged: %1").arg(said))
               : corruptError(QStringLiteral("file %1 is damaged: %2").arg(*damaged, said));
}

}  // namespace ivm::duckdb
