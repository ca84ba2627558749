/** Operations. */
import { chars, i32, pointer, struct, u32 } from '../../../struct';

export const opSpec = struct('ompi_op_t', {
  name: chars('o_name'),
  flags: u32('o_flags'),
  fortranHandle: i32('o_f_to_c_index'),
  function: pointer('o_func.c_fn'),
});
