/** The structs of MPICH that the plugin reads, and of each the fields. Every shipped table is tested against them. */
import { struct, type StructSpec, u32 } from '../../../struct';
import * as attributes from './attributes';
import * as buffers from './buffers';
import * as comm from './comm';
import * as containers from './containers';
import * as datatype from './datatype';
import * as errhandler from './errhandler';
import * as file from './file';
import * as group from './group';
import * as info from './info';
import * as op from './op';
import * as request from './request';
import * as schedules from './schedules';
import * as session from './session';
import * as topology from './topology';
import * as win from './win';

export * from './attributes';
export * from './buffers';
export * from './comm';
export * from './containers';
export * from './datatype';
export * from './errhandler';
export * from './file';
export * from './group';
export * from './info';
export * from './op';
export * from './request';
export * from './schedules';
export * from './session';
export * from './topology';
export * from './win';

/** Only what the size of a pool's elements is checked against. */
function sizeSpec(name: string) {
  return struct(name, { handle: u32('handle') });
}

/** The classes of objects by their number in pool headers and handles, as far as every release since 4.0 has them. */
export const classSpecs: ReadonlyMap<number, StructSpec> = new Map<number, StructSpec>([
  [1, sizeSpec('MPIR_Comm')],
  [2, sizeSpec('MPIR_Group')],
  [3, sizeSpec('MPIR_Datatype')],
  [5, sizeSpec('MPIR_Errhandler')],
  [6, sizeSpec('MPIR_Op')],
  [7, sizeSpec('MPIR_Info')],
  [8, sizeSpec('MPIR_Win')],
  [9, sizeSpec('MPII_Keyval')],
  [10, sizeSpec('MPIR_Attribute')],
  [11, sizeSpec('MPIR_Request')],
  [13, sizeSpec('MPIR_Grequest_class')],
  [14, sizeSpec('MPIR_Session')],
]);

export const specs: readonly StructSpec[] = [
  attributes,
  buffers,
  comm,
  containers,
  datatype,
  errhandler,
  file,
  group,
  info,
  op,
  request,
  schedules,
  session,
  topology,
  win,
]
  .flatMap((specs) => Object.values<StructSpec>(specs))
  .concat([...classSpecs.values()]);
