#include "framework/refresh/ownership.h"

#include "framework/view/outputs.h"

namespace ivm {

Result<bool> hasRows(const TableName &table, Session &session, const Call &call)
{
    const QString first = QStringLiteral("SELECT 1 FROM %1 LIMIT 1").arg(table.quoted());
    IVM_TRY(const Rows rows, query(session, first, call));
    return !rows.rows.empty();
}

Status checkOwnership(const ViewSpec &spec, const TableInfo &target, Session &session,
                      const Call &call)
{
    if (!target.head.snapshot || tellsOf(target.comment, spec))
        return {};
    IVM_TRY(const bool rows, hasRows(target.name, session, call));
    if (!rows)
        return {};
    const auto other = viewToldOf(target.comment);
    Error error = invalidError(QStringLiteral("view '%1': table %2 %3")
                                   .arg(spec.name, target.name.text(),
                                        other ? QStringLiteral("is kept for view '%1'").arg(*other)
                                              : QStringLiteral("holds rows that no refresh of the "
                                                               "view has written")))
                      .withCode(u"target_in_use")
                      .withHint(QStringLiteral("Give the view another target_table. Or let it "
                                               "replace those rows by its own: ivmctl refresh %1 "
                                               "--adopt")
                                    .arg(spec.name));
    error.place = spec.queryPlace;
    return fail(std::move(error));
}

Status takeOwnership(const ViewSpec &spec, const TableInfo &target, Session &session,
                     const Call &call)
{
    ViewSpec kept = spec;
    kept.comment = target.comment;
    IVM_CHECK(execute(session,
                      QStringLiteral("COMMENT ON TABLE %1 IS %2")
                          .arg(target.name.quoted(), quotedLiteral(targetComment(kept))),
                      call));
    return {};
}

}  // namespace ivm
