/**
 * Names that are visible across files: modules, external procedures, common blocks. Records which file looked up which
 * name, so that a changed file invalidates only the files that depend on it.
 */
import {
  commonSlotOf,
  isProcedure,
  linkFile,
  moduleName,
  newEntity,
  unlessTwice,
  type CommonSlot,
  type Entity,
  type LinkedFile,
  type LinkedScope,
} from './linked-scopes';
import type { SourceModel } from './program-model';
import { offeredNames, takeModel, visibleNames } from './visible-names';

export class GlobalNames {
  /** In the order in which they were first set. */
  readonly files = new Map<string, LinkedFile>();
  private readonly modules = new Map<string, LinkedScope | undefined>();
  private readonly externals = new Map<string, LinkedScope | undefined>();
  private readonly interfaces = new Map<string, LinkedScope | undefined>();
  private readonly implementations = new Map<string, LinkedScope | undefined>();
  /** Common block → the scopes that have it, in the order of the files. */
  private readonly commons = new Map<string, LinkedScope[]>();
  /** By keyOf: block, position, layout and name. */
  private readonly commonEntities = new Map<string, Entity>();
  /** Names whose meaning may have changed since the last `update`. */
  private readonly changed = new Set<string>();
  /** Files that were set since the last `update`. */
  private stale = new Set<LinkedFile>();

  set(model: SourceModel): void {
    const known = this.files.get(model.file);
    if (known !== undefined && visibleNames(known.model) === visibleNames(model)) {
      takeModel(known, model, this.isCurrent);
      this.stale.add(known);
      return;
    }
    const file = linkFile(model);
    if (known !== undefined) this.forget(known);
    for (const name of offeredNames(model)) this.changed.add(name);
    this.files.set(model.file, file);
    this.stale.add(file);
  }

  delete(name: string): void {
    const known = this.files.get(name);
    if (known !== undefined) this.forget(known);
    this.files.delete(name);
  }

  private forget(file: LinkedFile): void {
    for (const name of offeredNames(file.model)) this.changed.add(name);
    this.stale.delete(file);
  }

  /** Updates the names; returns the files in which a name's meaning may have changed. */
  update(): ReadonlySet<LinkedFile> {
    const { stale } = this;
    this.stale = new Set();
    if (this.changed.size === 0) return stale;
    this.register();
    const isAffected = ({ asked, through }: LinkedFile): boolean =>
      [...this.changed].some((name) => asked.has(name)) || [...through].some((file) => stale.has(file));
    // Files that looked up something through an invalidated file are invalidated too.
    for (let before = -1; before !== stale.size;) {
      before = stale.size;
      for (const file of this.files.values()) if (!stale.has(file) && isAffected(file)) stale.add(file);
    }
    for (const file of stale) takeModel(file, file.model, this.isCurrent);
    this.changed.clear();
    return stale;
  }

  /** The module of this name as seen from a file. The file's own modules win: a workspace may have many programs. */
  module(from: LinkedFile, name: string): LinkedScope | undefined {
    if (from.modules.has(name)) return from.modules.get(name);
    from.asked.add(name);
    const module = this.modules.get(name);
    if (module !== undefined && module.file !== from) from.through.add(module.file);
    return module;
  }

  /** The external procedure of this name that a file can call. */
  external(from: LinkedFile, name: string): LinkedScope | undefined {
    if (from.externals.has(name)) return from.externals.get(name);
    from.asked.add(name);
    return (this.externals.has(name) ? this.externals : this.interfaces).get(name);
  }

  /** The procedure in a submodule that implements an interface of a module. */
  implementation(from: LinkedFile, name: string): LinkedScope | undefined {
    from.asked.add(name);
    return this.implementations.get(name);
  }

  /**
   * The entity at a position of a common block. Scopes share it if the layout up to there is equal; across files the
   * variable must also have the same name, since a workspace may have many programs. It belongs to the first such
   * scope.
   */
  common(owner: LinkedScope, slot: CommonSlot): Entity {
    owner.file.asked.add(slot.block);
    const name = nameInFile(owner, slot);
    const key = keyOf(slot, name);
    const known = this.commonEntities.get(key);
    if (known !== undefined) return known;
    const isThis = (other: LinkedScope): boolean =>
      isAt(slot, commonSlotOf(other.scope, name)) && nameInFile(other, slot) === name;
    const first = this.commons.get(slot.block)?.find(isThis) ?? owner;
    const variable = first.scope.variables.get(name);
    const entity = newEntity(first, name, variable, variable?.location ?? first.scope.location);
    this.commonEntities.set(key, entity);
    first.entities.set(name, entity);
    return entity;
  }

  private readonly isCurrent = ({ scope, name }: Entity): boolean => {
    const slot = commonSlotOf(scope.scope, name);
    return slot === undefined || this.commonEntities.get(keyOf(slot, name))?.scope === scope;
  };

  private register(): void {
    for (const map of [this.modules, this.externals, this.interfaces, this.implementations, this.commons]) map.clear();
    for (const key of [...this.commonEntities.keys()]) {
      if (this.changed.has(key.slice(0, key.indexOf(' ')))) this.commonEntities.delete(key);
    }
    for (const { scopes } of this.files.values()) {
      for (const here of scopes) {
        const { name, isInterface, parent, commons } = here.scope;
        for (const { block } of commons) {
          const known = this.commons.get(block);
          if (known === undefined) this.commons.set(block, [here]);
          else known.push(here);
        }
        const module = moduleName(here.scope);
        if (module !== undefined) unlessTwice(this.modules, module, here);
        else if (isProcedure(here.scope) && isInterface) unlessTwice(this.interfaces, name, here);
        else if (isProcedure(here.scope) && parent === undefined) unlessTwice(this.externals, name, here);
        else if (here.parent?.scope.kind === 'submodule') unlessTwice(this.implementations, name, here);
      }
    }
  }
}

/** The name at this position in the first scope of the file that has the block. */
function nameInFile({ file }: LinkedScope, slot: CommonSlot): string {
  for (const { scope } of file.scopes) {
    for (const { block, names } of scope.commons) {
      const name = block === slot.block ? names[slot.index] : undefined;
      if (name !== undefined && isAt(slot, commonSlotOf(scope, name))) return name;
    }
  }
  return '';
}

const isAt = (one: CommonSlot, other: CommonSlot | undefined): boolean =>
  one.block === other?.block && one.index === other.index && one.layout === other.layout;

const keyOf = ({ block, index, layout }: CommonSlot, name: string): string => `${block} ${index} ${layout} ${name}`;
