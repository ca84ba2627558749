/** Every struct of Open MPI that is read, with the fields that are wanted. Tables are trimmed to, and tested against, this. */
import type { StructSpec } from '../../../struct';
import * as attributes from './attributes';
import * as comm from './comm';
import * as containers from './containers';
import * as datatype from './datatype';
import * as errhandler from './errhandler';
import * as file from './file';
import * as group from './group';
import * as info from './info';
import * as op from './op';
import * as request from './request';
import * as session from './session';
import * as topology from './topology';
import * as win from './win';

export * from './attributes';
export * from './comm';
export * from './containers';
export * from './datatype';
export * from './errhandler';
export * from './file';
export * from './group';
export * from './info';
export * from './op';
export * from './request';
export * from './session';
export * from './topology';
export * from './win';

export const specs: readonly StructSpec[] = [
  attributes,
  comm,
  containers,
  datatype,
  errhandler,
  file,
  group,
  info,
  op,
  request,
  session,
  topology,
  win,
].flatMap((specs) => Object.values<StructSpec>(specs));
