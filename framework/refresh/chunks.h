// How the first build of a large view is cut, so that each commit is of a bearable size and a build
// that broke off goes on where it was.
//
// Pure; any thread.
#pragma once

#include "framework/refresh/measured_column.h"
#include "framework/view/range_set.h"

namespace ivm {

// Of buckets: the first is open below, the last open above and has the NULL bucket; together they
// hold everything. `from` names a chunk: its first bucket as text, "start" for the first.
struct Chunk {
    QString from;
    RangeSet ranges;
};

// Chunks of one unit each over what the bounds span, or of the next coarser units where there would
// be more than a thousand. One chunk for everything where the bounds are not known or the keys are
// no times.
QList<Chunk> chunksOf(const MeasuredColumn &column, const Type &bucketType, BucketUnit unit,
                      const FileBounds &bounds);

}  // namespace ivm
