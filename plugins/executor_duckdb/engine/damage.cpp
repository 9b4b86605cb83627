#include "plugins/executor_duckdb/engine/damage.h"

#include "framework/api/table.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace ivm::duckdb {

namespace {

// DuckDB 1.5 has no word of its own for damage.
constexpr QStringView kSigns[] = {
    u"No magic bytes",  u"too small to be a Parquet file", u"Failed to read file",
    u"TProtocolExcept", u"is no position delete",          u"Failed to read Parquet file",
    u"Parquet file is", u"decompression failure",
};

// Its Parquet reader's exceptions that are not DuckDB's own; those of other parts look the same.
constexpr QStringView kForeign = u"Invalid Error:";
constexpr QStringView kForeignSigns[] = {u"Parquet", u"out of buffer", u"corrupt",
                                         u"Thrift",  u"TTransport",    u"DELTA_"};

bool names(const QString &message, const QString &file)
{
    return message.contains(u'\'' + file + u'\'') || message.contains(u'"' + file + u'"') ||
           message.contains(file + u' ');
}

}  // namespace

bool isDamage(const QString &message)
{
    const auto says = [&](QStringView sign) { return message.contains(sign, Qt::CaseInsensitive); };
    return std::ranges::any_of(kSigns, says) ||
           (says(kForeign) && std::ranges::any_of(kForeignSigns, says));
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
