#include "framework/host/config.h"
#include "tests/fuzz/golden_seeds.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/yaml_words.h"

#include <QTemporaryDir>

namespace ivm::fuzz {

QString targetName() { return QStringLiteral("config"); }

int usualInputs() { return 2'000; }

QList<QByteArray> seeds() { return goldenSeeds(QStringLiteral("config")); }

QList<QByteArray> words() { return yamlWords(); }

// Used only where everything in it is as it should be.
QString complaint(const QByteArray &input)
{
    static const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("ivm.yaml"));
    QFile file(path);
    // Made anew: some file systems write one that is emptied through to the disk.
    file.remove();
    if (!file.open(QIODevice::WriteOnly) || file.write(input) != input.size())
        qFatal("cannot write %s", qPrintable(path));
    file.close();
    const auto outcome = loadConfig({.folder = folder.path(), .file = path, .environment = {}});
    for (const auto &problem : outcome.problems) {
        if (problem.message.isEmpty() || problem.kind == ErrorKind::Internal)
            return problem.text();
    }
    if (!outcome.problems.isEmpty())
        return {};
    const auto &config = outcome.config;
    const bool sane = config.port >= 0 && config.port <= 65535 && config.parallelRefreshes >= 1 &&
                      config.pollInterval.count() > 0 && config.reloadInterval.count() >= 0 &&
                      config.shutdownGrace.count() >= 0 && config.longestRetry.count() >= 0 &&
                      !config.executor.plugin.isEmpty() && !config.detector.plugin.isEmpty() &&
                      !config.state.plugin.isEmpty();
    return sane ? QString() : QStringLiteral("a setting that cannot work is accepted");
}

}  // namespace ivm::fuzz
