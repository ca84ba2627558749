/** The scopes of a source file and the meaning of their names; program.ts resolves names across files. */
import type { HandleKind } from '../mpi/records';
import { mpiTypeKind } from './bindings';
import type { DerivedType, SourceLocation, Scope, SourceModel, Variable } from './program-model';

/** A source file in a program. The object survives edits that change nothing for other files. */
export interface LinkedFile {
  model: SourceModel;
  /** In the order of the model's scopes. */
  scopes: LinkedScope[];
  /** Its external procedures; undefined: two have this name. */
  readonly externals: Map<string, LinkedScope | undefined>;
  /** Its modules and submodules, by moduleName; undefined: two have this name. */
  readonly modules: Map<string, LinkedScope | undefined>;
  /** Modules, external procedures and common blocks that were looked up from here, found or not. */
  readonly asked: Set<string>;
  /** Files whose modules were used by lookups from here. */
  readonly through: Set<LinkedFile>;
}

export interface LinkedScope {
  readonly file: LinkedFile;
  scope: Scope;
  parent: LinkedScope | undefined;
  readonly procedures: Map<string, LinkedScope>;
  readonly entities: Map<string, Entity>;
  /** Components of the derived types defined here, by "type%component". */
  readonly components: Map<string, Entity>;
  /** Results of lookups from here, including names of the host; also undefined while a lookup is under way. */
  readonly found: Map<string, Found | undefined>;
  /** Results of lookups among its own names and those of modules it uses, without names of the host. */
  readonly own: Map<string, Found | undefined>;
  readonly types: Map<string, TypeInScope | undefined>;
}

export interface TypeInScope {
  readonly type: DerivedType;
  readonly scope: LinkedScope;
}

/**
 * A variable, a component of a derived type (one for all objects), a position in a common block, a function's result.
 */
export interface Entity {
  readonly name: string;
  /** undefined: implicitly typed. */
  variable: Variable | undefined;
  /** The place of its declaration; if implicitly typed, of its first use. */
  location: SourceLocation;
  /** The scope in which its derived type is looked up. */
  readonly scope: LinkedScope;
  readonly isInteger: boolean;
  /** Its kind by declaration: a type of mpi_f08, or an array of MPI_STATUS_SIZE. */
  readonly declaredKind: HandleKind | undefined;
}

export type Found =
  | { what: 'entity'; entity: Entity }
  | { what: 'procedure'; procedure: LinkedScope }
  | { what: 'generic'; procedures: LinkedScope[] };

export function linkFile(model: SourceModel): LinkedFile {
  const asked = new Set(commonBlocks(model));
  const file: LinkedFile = {
    model,
    scopes: [],
    externals: new Map(),
    modules: new Map(),
    asked,
    through: new Set(),
  };
  for (const scope of model.scopes) {
    const here = linkScope(file, scope, scope.parent === undefined ? undefined : file.scopes[scope.parent]);
    file.scopes.push(here);
    const module = moduleName(scope);
    if (module !== undefined) unlessTwice(file.modules, module, here);
    if (!isProcedure(scope)) continue;
    if (here.parent !== undefined) here.parent.procedures.set(scope.name, here);
    else if (!scope.isInterface) unlessTwice(file.externals, scope.name, here);
  }
  return file;
}

export function linkScope(file: LinkedFile, scope: Scope, parent: LinkedScope | undefined): LinkedScope {
  return {
    file,
    scope,
    parent,
    procedures: new Map(),
    entities: new Map(),
    components: new Map(),
    found: new Map(),
    own: new Map(),
    types: new Map(),
  };
}

export const isProcedure = ({ kind }: Scope): boolean => kind === 'subroutine' || kind === 'function';

/** A scope inside a procedure; its names are not visible elsewhere. */
export const isConstruct = ({ kind }: Scope): boolean => kind === 'block' || kind === 'associate' || kind === 'select';

/** Sets the scope for a name; a second scope makes the name ambiguous, that is undefined. */
export function unlessTwice(map: Map<string, LinkedScope | undefined>, name: string, scope: LinkedScope): void {
  map.set(name, map.has(name) ? undefined : scope);
}

export function newEntity(
  scope: LinkedScope,
  name: string,
  variable: Variable | undefined,
  location: SourceLocation,
): Entity {
  const isStatus = variable?.type === 'integer' && variable.dimensions[0] === 'mpi_status_size';
  return {
    name,
    variable,
    location,
    scope,
    isInteger: (variable?.type ?? typeOfImplicit(name)) === 'integer',
    declaredKind: isStatus ? 'status' : mpiTypeKind(variable?.typeName ?? ''),
  };
}

/**
 * A variable's position in a common block. Equal slots share memory, because everything before them has equal layout.
 */
export interface CommonSlot {
  readonly block: string;
  readonly index: number;
  /** A hash of the types and extents of this variable and of all before it. */
  readonly layout: number;
}

const commonSlots = new WeakMap<Scope, ReadonlyMap<string, CommonSlot>>();

export function commonSlotOf(scope: Scope, name: string): CommonSlot | undefined {
  if (scope.commons.length === 0) return undefined;
  let slots = commonSlots.get(scope);
  if (slots === undefined) commonSlots.set(scope, (slots = commonSlotsIn(scope)));
  return slots.get(name);
}

function commonSlotsIn({ commons, variables }: Scope): ReadonlyMap<string, CommonSlot> {
  const slots = new Map<string, CommonSlot>();
  for (const { block, names } of commons) {
    let layout = 0;
    for (const [index, name] of names.entries()) {
      const { type, dimensions } = variables.get(name) ?? { type: typeOfImplicit(name), dimensions: [] };
      layout = extendedHash(`${type}(${dimensions.join()})`, layout);
      if (!slots.has(name)) slots.set(name, { block, index, layout });
    }
  }
  return slots;
}

function extendedHash(text: string, before: number): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

const typeOfImplicit = (name: string): Variable['type'] => (/^[i-n]/.test(name) ? 'integer' : 'other');

export function commonBlocks({ scopes }: SourceModel): string[] {
  return scopes.flatMap(({ commons }) => commons.map(({ block }) => block));
}

/** The name by which a module is used, or "module:submodule" for a submodule; undefined for any other scope. */
export function moduleName({ kind, name, ancestor }: Scope): string | undefined {
  if (kind === 'submodule') return `${ancestor?.replace(/:.*/, '')}:${name}`;
  return kind === 'module' ? name : undefined;
}
