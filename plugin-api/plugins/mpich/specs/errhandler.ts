/** Error handlers. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

/** 4.3 added destructor_fn, and with it functions whose language a binding knows. */
export const errhandlerSpec = struct('MPIR_Errhandler', {
  handle: u32('handle'),
  references: i32('ref_count'),
  language: i32('language'),
  kind: i32('kind'),
  function: pointer('errfn'),
  destructor: optional(pointer('destructor_fn')),
});
