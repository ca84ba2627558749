/**
 * The names that a file makes visible to others: its modules, procedures with their dummy arguments, common blocks. An
 * edit that changes none of these leaves the analysis of other files valid.
 */
import {
  commonBlocks,
  commonSlotOf,
  isConstruct,
  isProcedure,
  linkScope,
  moduleName,
  type Entity,
  type LinkedFile,
  type LinkedScope,
} from './linked-scopes';
import type { Scope, SourceModel, Variable } from './program-model';

/** A text that is equal for two models if they make the same names visible, whatever their positions. */
export function visibleNames({ scopes }: SourceModel): string {
  return JSON.stringify(
    scopes.flatMap((scope) => {
      if (isConstruct(scope)) return [];
      const { variables, types, generics, uses, parent, kind, name, isInterface, ancestor, implicitNone } = scope;
      const seen = [...variables.values()].filter(({ name }) => isVisible(scope, name));
      // A procedure inside a construct is an error in the source; it is never equal to another.
      const host = parent === undefined ? undefined : scopes[parent];
      const parentName = host && (isConstruct(host) ? [host.kind, parent, host.location] : [host.kind, host.name]);
      return [
        [kind, name, parentName, isInterface, ancestor, implicitNone, scope.dummies, scope.result, scope.commons],
        [seen.map(typeOf), uses, [...generics]],
        [...types.values()].map((type) => [
          [type.name, type.parent],
          [...type.components.values()].map(typeOf),
          [...type.bindings],
        ]),
      ];
    }),
  );
}

const typeOf = ({ name, type, typeName, dimensions, intent, isOptional }: Variable): unknown => [
  name,
  type,
  typeName,
  dimensions,
  intent,
  isOptional,
];

/** Whether another file can reach the variable. */
export function isVisible(scope: Scope, name: string): boolean {
  const { kind, dummies, result, variables } = scope;
  if (kind === 'module' || kind === 'submodule') return variables.has(name);
  return dummies.includes(name) || result === name || commonSlotOf(scope, name) !== undefined;
}

/** Names that other files can look up here: modules, external procedures, common blocks. */
export function* offeredNames({ scopes }: SourceModel): Generator<string> {
  for (const scope of scopes) {
    for (const { block } of scope.commons) yield block;
    const host = scope.parent === undefined ? undefined : scopes[scope.parent];
    const isExternal = isProcedure(scope) && (host === undefined || host.kind === 'submodule');
    if (isExternal) yield scope.name;
    const module = moduleName(scope);
    if (module !== undefined) yield module;
  }
}

/**
 * Replaces a file's model by one that makes the same names visible. Entities that other files refer to are kept, with
 * their new positions; all others are dropped. `isCurrent`: whether a common block's entity is still the current one.
 */
export function takeModel(file: LinkedFile, model: SourceModel, isCurrent: (entity: Entity) => boolean): void {
  const units = file.scopes.filter(({ scope }) => !isConstruct(scope));
  let next = 0;
  const scopes: LinkedScope[] = [];
  for (const scope of model.scopes) {
    const parent = scope.parent === undefined ? undefined : scopes[scope.parent];
    const known = isConstruct(scope) ? undefined : units[next++];
    if (known === undefined) scopes.push(linkScope(file, scope, parent));
    else {
      takeScope(known, scope, isCurrent);
      known.parent = parent;
      scopes.push(known);
    }
  }
  file.model = model;
  file.scopes = scopes;
  file.asked.clear();
  for (const block of commonBlocks(model)) file.asked.add(block);
  file.through.clear();
}

function takeScope(linked: LinkedScope, scope: Scope, isCurrent: (entity: Entity) => boolean): void {
  for (const [name, entity] of linked.entities) {
    if (entity.scope !== linked || !isVisible(scope, name) || !isCurrent(entity)) linked.entities.delete(name);
    else {
      entity.variable = scope.variables.get(name);
      entity.location = entity.variable?.location ?? scope.location;
    }
  }
  for (const [path, entity] of linked.components) {
    const [type = '', component = ''] = path.split('%');
    entity.variable = scope.types.get(type)?.components.get(component);
    entity.location = entity.variable?.location ?? scope.location;
  }
  linked.scope = scope;
  linked.found.clear();
  linked.own.clear();
  linked.types.clear();
}
