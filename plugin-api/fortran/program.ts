/**
 * The source files of a program together: which variable, component or procedure a name means, through host, use and
 * argument association. A name that could mean several things (the same procedure in two files) means none: never guess.
 */
import type { HandleKind } from '../mpi/records';
import { mpiTypeKind } from './bindings';
import type { DerivedType, Place, Scope, SourceModel, Variable } from './program-model';

/** A scope with what it contains, across files. */
export interface LinkedScope {
  readonly model: SourceModel;
  readonly scope: Scope;
  readonly parent: LinkedScope | undefined;
  readonly procedures: Map<string, LinkedScope>;
  readonly entities: Map<string, Entity>;
  /** What names mean here, as far as they were asked for; undefined also while one is being looked for. */
  readonly found: Map<string, Found | undefined>;
  /** The same for names of its own and of modules it uses, without those of its host. */
  readonly own: Map<string, Found | undefined>;
  readonly types: Map<string, TypeInScope | undefined>;
}

interface TypeInScope {
  readonly type: DerivedType;
  readonly scope: LinkedScope;
}

/** A variable, a component of a derived type (one for all objects), a place in a common block, a function's result. */
export interface Entity {
  readonly name: string;
  /** Missing: implicitly typed. */
  readonly variable: Variable | undefined;
  /** Where it is declared; where it is used first, when implicitly. */
  readonly place: Place;
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

/** Types that extend each other in a circle are the author's error; the walk ends here. */
const deepestExtension = 32;

export class Program {
  readonly scopes: LinkedScope[][];
  private readonly modules = new Map<string, LinkedScope | undefined>();
  private readonly externals = new Map<string, LinkedScope | undefined>();
  /** Of one file: a workspace may have many programs, each with a procedure of the same name. */
  private readonly externalsOf = new Map<SourceModel, Map<string, LinkedScope | undefined>>();
  private readonly interfaces = new Map<string, LinkedScope | undefined>();
  private readonly components = new Map<DerivedType, Map<string, Entity>>();
  private readonly commonPlaces = new Map<string, Entity>();

  constructor(readonly models: readonly SourceModel[]) {
    this.scopes = models.map((model) => this.link(model));
  }

  /** What a designator's last part is, seen from a scope. */
  resolve(from: LinkedScope, path: string, place: Place): Entity | undefined {
    const [first = '', ...components] = path.split('%');
    let entity = this.entityOf(this.lookUp(from, first) ?? this.implicit(from, first, place));
    for (const component of components) {
      if (entity === undefined) return undefined;
      entity = this.componentOf(entity, component);
    }
    return entity;
  }

  /** The procedures a call may go to, and how many arguments are passed besides those in parentheses (the object). */
  procedures(from: LinkedScope, path: string, place: Place): { candidates: LinkedScope[]; shift: number } {
    const cut = path.lastIndexOf('%');
    if (cut < 0) {
      const found = this.lookUp(from, path);
      if (found?.what === 'procedure') return { candidates: [this.definition(found.procedure)], shift: 0 };
      return { candidates: found?.what === 'generic' ? found.procedures : [], shift: 0 };
    }
    const object = this.resolve(from, path.slice(0, cut), place);
    const typeName = object?.variable?.typeName;
    const bound = typeName === undefined ? undefined : this.binding(object as Entity, typeName, path.slice(cut + 1));
    return bound ?? { candidates: [], shift: 0 };
  }

  /** The innermost scope at a line of a file. */
  scopeAt(file: string, line: number): LinkedScope | undefined {
    const model = this.models.findIndex((candidate) => candidate.file === file);
    let best: LinkedScope | undefined;
    for (const linked of this.scopes[model] ?? []) {
      const { place, endLine, isInterface } = linked.scope;
      if (isInterface || place.file !== file || line < place.line || line > endLine) continue;
      if (best === undefined || place.line >= best.scope.place.line) best = linked;
    }
    return best;
  }

  private link(model: SourceModel): LinkedScope[] {
    const linked: LinkedScope[] = [];
    for (const scope of model.scopes) {
      const parent = scope.parent === undefined ? undefined : linked[scope.parent];
      const here: LinkedScope = {
        model,
        scope,
        parent,
        procedures: new Map(),
        entities: new Map(),
        found: new Map(),
        own: new Map(),
        types: new Map(),
      };
      linked.push(here);
      this.register(here);
    }
    return linked;
  }

  private register(here: LinkedScope): void {
    const { kind, name, isInterface } = here.scope;
    const isProcedure = kind === 'subroutine' || kind === 'function';
    if (kind === 'module') unlessTwice(this.modules, name, here);
    else if (isProcedure && isInterface) unlessTwice(this.interfaces, name, here);
    else if (isProcedure && here.parent !== undefined) here.parent.procedures.set(name, here);
    else if (isProcedure) {
      unlessTwice(this.externals, name, here);
      const own = this.externalsOf.get(here.model) ?? new Map<string, LinkedScope | undefined>();
      unlessTwice(own, name, here);
      this.externalsOf.set(here.model, own);
    }
  }

  /** An interface body stands for the procedure of that name, where its source is known. */
  private definition(procedure: LinkedScope): LinkedScope {
    return procedure.scope.isInterface ? (this.external(procedure, procedure.scope.name) ?? procedure) : procedure;
  }

  private lookUp(from: LinkedScope, name: string): Found | undefined {
    if (from.found.has(name)) return from.found.get(name);
    from.found.set(name, undefined);
    const found = this.inScope(from, name) ?? this.inHost(from, name);
    from.found.set(name, found);
    return found;
  }

  private inHost(from: LinkedScope, name: string): Found | undefined {
    if (from.parent !== undefined) return this.lookUp(from.parent, name);
    const ancestor = from.scope.ancestor === undefined ? undefined : this.modules.get(from.scope.ancestor);
    const host = ancestor === undefined ? undefined : this.inScope(ancestor, name);
    if (host !== undefined) return host;
    const external = this.external(from, name);
    return external === undefined ? undefined : { what: 'procedure', procedure: external };
  }

  private external({ model }: LinkedScope, name: string): LinkedScope | undefined {
    const own = this.externalsOf.get(model);
    if (own?.has(name)) return own.get(name);
    return (this.externals.has(name) ? this.externals : this.interfaces).get(name);
  }

  private inScope(from: LinkedScope, name: string): Found | undefined {
    if (!from.own.has(name)) {
      from.own.set(name, undefined);
      from.own.set(
        name,
        this.declaredIn(from, name) ?? this.inUses(from, name, (module, used) => this.inScope(module, used)),
      );
    }
    return from.own.get(name);
  }

  private declaredIn(from: LinkedScope, name: string): Found | undefined {
    const { scope } = from;
    const alias = scope.aliases.get(name);
    if (alias !== undefined && from.parent !== undefined) {
      const entity = this.resolve(from.parent, alias.path, alias.place);
      return entity && { what: 'entity', entity };
    }
    const variable = scope.variables.get(name);
    if (variable !== undefined || scope.dummies.includes(name) || scope.result === name) {
      return { what: 'entity', entity: this.entity(from, name, variable, variable?.place ?? scope.place) };
    }
    const generic = scope.generics.get(name);
    if (generic !== undefined) {
      const procedures = generic.flatMap((specific) => {
        const found = specific === name ? undefined : this.lookUp(from, specific);
        return found?.what === 'procedure' ? [this.definition(found.procedure)] : [];
      });
      return { what: 'generic', procedures };
    }
    const procedure = from.procedures.get(name);
    return procedure && { what: 'procedure', procedure };
  }

  /** Looks a name up in the modules a scope uses, under the name it has there. */
  private inUses<T>(
    from: LinkedScope,
    name: string,
    inModule: (module: LinkedScope, name: string) => T | undefined,
  ): T | undefined {
    for (const { module, only, names } of from.scope.uses) {
      const renamed = names.find(({ local }) => local === name);
      const used = this.modules.get(module);
      if (used === undefined || (only && renamed === undefined)) continue;
      const found = inModule(used, renamed?.name ?? name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private entityOf(found: Found | undefined): Entity | undefined {
    if (found?.what === 'entity') return found.entity;
    const result = found?.what === 'procedure' ? found.procedure.scope.result : undefined;
    if (found?.what !== 'procedure' || result === undefined) return undefined;
    const { procedure } = found;
    return this.entity(procedure, result, procedure.scope.variables.get(result), procedure.scope.place);
  }

  /** An undeclared name is a variable of the procedure it stands in, of the type its first letter says. */
  private implicit(from: LinkedScope, name: string, place: Place): Found | undefined {
    let owner = from;
    for (let at: LinkedScope | undefined = from; at !== undefined; at = at.parent) {
      if (at.scope.implicitNone) return undefined;
      if (/^(block|associate|select)$/.test(owner.scope.kind) && at.parent !== undefined) owner = at.parent;
    }
    if (name.startsWith('mpi_') || name.startsWith('pmpi_')) return undefined;
    return { what: 'entity', entity: this.entity(owner, name, undefined, place) };
  }

  private entity(owner: LinkedScope, name: string, variable: Variable | undefined, place: Place): Entity {
    const known = owner.entities.get(name);
    if (known !== undefined) return known;
    const common = this.commonPlace(owner, name);
    const entity =
      (common === undefined ? undefined : this.commonPlaces.get(common)) ?? newEntity(owner, name, variable, place);
    owner.entities.set(name, entity);
    if (common !== undefined) this.commonPlaces.set(common, entity);
    return entity;
  }

  /** A common block's variables are told by their position in it. */
  private commonPlace(owner: LinkedScope, name: string): string | undefined {
    for (const { block, names } of owner.scope.commons) {
      const index = names.indexOf(name);
      if (index >= 0) return `${block} ${index}`;
    }
    return undefined;
  }

  /** The component that an argument of a structure constructor sets: by its keyword, else by its position. */
  constructed(from: LinkedScope, typeName: string, keyword: string | undefined, position: number): Entity | undefined {
    const found = this.findType(from, typeName);
    const { parent, components } = found?.type ?? {};
    // Components of a parent come first, as many as there are.
    if (found === undefined || (parent !== undefined && keyword === undefined)) return undefined;
    const name = keyword ?? [...(components?.keys() ?? [])][position];
    return name === undefined ? undefined : this.component(found, name);
  }

  private componentOf(object: Entity, name: string): Entity | undefined {
    const typeName = object.variable?.typeName;
    if (typeName === undefined) return undefined;
    if (name === 'mpi_val' && object.declaredKind !== undefined) return object;
    for (const found of this.typeAndParents(object.scope, typeName)) {
      const component = this.component(found, name);
      if (component !== undefined) return component;
    }
    return undefined;
  }

  private component({ type, scope }: TypeInScope, name: string): Entity | undefined {
    const variable = type.components.get(name);
    if (variable === undefined) return undefined;
    let known = this.components.get(type);
    if (known === undefined) this.components.set(type, (known = new Map<string, Entity>()));
    const entity = known.get(name) ?? newEntity(scope, `${type.name}%${name}`, variable, variable.place);
    known.set(name, entity);
    return entity;
  }

  private binding(
    object: Entity,
    typeName: string,
    name: string,
  ): { candidates: LinkedScope[]; shift: number } | undefined {
    for (const { type, scope } of this.typeAndParents(object.scope, typeName)) {
      const binding = type.bindings.get(name);
      if (binding === undefined) continue;
      const found = this.lookUp(scope, binding.procedure);
      const candidates = found?.what === 'procedure' ? [found.procedure] : [];
      return { candidates, shift: binding.passesObject ? 1 : 0 };
    }
    return undefined;
  }

  private *typeAndParents(from: LinkedScope, name: string): Generator<TypeInScope> {
    let next = this.findType(from, name);
    for (let depth = 0; next !== undefined && depth < deepestExtension; depth++) {
      yield next;
      const { type, scope }: TypeInScope = next;
      next = type.parent === undefined ? undefined : this.findType(scope, type.parent);
    }
  }

  private findType(from: LinkedScope, name: string): TypeInScope | undefined {
    if (from.types.has(name)) return from.types.get(name);
    from.types.set(name, undefined);
    const type = from.scope.types.get(name);
    const ancestor =
      from.parent ?? (from.scope.ancestor === undefined ? undefined : this.modules.get(from.scope.ancestor));
    const found: TypeInScope | undefined =
      type === undefined
        ? (this.inUses(from, name, (module, used) => this.findType(module, used)) ??
          (ancestor && this.findType(ancestor, name)))
        : { type, scope: from };
    from.types.set(name, found);
    return found;
  }
}

/** The second of one name makes it ambiguous. */
function unlessTwice(map: Map<string, LinkedScope | undefined>, name: string, scope: LinkedScope): void {
  map.set(name, map.has(name) ? undefined : scope);
}

function newEntity(scope: LinkedScope, name: string, variable: Variable | undefined, place: Place): Entity {
  const isStatus = variable?.type === 'integer' && variable.dimensions[0] === 'mpi_status_size';
  return {
    name,
    variable,
    place,
    scope,
    isInteger: variable === undefined ? /^[i-n]/.test(name) : variable.type === 'integer',
    declaredKind: isStatus ? 'status' : mpiTypeKind(variable?.typeName ?? ''),
  };
}
