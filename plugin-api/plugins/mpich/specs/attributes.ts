/** Attributes. */
import { i32, i64, pointer, struct, u32 } from '../../../struct';

export const attributeSpec = struct('MPIR_Attribute', {
  handle: u32('handle'),
  keyval: pointer('keyval'),
  next: pointer('next'),
  type: i32('attrType'),
  value: i64('value'),
});

export const keyvalSpec = struct('MPII_Keyval', {
  handle: u32('handle'),
  kind: i32('kind'),
  copyFunction: pointer('copyfn.user_function'),
  deleteFunction: pointer('delfn.user_function'),
});
