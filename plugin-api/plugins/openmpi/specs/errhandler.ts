/** Error handlers. */
import { chars, i32, optional, pointer, struct } from '../../../struct';

export const errhandlerSpec = struct('ompi_errhandler_t', {
  name: chars('eh_name'),
  type: i32('eh_mpi_object_type'),
  language: i32('eh_lang'),
  commFunction: pointer('eh_comm_fn'),
  fileFunction: pointer('eh_file_fn'),
  winFunction: pointer('eh_win_fn'),
  // Since 5.0.0.
  sessionFunction: optional(pointer('eh_instance_fn')),
  fortranFunction: pointer('eh_fort_fn'),
  fortranHandle: i32('eh_f_to_c_index'),
});
