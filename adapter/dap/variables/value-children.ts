/** The parts of a variable object: members, elements, what a pretty printer shows, page by page. */
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import { GdbError } from '../../gdb/mi/mi-connection';
import { varListChildren, type VariableObject } from '../../gdb/variable-objects';
import type { Place } from '../../expressions/place';
import { arrayOf, partsOf } from '../../values/value-parts';
import { longestList, pageOf, restOfList, type Children, type Page, type ShownVariable } from './shown-variable';
import type { Located } from './structure-summary';
import {
  childPath,
  elementCount,
  elementOfMap,
  elementPath,
  firstIndex,
  isArray,
  isNull,
  partAsWritten,
  slice,
  wholeSource,
  type Path,
} from './variable-paths';
import type { VariableStore } from './variable-store';

export class ValueChildren {
  constructor(
    private readonly store: VariableStore,
    private readonly show: (place: Place, located: Located) => Promise<ShownVariable>,
  ) {}

  /** undefined: it has none. */
  of(place: Place, located: Located): Children | undefined {
    const { variable } = located;
    if (variable.dynamic) {
      if (variable.displayHint === 'string' || !(variable.hasMore || variable.childCount > 0)) return undefined;
      return { list: (page) => this.listDynamic(place, located, page) };
    }
    // A null pointer leads nowhere, and gdb shows the text that a char pointer leads to.
    if (variable.childCount === 0 || isNull(variable) || isText(variable)) return undefined;
    if (!isArray(variable))
      return { list: async (page) => this.listMembers(...(await this.asWanted(place, located, page))) };
    return {
      indexed: elementCount(variable),
      list: async (page) => this.listElements(...(await this.asWanted(place, located, page)), page),
    };
  }

  /** gdb keeps the text of a variable object's parts: those in another base come from one of their own. */
  private async asWanted(place: Place, located: Located, { hex }: Page): Promise<[Place, Located]> {
    const whole = wholeSource(located.variable, located.path);
    if (hex !== true || whole === undefined) return [place, located];
    const inHex = { ...place, thread: inHexadecimal(place.thread) };
    try {
      return [inHex, { ...located, variable: await this.store.create(inHex, whole) }];
    } catch (error) {
      if (error instanceof GdbError) return [place, located];
      throw error;
    }
  }

  /** Members of a struct or class, what a pointer points to. Classes group theirs by access: that is left out. */
  private async listMembers(place: Place, located: Located): Promise<ShownVariable[]> {
    const children = await varListChildren(place, located.variable, 0, longestList);
    const shown = await Promise.all(
      children.filter(isOfProgram).map(async (child) => {
        if (isAccessGroup(child)) {
          const group = { ...located, variable: { ...located.variable, name: child.name } };
          return this.listMembers(place, group);
        }
        const { name, path } = childPath(place.language, located, child);
        return [await this.show(place, { variable: child, path, name })];
      }),
    );
    return withUniqueNames(shown.flat());
  }

  /** gdb makes all elements of an array at once: those of a long one are taken from a slice of it. */
  private async listElements(place: Place, located: Located, page: Page): Promise<ShownVariable[]> {
    const { variable } = located;
    const { from, to } = pageOf(page, elementCount(variable));
    if (to <= from) return [];
    const { elements, path } = await this.elements(place, located, from, to);
    const low = firstIndex(variable);
    const shown = await Promise.all(
      elements.map((element, i) => {
        const at = elementPath(place.language, { variable, path }, String(low + from + i));
        return this.show(place, { variable: element, path: at.path, name: at.name });
      }),
    );
    const rest = partAsWritten(place.language, { variable, path }, page.start + longestList);
    return [...shown, ...restOfList(page, elementCount(variable), rest)];
  }

  private async elements(
    place: Place,
    { variable, path }: Located,
    from: number,
    to: number,
  ): Promise<{ elements: VariableObject[]; path: Path }> {
    const create = (source: string): Promise<VariableObject> => this.store.create(place, source);
    const array = await arrayOf(place, variable, path);
    if (array !== undefined) {
      const elements = await partsOf(place, variable, { ...path, array }, { from, to, create });
      return { elements, path: { ...path, array } };
    }
    const isLong = place.language !== 'fortran' && elementCount(variable) > longestList;
    const part = isLong ? slice(path, from, to - from) : undefined;
    const elements =
      part === undefined
        ? await varListChildren(place, variable, from, to)
        : await varListChildren(place, await create(part), 0, to - from);
    return { elements, path };
  }

  /** What a pretty printer shows; a map's keys and values come as children in turn. */
  private async listDynamic(place: Place, located: Located, page: Page): Promise<ShownVariable[]> {
    const { variable } = located;
    const isMap = variable.displayHint === 'map';
    const perElement = isMap ? 2 : 1;
    const from = page.start;
    const to = from + (page.count ?? longestList);
    const children = await varListChildren(place, variable, from * perElement, to * perElement);
    if (!isMap) {
      return withUniqueNames(
        await Promise.all(
          children.map((child) =>
            this.show(place, { ...childPath(place.language, located, child), variable: child, name: child.expression }),
          ),
        ),
      );
    }
    const shown: ShownVariable[] = [];
    for (let i = 0; i + 1 < children.length; i += 2) {
      const [key, value] = [children[i]!, children[i + 1]!];
      const keyText = key.value === undefined || key.value === '' ? '{...}' : key.value;
      const path = elementOfMap(located.path, keyText);
      shown.push(await this.show(place, { variable: value, path, name: `[${keyText}]` }));
    }
    return withUniqueNames(shown);
  }
}

/** Pretty printers tell the length of a list in their text only: "std::vector of length 3", "std::deque with 3 elements". */
export function withLength(
  children: Children | undefined,
  variable: VariableObject,
  text: string,
): Children | undefined {
  const length = /^[^={]*? (?:of length|with) (\d+)\b/.exec(text)?.[1];
  const isList = children !== undefined && variable.dynamic && variable.displayHint === 'array' && length !== undefined;
  return isList ? { ...children, indexed: Number(length) } : children;
}

/** The compiler keeps the length of a CHARACTER of deferred length in a component of its own. */
function isOfProgram({ expression }: VariableObject): boolean {
  return !/^_\w+_length$/.test(expression);
}

function isText(variable: VariableObject): boolean {
  return /^(const |volatile )*char \*( const)?$/.test(variable.type ?? '') && /"/.test(variable.value ?? '');
}

function isAccessGroup(child: VariableObject): boolean {
  return child.type === undefined && ['public', 'protected', 'private'].includes(child.expression);
}

/** A member that hides one of a base class has its name: both are shown. */
function withUniqueNames(variables: readonly ShownVariable[]): ShownVariable[] {
  const seen = new Map<string, number>();
  return variables.map((variable) => {
    const count = (seen.get(variable.name) ?? 0) + 1;
    seen.set(variable.name, count);
    return count === 1 ? variable : { ...variable, name: `${variable.name} (${count})` };
  });
}
