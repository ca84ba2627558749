/** Datatypes. */
import { chars, i32, i64, pointer, struct, u32 } from '../../../struct';

export const datatypeSpec = struct('MPIR_Datatype', {
  handle: u32('handle'),
  size: i64('size'),
  extent: i64('extent'),
  lb: i64('lb'),
  trueUb: i64('true_ub'),
  trueLb: i64('true_lb'),
  name: chars('name'),
  isCommitted: i32('is_committed'),
  isContiguous: i32('is_contig'),
  contents: pointer('contents'),
});

export const datatypeNameSpec = struct('MPIR_Datatype', { name: chars('name') });

/** The arguments of a datatype's constructor lie behind it. */
export const contentsSpec = struct('MPIR_Datatype_contents', {
  combiner: i32('combiner'),
  integers: i64('nr_ints'),
  addresses: i64('nr_aints'),
  counts: i64('nr_counts'),
  datatypes: i64('nr_types'),
});
