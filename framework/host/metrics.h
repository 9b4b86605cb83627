// What monitoring reads from /metrics, in Prometheus' text format.
//
// The names that begin with mv_refresh, mv_config and mv_views are those of a system that this one
// replaces, with the same labels and meaning (a Diff or a rebuild counts as full, nothing to do as
// skip), so that its dashboards and alerts go on. Series of a view end with the view.
//
// Threads: any.
#pragma once

#include "framework/refresh/outcome.h"

#include <chrono>
#include <memory>

namespace ivm {

class Metrics {
public:
    Metrics();
    ~Metrics();
    Metrics(const Metrics &) = delete;
    Metrics &operator=(const Metrics &) = delete;

    // The views that are configured; the series of others end.
    void setViews(const QStringList &names);
    // Of a refused view nothing is refreshed, and so it has no lag either.
    void setRefused(const QString &view, bool refused);
    void reloaded();
    // Whether the files on disk are those that are in force.
    void setConfigurationGood(bool good);

    void looked(std::chrono::duration<double> took, bool failed);
    void setQueue(int waiting, int running);
    // How long the view has been out of date, and what is asked of it.
    void setLag(const QString &view, std::chrono::duration<double> lag,
                std::optional<std::chrono::duration<double>> target);

    void refreshed(const RefreshOutcome &outcome, const QDateTime &now);
    // By the records of an earlier process: how old the rows are does not begin anew.
    void succeededBefore(const QString &view, const QDateTime &when);
    void verified(const QString &view, bool equal, const QDateTime &now);

    QByteArray text() const;

private:
    struct Families;
    std::unique_ptr<Families> m_families;
};

}  // namespace ivm
