/** Error handlers. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

/** 4.3 added extra_state, and with it functions of a language binding that call the program's. */
export const errhandlerSpec = struct('MPIR_Errhandler', {
  handle: u32('handle'),
  references: i32('ref_count'),
  language: i32('language'),
  kind: i32('kind'),
  function: pointer('errfn'),
  extraState: optional(pointer('extra_state')),
});
