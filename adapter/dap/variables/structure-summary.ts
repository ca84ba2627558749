/** The one line of a structure, array or container that holds handles: with what they are instead of their numbers. */
import type { VariableObject } from '../../gdb/variable-objects';
import { isPointerType } from '../../expressions/access-path';
import type { Place } from '../../expressions/place';
import { meaningIn } from '../../fortran/integer-handles';
import type { JobQueries } from '../../query/job-queries';
import { arrayOf, partsOf } from '../../values/value-parts';
import type { Rank } from '../../job/rank';
import { longestList, type ShownVariable } from './shown-variable';
import type { VariableStore } from './variable-store';
import { childPath, elementCount, isArray, type Path } from './variable-paths';

/** A variable object, and where it is. */
export interface Located {
  variable: VariableObject;
  path: Path;
  /** As it is shown. */
  name: string;
}

/** More members than this do not fit on a line. */
const mostMembers = 40;
const mostLevels = 6;

export class StructureSummaries {
  /** By type: whether there are handles in it. Types of C mean the same wherever they are. */
  private readonly known = new Map<Rank, Map<string, boolean>>();

  constructor(
    private readonly queries: JobQueries,
    private readonly store: VariableStore,
    private readonly show: (place: Place, located: Located) => Promise<ShownVariable>,
  ) {}

  /** At most about `length` characters; undefined: there is no handle in it. */
  async of(place: Place, located: Located, length: number): Promise<string | undefined> {
    if (!(await this.holdsHandles(place, located, 0))) return undefined;
    const parts: string[] = [];
    for await (const part of this.parts(place, located)) {
      parts.push(part);
      if (parts.join(', ').length > length || parts.length >= mostMembers) break;
    }
    const inner = parts.join(', ');
    const cut = inner.length > length ? `${inner.slice(0, length)}…` : inner;
    const [open, close] = place.language === 'fortran' ? ['( ', ' )'] : ['{', '}'];
    return `${open}${cut}${cut.endsWith('…') ? '' : close}`;
  }

  private async holdsHandles(place: Place, located: Located, level: number): Promise<boolean> {
    const { variable, path } = located;
    const { rank } = place.thread;
    const type = variable.type ?? '';
    const ofRank = this.known.get(rank) ?? new Map<string, boolean>();
    this.known.set(rank, ofRank);
    const known = ofRank.get(type);
    if (known !== undefined) return known;
    const meaning = await meaningIn(place, type, path.text, await this.queries.meaning(rank, type));
    if (meaning.form !== 'other') return true;
    // gdb makes all elements of an array at once, which takes minutes for millions.
    if (isArray(variable) && elementCount(variable) > longestList) return false;
    if (level >= mostLevels || isPointerType(type) || (variable.childCount === 0 && !variable.dynamic)) return false;
    const isList = isArray(variable) || variable.dynamic;
    const { children, at } = await this.children(place, located, isList ? 2 : mostMembers);
    let holds = false;
    for (const [index, child] of children.entries()) {
      // The elements of an array are alike; a map has keys and values.
      if (index > 0 && isArray(variable)) break;
      holds ||= await this.holdsHandles(place, { ...childPath(place.language, at, child), variable: child }, level + 1);
    }
    // What is an INTEGER of Fortran depends on its name; a container that is empty tells nothing.
    if (place.language !== 'fortran' && children.length > 0 && variable.type !== undefined) ofRank.set(type, holds);
    return holds;
  }

  /** `at`: what the children are parts of. */
  private async children(
    place: Place,
    located: Located,
    count: number,
  ): Promise<{ children: VariableObject[]; at: Located }> {
    const { variable, path } = located;
    const create = (source: string): Promise<VariableObject> => this.store.create(place, source);
    const array = await arrayOf(place, variable, path);
    const children = await partsOf(place, variable, { ...path, array }, { from: 0, to: count, create });
    return { children, at: array === undefined ? located : { ...located, path: { ...path, array } } };
  }

  private async *parts(place: Place, located: Located): AsyncGenerator<string> {
    const { variable } = located;
    const isMap = variable.displayHint === 'map';
    const { children, at } = await this.children(place, located, isMap ? 2 * mostMembers : mostMembers);
    for (const [index, child] of children.entries()) {
      if (isMap && index % 2 === 0) continue;
      if (child.type === undefined) {
        // The members of a class that are public, and so on.
        yield* this.parts(place, { ...located, variable: { ...variable, name: child.name, dynamic: false } });
        continue;
      }
      const { value } = await this.show(place, { ...childPath(place.language, at, child), variable: child });
      if (isMap) yield `[${children[index - 1]!.value ?? ''}] = ${value}`;
      else if (isArray(variable) || /^\[\d+\]$/.test(child.expression)) yield value;
      else yield `${child.type === child.expression ? `<${child.expression}>` : child.expression} = ${value}`;
    }
  }
}
