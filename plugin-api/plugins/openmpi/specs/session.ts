/** Sessions. */
import { chars, i32, pointer, struct } from '../../../struct';

/** Sessions are instances; since 5.0.0. */
export const sessionSpec = struct('ompi_instance_t', {
  name: chars('i_name'),
  threadLevel: i32('i_thread_level'),
  fortranHandle: i32('i_f_to_c_index'),
  errhandler: pointer('error_handler'),
});
