#include "framework/view/functions.h"

#include <algorithm>
#include <utility>

namespace ivm {

namespace {

using enum FunctionNature;

// Everything that is not here is a scalar function.
constexpr std::pair<QStringView, FunctionNature> kNatures[] = {
    {u"any_value", OrderDependentAggregate},
    {u"approx_distinct", ApproximateAggregate},
    {u"approx_most_frequent", ApproximateAggregate},
    {u"approx_percentile", ApproximateAggregate},
    {u"approx_set", ApproximateAggregate},
    {u"arbitrary", OrderDependentAggregate},
    {u"array_agg", OrderDependentAggregate},
    {u"avg", SumAggregate},
    {u"bitwise_and_agg", ExactAggregate},
    {u"bitwise_or_agg", ExactAggregate},
    {u"bitwise_xor_agg", ExactAggregate},
    {u"bool_and", ExactAggregate},
    {u"bool_or", ExactAggregate},
    {u"checksum", ExactAggregate},
    {u"corr", SumAggregate},
    {u"count", ExactAggregate},
    {u"count_if", ExactAggregate},
    {u"covar_pop", SumAggregate},
    {u"covar_samp", SumAggregate},
    {u"entropy", SumAggregate},
    {u"every", ExactAggregate},
    {u"geometric_mean", SumAggregate},
    {u"histogram", OrderDependentAggregate},
    {u"kurtosis", SumAggregate},
    {u"listagg", OrderDependentAggregate},
    {u"make_set_digest", ApproximateAggregate},
    {u"map_agg", OrderDependentAggregate},
    {u"map_union", OrderDependentAggregate},
    {u"max", ExactAggregate},
    {u"max_by", OrderDependentAggregate},
    {u"merge", ApproximateAggregate},
    {u"merge_set_digest", ApproximateAggregate},
    {u"min", ExactAggregate},
    {u"min_by", OrderDependentAggregate},
    {u"multimap_agg", OrderDependentAggregate},
    {u"now", Volatile},
    {u"numeric_histogram", ApproximateAggregate},
    {u"qdigest_agg", ApproximateAggregate},
    {u"rand", Volatile},
    {u"random", Volatile},
    {u"reduce_agg", OrderDependentAggregate},
    {u"regr_intercept", SumAggregate},
    {u"regr_slope", SumAggregate},
    {u"set_agg", OrderDependentAggregate},
    {u"set_union", OrderDependentAggregate},
    {u"shuffle", Volatile},
    {u"skewness", SumAggregate},
    {u"stddev", SumAggregate},
    {u"stddev_pop", SumAggregate},
    {u"stddev_samp", SumAggregate},
    {u"sum", SumAggregate},
    {u"tdigest_agg", ApproximateAggregate},
    {u"uuid", Volatile},
    {u"var_pop", SumAggregate},
    {u"var_samp", SumAggregate},
    {u"variance", SumAggregate},
};
}  // namespace

FunctionNature functionNature(QStringView name)
{
    const auto at =
        std::ranges::find(kNatures, name, &std::pair<QStringView, FunctionNature>::first);
    return at != std::end(kNatures) ? at->second : Scalar;
}

bool isAggregate(FunctionNature nature) { return nature != Scalar && nature != Volatile; }

}  // namespace ivm
