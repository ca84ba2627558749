/** Files. */
import { i32, i64, pointer, struct, u32 } from '../../../struct';

/** ROMIO's struct: an MPI_File is its address. */
export const fileSpec = struct('ADIOI_FileD', {
  cookie: i32('cookie'),
  position: i64('fp_ind'),
  comm: u32('comm'),
  isOpen: i32('is_open'),
  fileName: pointer('filename'),
  accessMode: i32('orig_access_mode'),
  disp: i64('disp'),
  etype: u32('etype'),
  filetype: u32('filetype'),
  etypeSize: i64('etype_size'),
  info: u32('info'),
  sharedPointerFile: pointer('shared_fp_fd'),
  isAtomic: i32('atomicity'),
  fortranHandle: i32('fortran_handle'),
  errhandler: u32('err_handler'),
});
