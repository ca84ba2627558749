/**
 * Resolves names across the source files of a program: the variable, component or procedure that a name means, through
 * host, use and argument association. An ambiguous name (a procedure defined in two files) resolves to nothing: never
 * guess.
 */
import { hasWholeColumns } from './array-part';
import type { GlobalNames } from './global-names';
import {
  commonSlotOf,
  isConstruct,
  newEntity,
  type Entity,
  type Found,
  type LinkedFile,
  type LinkedScope,
  type TypeInScope,
} from './linked-scopes';
import type { Alias, SourceLocation, Variable } from './program-model';

export type { Entity, LinkedFile, LinkedScope } from './linked-scopes';

/** A procedure and the dummy arguments for a call's parentheses: without the object of a type-bound procedure. */
export interface Callable {
  readonly procedure: LinkedScope;
  readonly dummies: readonly string[];
}

/** The walk ends here if types erroneously extend each other in a cycle. */
const maxExtensions = 32;

export class Program {
  constructor(private readonly names: GlobalNames) {}

  get files(): Iterable<LinkedFile> {
    return this.names.files.values();
  }

  /** The scopes of each file. */
  get scopes(): LinkedScope[][] {
    return [...this.files].map(({ scopes }) => scopes);
  }

  file(name: string): LinkedFile | undefined {
    return this.names.files.get(name);
  }

  /** The entity that a designator's last part means, seen from a scope. */
  resolve(from: LinkedScope, path: string, location: SourceLocation): Entity | undefined {
    if (!path.includes('%')) return this.named(from, path, location);
    const [first = '', ...components] = path.split('%');
    let entity = this.named(from, first, location);
    for (const component of components) {
      if (entity === undefined) return undefined;
      // The parent component stands for the object itself, as does _data, gfortran's name for a CLASS object's data.
      const isWhole = component === '_data' || this.isParent(from.file, entity, component);
      entity = isWhole ? entity : this.componentOf(from.file, entity, component);
    }
    return entity;
  }

  /** The procedures that a call may resolve to. */
  procedures(from: LinkedScope, path: string, location: SourceLocation): Callable[] {
    const cut = path.lastIndexOf('%');
    if (cut < 0) {
      const found = this.lookUp(from, path);
      const procedures =
        found?.what === 'procedure'
          ? [this.definition(found.procedure)]
          : found?.what === 'generic'
            ? found.procedures
            : [];
      return procedures.map((procedure) => ({ procedure, dummies: procedure.scope.dummies }));
    }
    const object = this.resolve(from, path.slice(0, cut), location);
    const bound = object && this.binding(from.file, object, path.slice(cut + 1));
    return bound === undefined ? [] : [bound];
  }

  /**
   * The innermost scope at a line of a file; `inProcedure` instead if the file has one of that name and the line is
   * outside.
   */
  scopeAt(file: string, line: number, inProcedure?: string): LinkedScope | undefined {
    const atLine = this.innermostAt(file, line);
    const procedure = inProcedure?.toLowerCase();
    for (let at = atLine; at !== undefined; at = at.parent) if (at.scope.name === procedure) return atLine;
    const named = (this.file(file)?.scopes ?? []).filter(
      ({ scope: { name, isInterface, location } }) => name === procedure && !isInterface && location.file === file,
    );
    return named.length === 1 ? named[0] : atLine;
  }

  private innermostAt(file: string, line: number): LinkedScope | undefined {
    let best: LinkedScope | undefined;
    for (const linked of this.file(file)?.scopes ?? []) {
      const { location, endLine, isInterface } = linked.scope;
      if (isInterface || location.file !== file || line < location.line || line > endLine) continue;
      if (best === undefined || location.line >= best.scope.location.line) best = linked;
    }
    return best;
  }

  /** The component that an argument of a structure constructor sets, by keyword or position. */
  constructed(from: LinkedScope, typeName: string, keyword: string | undefined, position: number): Entity | undefined {
    // In one scope, a type can share its name only with a generic function.
    const other = this.lookUp(from, typeName);
    if (other?.what === 'entity' || (other?.what === 'procedure' && other.procedure.parent !== undefined))
      return undefined;
    const found = this.findType(from, typeName);
    const { parent, components } = found?.type ?? {};
    // Positional arguments start with the components of the parent type, whose number is not determined here.
    if (found === undefined || (parent !== undefined && keyword === undefined)) return undefined;
    const name = keyword ?? [...(components?.keys() ?? [])][position];
    return name === undefined ? undefined : this.component(found, name);
  }

  private named(from: LinkedScope, name: string, location: SourceLocation): Entity | undefined {
    return this.entityOf(this.lookUp(from, name) ?? this.implicit(from, name, location));
  }

  /** The procedure that an interface body stands for, if its source is known; otherwise the interface body. */
  private definition(procedure: LinkedScope): LinkedScope {
    const { file, scope } = procedure;
    if (!scope.isInterface) return procedure;
    const external = this.names.external(file, scope.name) ?? procedure;
    if (!external.scope.isInterface) return external;
    const implementation = this.names.implementation(file, scope.name);
    return implementation === undefined || this.separateInterface(implementation) !== undefined
      ? external
      : implementation;
  }

  /**
   * The interface body that declares the arguments of `module procedure name` in a submodule, which does not repeat
   * them.
   */
  private separateInterface({ scope, parent }: LinkedScope): LinkedScope | undefined {
    if (scope.dummies.length > 0 || scope.isInterface || parent?.scope.kind !== 'submodule') return undefined;
    let host: LinkedScope | undefined = this.ancestorOf(parent);
    for (let depth = 0; host !== undefined && depth < maxExtensions; depth++, host = this.ancestorOf(host)) {
      const { location, endLine } = host.scope;
      const found = host.file.scopes.find(
        ({ scope: { isInterface, name, location: at } }) =>
          isInterface && name === scope.name && at.line > location.line && at.line < endLine,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The scope around an interface body, whose types it sees by IMPORT or as the interface of a module procedure. */
  private importedFrom({ scope }: LinkedScope): LinkedScope | undefined {
    return scope.isInterface ? this.scopeAt(scope.location.file, scope.location.line) : undefined;
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
    const ancestor = this.ancestorOf(from);
    const isModule = ancestor?.scope.kind === 'module';
    const host = ancestor && (isModule ? this.inScope(ancestor, name) : this.lookUp(ancestor, name));
    if (host !== undefined) return host;
    const external = this.names.external(from.file, name);
    return external === undefined ? undefined : { what: 'procedure', procedure: external };
  }

  /** The module or submodule that a submodule belongs to. */
  private ancestorOf({ scope, file }: LinkedScope): LinkedScope | undefined {
    return scope.ancestor === undefined ? undefined : this.names.module(file, scope.ancestor);
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
      const entity = this.resolve(from.parent, alias.target.path, alias.target.location);
      return entity && { what: 'entity', entity: this.aliased(from, name, alias, entity) };
    }
    const variable = scope.variables.get(name);
    if (variable !== undefined || scope.dummies.includes(name) || scope.result === name) {
      return { what: 'entity', entity: this.entity(from, name, variable, variable?.location ?? scope.location) };
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
    if (procedure !== undefined) return { what: 'procedure', procedure };
    const separate = this.separateInterface(from);
    return separate && this.declaredIn(separate, name);
  }

  /** What an ASSOCIATE name stands for: a part of an array of INTEGERs may mean something else than the whole. */
  private aliased(from: LinkedScope, name: string, { target: { part }, location }: Alias, array: Entity): Entity {
    const { variable } = array;
    if (hasWholeColumns(part) || variable?.type !== 'integer' || variable.dimensions.length === 0) return array;
    const dimensions = part === 'section' ? [':'] : [];
    return this.entity(from, name, { name, type: 'integer', dimensions, location }, location);
  }

  /** Looks a name up in the modules that a scope uses, undoing renames. */
  private inUses<T>(
    from: LinkedScope,
    name: string,
    inModule: (module: LinkedScope, name: string) => T | undefined,
  ): T | undefined {
    for (const { module, only, names } of from.scope.uses) {
      const renamed = names.find(({ local }) => local === name);
      if (only && renamed === undefined) continue;
      const used = this.names.module(from.file, module);
      const found = used && inModule(used, renamed?.name ?? name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private entityOf(found: Found | undefined): Entity | undefined {
    if (found?.what === 'entity') return found.entity;
    const result = found?.what === 'procedure' ? found.procedure.scope.result : undefined;
    if (found?.what !== 'procedure' || result === undefined) return undefined;
    const { procedure } = found;
    const variable = procedure.scope.variables.get(result);
    return this.entity(procedure, result, variable, variable?.location ?? procedure.scope.location);
  }

  /** An undeclared name is a variable of the procedure that contains it, implicitly typed by its first letter. */
  private implicit(from: LinkedScope, name: string, location: SourceLocation): Found | undefined {
    let owner = from;
    for (let at: LinkedScope | undefined = from; at !== undefined; at = at.parent) {
      if (at.scope.implicitNone) return undefined;
      if (isConstruct(owner.scope) && at.parent !== undefined) owner = at.parent;
    }
    if (name.startsWith('mpi_') || name.startsWith('pmpi_')) return undefined;
    return { what: 'entity', entity: this.entity(owner, name, undefined, location) };
  }

  private entity(owner: LinkedScope, name: string, variable: Variable | undefined, location: SourceLocation): Entity {
    const known = owner.entities.get(name);
    if (known !== undefined) return known;
    const common = commonSlotOf(owner.scope, name);
    const entity = common ? this.names.common(owner, common) : newEntity(owner, name, variable, location);
    owner.entities.set(name, entity);
    return entity;
  }

  /** A component of an object, as seen from a file. */
  private componentOf(file: LinkedFile, object: Entity, name: string): Entity | undefined {
    if (name === 'mpi_val' && object.declaredKind !== undefined) return object;
    for (const found of this.typeAndParents(file, object)) {
      const component = this.component(found, name);
      if (component !== undefined) return component;
    }
    return undefined;
  }

  private isParent(file: LinkedFile, object: Entity, name: string): boolean {
    for (const { type } of this.typeAndParents(file, object)) if (type.parent === name) return true;
    return false;
  }

  private component({ type, scope }: TypeInScope, name: string): Entity | undefined {
    const variable = type.components.get(name);
    if (variable === undefined) return undefined;
    const path = `${type.name}%${name}`;
    let entity = scope.components.get(path);
    if (entity === undefined)
      scope.components.set(path, (entity = newEntity(scope, path, variable, variable.location)));
    return entity;
  }

  private binding(file: LinkedFile, object: Entity, name: string): Callable | undefined {
    for (const { type, scope } of this.typeAndParents(file, object)) {
      const binding = type.bindings.get(name);
      if (binding === undefined) continue;
      const found = this.lookUp(scope, binding.procedure);
      // For a deferred binding, the object's dynamic type decides.
      if (found?.what !== 'procedure' || found.procedure.scope.isInterface) return undefined;
      const { procedure } = found;
      const { dummies } = procedure.scope;
      const { passedAs = dummies[0] } = binding;
      return { procedure, dummies: dummies.filter((dummy) => dummy !== passedAs) };
    }
    return undefined;
  }

  private *typeAndParents(file: LinkedFile, { scope, variable }: Entity): Generator<TypeInScope> {
    if (variable?.typeName === undefined) return;
    if (scope.file !== file) file.through.add(scope.file);
    let next = this.findType(scope, variable.typeName);
    for (let depth = 0; next !== undefined && depth < maxExtensions; depth++) {
      yield next;
      const { type, scope }: TypeInScope = next;
      next = type.parent === undefined ? undefined : this.findType(scope, type.parent);
    }
  }

  private findType(from: LinkedScope, name: string): TypeInScope | undefined {
    if (from.types.has(name)) return from.types.get(name);
    from.types.set(name, undefined);
    const type = from.scope.types.get(name);
    const ancestor = from.parent ?? this.ancestorOf(from) ?? this.importedFrom(from);
    const found: TypeInScope | undefined =
      type === undefined
        ? (this.inUses(from, name, (module, used) => this.findType(module, used)) ??
          (ancestor && this.findType(ancestor, name)))
        : { type, scope: from };
    from.types.set(name, found);
    return found;
  }
}
