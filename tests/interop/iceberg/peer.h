// The Python side of the interop tests: PyIceberg and Trino, asked by name.
//
// One thread. The process ends with the object. The Python is $IVM_TEST_PYTHON, else the one that
// tests/setup/python makes.
#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

namespace ivm::test {

class Peer {
public:
    // Says what is wrong, or nothing.
    QString start(const QString &warehouse)
    {
        const QString folder = QStringLiteral(IVM_SOURCE_DIR "/tests/interop/");
        QString python = qEnvironmentVariable("IVM_TEST_PYTHON");
        if (python.isEmpty()) {
            QProcess finder;
            finder.start(QStringLiteral(IVM_SOURCE_DIR "/tests/setup/python"),
                         {QStringLiteral("tests/interop")});
            constexpr int kDownloads = 280'000;
            if (!finder.waitForFinished(kDownloads) || finder.exitCode() != 0)
                return QStringLiteral("no Python: ") +
                       QString::fromUtf8(finder.readAllStandardError());
            python = QString::fromUtf8(finder.readAllStandardOutput()).trimmed();
        }
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(python, {folder + QStringLiteral("iceberg/peer.py"), warehouse});
        if (!m_process.waitForStarted())
            return python + QStringLiteral(": ") + m_process.errorString();
        return {};
    }

    ~Peer()
    {
        m_process.closeWriteChannel();
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(10'000))
            m_process.kill();
    }

    // The answer; its member "error" says what went wrong.
    QJsonObject ask(const QString &what, QJsonObject arguments)
    {
        arguments.insert(QStringLiteral("do"), what);
        m_process.write(QJsonDocument(arguments).toJson(QJsonDocument::Compact) + '\n');
        constexpr int kPatience = 60'000;
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(kPatience))
                return {{QStringLiteral("error"),
                         QStringLiteral("%1: no answer: %2").arg(what, m_process.errorString())}};
        }
        return QJsonDocument::fromJson(m_process.readLine()).object();
    }

    // The rows of a statement on Trino, the values of each joined; or the error alone.
    QStringList sql(const QString &text)
    {
        const auto answer = ask(QStringLiteral("sql"), {{QStringLiteral("text"), text}});
        if (answer.contains(u"error"))
            return {answer.value(u"error").toString()};
        QStringList rows;
        const auto list = answer.value(u"rows").toArray();
        for (const auto &row : list) {
            QStringList values;
            const auto parts = row.toArray();
            for (const auto &value : parts)
                values.append(value.toVariant().toString());
            rows.append(values.join(u'|'));
        }
        return rows;
    }

private:
    QProcess m_process;
};

}  // namespace ivm::test
