// ivmctl check: validates configuration and views without touching anything, and tells what each
// view means.
#include "cli/ivmctl/commands/migrate_parts.h"

#include "framework/refresh/macro_error.h"
#include "framework/refresh/view_error.h"
#include "framework/refresh/view_session.h"
#include "framework/view/meaning.h"
#include "framework/view/outputs.h"
#include "framework/host/documents.h"

#include <QFileInfo>

#include <algorithm>

namespace ivm::ctl {

namespace {

constexpr int kNameWidth = 11;  // of a line's name, with the space after it

class Check {
public:
    explicit Check(Context &context) : m_context(context), m_terminal(context.terminal) {}

    Exit run()
    {
        Host &host = m_context.host();
        reportAll(host.problems());
        // Views are looked at even when the configuration is wrong: a user mends both at once.
        const bool isOnline = m_context.arguments.has(QStringLiteral("--online"));
        const Definitions definitions =
            isOnline && host.problems().isEmpty() ? host.definitions() : host.definitionsOfFile();
        reportAll(definitions.problems());
        for (const auto &definition : definitions.all()) {
            reportAll(definition.problems);
            if (definition.contradiction)
                report(*definition.contradiction, QStringLiteral("error"));
            for (const auto &warning : definition.warnings)
                report(warning, QStringLiteral("warning"));
            tell(definition);
        }
        checkMigrations();
        if (isOnline && host.problems().isEmpty())
            goOnline(definitions);
        return finish(definitions.all().size());
    }

private:
    // Of the default line, where there is one.
    void checkMigrations()
    {
        const auto request = folderRequest(m_context);
        if (QFileInfo::exists(request.folder))
            reportAll(migrate::readFolder(request).problems);
    }

    void reportAll(const QList<Error> &problems)
    {
        for (const auto &problem : problems)
            report(problem, QStringLiteral("error"));
    }

    void report(const Error &problem, const QString &severity)
    {
        const bool isError = severity == u"error";
        isError ? m_terminal.error(problem) : m_terminal.warning(problem);
        isError ? ++m_errors : ++m_warnings;
        QJsonObject object = errorJson(m_terminal.shown(problem));
        object.insert(QStringLiteral("severity"), severity);
        for (const QString &key : {QStringLiteral("file"), QStringLiteral("hint")}) {
            if (!object.contains(key))
                object.insert(key, QJsonValue::Null);
        }
        m_problems.append(object);
    }

    void tell(const Definition &definition)
    {
        m_views.append(viewJson(definition));
        if (m_terminal.isJson())
            return;
        const QString name = m_terminal.paint(Colour::Bold, definition.spec.name);
        if (!definition.shape)
            return m_terminal.line(name + QStringLiteral(": ") +
                                   m_terminal.paint(Colour::Red, u"refused"));
        const ViewShape &shape = *definition.shape;
        m_terminal.line(name + QStringLiteral(": %1 -> %2")
                                   .arg(visible(sourceNames(shape).join(QStringLiteral(", "))),
                                        visible(definition.spec.target.text())));
        for (const auto &line : meaningOf({definition.spec, shape}))
            m_terminal.line(QStringLiteral("  %1%2").arg(line.name.leftJustified(kNameWidth),
                                                         visible(line.text)));
    }

    static QJsonObject viewJson(const Definition &definition)
    {
        QJsonObject out{{QStringLiteral("name"), definition.spec.name},
                        {QStringLiteral("target"), definition.spec.target.text()},
                        {QStringLiteral("refused"), definition.isRefused()}};
        if (!definition.shape)
            return out;
        const ViewShape &shape = *definition.shape;
        out.insert(QStringLiteral("sources"), QJsonArray::fromStringList(sourceNames(shape)));
        out.insert(QStringLiteral("strategy"), strategyName(shape.strategy));
        out.insert(QStringLiteral("why"), shape.why);
        out.insert(QStringLiteral("columns"), columnsJson(shape));
        if (shape.bucket)
            out.insert(QStringLiteral("bucket"), bucketJson(*shape.bucket));
        return out;
    }

    // The unit is that of one whole unit; what a bucket is in words says everything.
    static QJsonObject bucketJson(const ShapeBucket &bucket)
    {
        QJsonObject out{{QStringLiteral("column"), bucket.column},
                        {QStringLiteral("words"), bucket.words}};
        if (bucket.form != ShapeBucket::Form::Computed)
            out.insert(QStringLiteral("unit"), bucketUnitName(bucket.unit));
        return out;
    }

    // Asks the engine for each query's columns, whether an existing target has them, and what the
    // user may not do.
    void goOnline(const Definitions &definitions)
    {
        const auto executor = m_context.host().executor();
        if (!executor) {
            m_isEngineAway = isAway(executor.error());
            return report(executor.error(), QStringLiteral("error"));
        }
        for (const auto &view : definitions.views()) {
            m_terminal.progress(QStringLiteral("%1 …").arg(view.spec.name));
            const auto fits = checkOnline(**executor, view);
            if (fits)
                continue;
            if (const auto source = unbuiltSource(definitions, view, fits.error()))
                report(*source, QStringLiteral("warning"));
            else
                report(fits.error(), QStringLiteral("error"));
            m_isEngineAway = isAway(fits.error());
            if (m_isEngineAway)
                return;
        }
    }

    // A table that is missing only because the view that makes it has not run yet.
    static std::optional<Error> unbuiltSource(const Definitions &definitions, const View &view,
                                              const Error &error)
    {
        if (error.kind != ErrorKind::NotFound)
            return std::nullopt;
        for (const auto &other : definitions.views()) {
            const bool isRead = std::ranges::find(view.shape.sources, other.spec.target,
                                                  &ShapeSource::table) != view.shape.sources.end();
            if (isRead && error.message.contains(other.spec.target.text()))
                return notFoundError(
                           QStringLiteral("view '%1' cannot be looked at before its source %2 is "
                                          "there")
                               .arg(view.spec.name, other.spec.target.text()))
                    .withCode(u"source_not_built")
                    .at(view.spec.queryPlace)
                    .withHint(QStringLiteral("Run: ivmctl refresh %1").arg(other.spec.name));
        }
        return std::nullopt;
    }

    // An engine that is not there now says nothing about the view.
    static bool isAway(const Error &error)
    {
        return error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Timeout ||
               error.kind == ErrorKind::Cancelled;
    }

    Status checkOnline(Executor &executor, const View &view)
    {
        IVM_TRY(const auto opened, openViewSession(executor, view.spec, m_context.call));
        Session &session = *opened;
        auto described = session.describe(view.shape.query, m_context.call);
        if (!described && isAway(described.error()))
            return fail(described.error());
        if (!described) {
            if (const auto told = macroError(described.error(), session, view, m_context.call))
                return fail(*told);
            auto error = std::move(described).error();
            const Place place = error.place.line > 0
                                    ? view.spec.placeInFile(error.place.line, error.place.column)
                                    : view.spec.queryPlace;
            error.place = place;
            return fail(std::move(error).during(QStringLiteral("view '%1'").arg(view.spec.name)));
        }
        IVM_TRY(const auto outputs, outputColumns(view.spec, view.shape, *described));
        IVM_CHECK(checkPrivileges(session, view, outputs));
        const auto target = session.tableInfo(view.spec.target, m_context.call);
        if (!target && target.error().kind != ErrorKind::NotFound)
            return fail(forPeople(view, target.error()));
        return target ? checkTargetColumns(view.spec, outputs, *target) : Status();
    }

    Status checkPrivileges(Session &session, const View &view, const QList<OutputColumn> &outputs)
    {
        QList<TableName> sources;
        for (const auto &source : view.shape.sources)
            sources.append(source.table);
        const Replacement replacement{view.spec.target, outputs, view.shape.query};
        const auto missing = session.missingPrivileges(replacement, sources, m_context.call);
        if (!missing)
            return fail(forPeople(view, missing.error()));
        for (const auto &error : *missing) {
            // What all views lack is told with the first.
            const QString text = error.text();
            if (m_told.contains(text))
                continue;
            m_told.insert(text);
            report(forPeople(view, error), error.code == kCannotSettle ? QStringLiteral("warning")
                                                                       : QStringLiteral("error"));
        }
        return {};
    }

    Exit finish(qsizetype views)
    {
        if (m_terminal.isJson())
            m_terminal.json({{QStringLiteral("ok"), m_errors == 0},
                             {QStringLiteral("problems"), m_problems},
                             {QStringLiteral("views"), m_views}});
        const QString count =
            QStringLiteral("%1 %2").arg(views).arg(views == 1 ? u"view" : u"views");
        m_terminal.note(QStringLiteral("%1, %2 %3, %4 %5")
                            .arg(count)
                            .arg(m_errors)
                            .arg(m_errors == 1 ? u"error" : u"errors")
                            .arg(m_warnings)
                            .arg(m_warnings == 1 ? u"warning" : u"warnings"));
        if (m_errors == 0)
            return Exit::Done;
        return m_isEngineAway && m_errors == 1 ? Exit::Failed : Exit::Usage;
    }

    Context &m_context;
    Terminal &m_terminal;
    QJsonArray m_problems;
    QJsonArray m_views;
    QSet<QString> m_told;
    int m_errors = 0;
    int m_warnings = 0;
    bool m_isEngineAway = false;  // which is one of the errors
};

Exit run(Context &context) { return Check(context).run(); }

}  // namespace

Command checkCommand()
{
    return {{.name = QStringLiteral("check"),
             .words = {},
             .summary = QStringLiteral("validates configuration and views"),
             .details = QStringLiteral("Reads the configuration and the views and prints what each "
                                       "view means, or where and why\n"
                                       "it is refused. Touches nothing and asks no engine, unless "
                                       "--online is given. Ends with 2\n"
                                       "when something is wrong, with 1 when only the engine does "
                                       "not answer."),
             .examples = {QStringLiteral("ivmctl check"), QStringLiteral("ivmctl check --online"),
                          QStringLiteral("ivmctl check --json --views new-views.yaml")},
             .options = {{QStringLiteral("--online"),
                          {},
                          QStringLiteral("also ask the engine for the columns of each query, and "
                                         "what the user may not do")}},
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
