/** The scopes of a source file with what names in them mean; a program's files are linked to each other in program.ts. */
import type { HandleKind } from '../mpi/records';
import { mpiTypeKind } from './bindings';
import type { DerivedType, SourceLocation, Scope, SourceModel, Variable } from './program-model';

/** A source file in a program. It stays the same one through edits that change nothing for other files. */
export interface LinkedFile {
  model: SourceModel;
  /** In the order of the model's. */
  scopes: LinkedScope[];
  /** Its external procedures; undefined: there are two of the name. */
  readonly externals: Map<string, LinkedScope | undefined>;
  /** The same for its modules and submodules, by moduleName. */
  readonly modules: Map<string, LinkedScope | undefined>;
  /** Names of modules, external procedures and common blocks that were looked for from here, found or not. */
  readonly asked: Set<string>;
  /** Files through whose USE statements something was looked for from here. */
  readonly through: Set<LinkedFile>;
}

export interface LinkedScope {
  readonly file: LinkedFile;
  scope: Scope;
  parent: LinkedScope | undefined;
  readonly procedures: Map<string, LinkedScope>;
  readonly entities: Map<string, Entity>;
  /** Of the derived types defined here, by "type%component". */
  readonly components: Map<string, Entity>;
  /** What names mean here, as far as they were asked for; undefined also while one is being looked for. */
  readonly found: Map<string, Found | undefined>;
  /** The same for names of its own and of modules it uses, without those of its host. */
  readonly own: Map<string, Found | undefined>;
  readonly types: Map<string, TypeInScope | undefined>;
}

export interface TypeInScope {
  readonly type: DerivedType;
  readonly scope: LinkedScope;
}

/** A variable, a component of a derived type (one for all objects), a place in a common block, a function's result. */
export interface Entity {
  readonly name: string;
  /** Missing: implicitly typed. */
  variable: Variable | undefined;
  /** Where it is declared; where it is used first, when implicitly. */
  location: SourceLocation;
  /** Whose types its derived type is looked up in. */
  readonly scope: LinkedScope;
  readonly isInteger: boolean;
  /** By its TYPE of mpi_f08, or as an array of MPI_STATUS_SIZE. */
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

/** A scope inside of a procedure whose names nothing else can see. */
export const isConstruct = ({ kind }: Scope): boolean => kind === 'block' || kind === 'associate' || kind === 'select';

/** The second of one name makes it ambiguous. */
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

/** Where a scope has a variable in a common block: the same memory only where all before it is declared alike. */
export interface CommonSlot {
  readonly block: string;
  readonly index: number;
  /** Told from the types and extents of it and of what is before it. */
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
      layout = hashed(`${type}(${dimensions.join()})`, layout);
      if (!slots.has(name)) slots.set(name, { block, index, layout });
    }
  }
  return slots;
}

function hashed(text: string, before: number): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

const typeOfImplicit = (name: string): Variable['type'] => (/^[i-n]/.test(name) ? 'integer' : 'other');

export function commonBlocks({ scopes }: SourceModel): string[] {
  return scopes.flatMap(({ commons }) => commons.map(({ block }) => block));
}

/** By which a module is used, and by which a submodule of a submodule finds it; undefined: it is neither. */
export function moduleName({ kind, name, ancestor }: Scope): string | undefined {
  if (kind === 'submodule') return `${ancestor?.replace(/:.*/, '')}:${name}`;
  return kind === 'module' ? name : undefined;
}
