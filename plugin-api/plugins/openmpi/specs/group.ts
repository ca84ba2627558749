/** Groups and processes. */
import { i32, pointer, struct, u32 } from '../../../struct';

export const groupSpec = struct('ompi_group_t', {
  count: i32('grp_proc_count'),
  rank: i32('grp_my_rank'),
  fortranHandle: i32('grp_f_to_c_index'),
  flags: u32('grp_flags'),
  procs: pointer('grp_proc_pointers'),
});

/** The base of ompi_proc_t, whose own size depends on the components that were built. */
export const procSpec = struct('opal_proc_t', {
  jobid: u32('proc_name.jobid'),
  vpid: u32('proc_name.vpid'),
});
