/** Operations. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

/** 4.3 replaced the kinds that do not commute by is_commute, dropped the language, and has what a binding adds. */
export const opSpec = struct('MPIR_Op', {
  handle: u32('handle'),
  kind: i32('kind'),
  language: optional(i32('language')),
  isCommutative: optional(i32('is_commute')),
  function: pointer('function'),
  extraState: optional(pointer('extra_state')),
});
