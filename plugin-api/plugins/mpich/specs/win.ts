/** Windows. */
import { chars, i32, i64, pointer, struct, u32 } from '../../../struct';

export const winSpec = struct('MPIR_Win', {
  handle: u32('handle'),
  errhandler: pointer('errhandler'),
  base: pointer('base'),
  size: i64('size'),
  dispUnit: i32('disp_unit'),
  comm: pointer('comm_ptr'),
  name: chars('name'),
  flavor: i32('create_flavor'),
  model: i32('model'),
});

export const winNameSpec = struct('MPIR_Win', { name: chars('name') });

/** What the device ch4 keeps of a window. */
export const deviceWinSpec = struct('MPIR_Win', {
  access: i32('dev.am.sync.access_epoch_type'),
  exposure: i32('dev.am.sync.exposure_epoch_type'),
  noLocks: i32('dev.am.info_args.no_locks'),
});

export const epochGroupSpec = struct('MPIR_Win', {
  startGroup: pointer('dev.am.sync.sc.group'),
  postGroup: pointer('dev.am.sync.pw.group'),
  completes: u32('dev.am.sync.sc.count'),
  posts: u32('dev.am.sync.pw.count'),
});
