// Times how long the views of a file take to be parsed and understood.
//
//   parse_views FILE ROUNDS     prints, as JSON, each view's query and its seconds in every round

#include "framework/host/views_file.h"
#include "framework/view/shape.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace ivm;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};

int complain(const Error &error)
{
    qCritical("%s", qPrintable(error.text()));
    return 1;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        qCritical("parse_views: expected FILE ROUNDS");
        return 2;
    }
    const auto file = readViewsFile(QFile::decodeName(argv[1]), kDefaults);
    if (!file.problems.isEmpty())
        return complain(file.problems.first());
    const int rounds = QByteArray(argv[2]).toInt();
    QList<QJsonArray> seconds(file.views.size());
    for (int round = 0; round < rounds; ++round) {
        for (qsizetype i = 0; i < file.views.size(); ++i) {
            QElapsedTimer timer;
            timer.start();
            const auto shape = shapeOf(file.views[i].spec, kDefaults);
            const qint64 taken = timer.nsecsElapsed();
            if (!shape)
                return complain(shape.error());
            seconds[i].append(double(taken) / 1e9);
        }
    }
    QJsonArray views;
    for (qsizetype i = 0; i < file.views.size(); ++i)
        views.append(QJsonObject{{QStringLiteral("name"), file.views[i].spec.name},
                                 {QStringLiteral("query"), file.views[i].spec.query},
                                 {QStringLiteral("seconds"), seconds[i]}});
    QFile out;
    if (!out.open(stdout, QIODevice::WriteOnly) || out.write(QJsonDocument(views).toJson()) < 0)
        return 1;
    return 0;
}
