/** Parts of an array as the user writes them: `u(17,3:5)`, `cells[3].velocity[1]`. */
import type { Dimension, FloatPlace, NamePart } from '../gdb/python/float-places';

/** A place, and the language that it is written in. */
export type Named = Pick<FloatPlace, 'name' | 'dimensions'> & { language: 'c' | 'fortran' };

/** All of it: `u`, `cells[*].velocity`, `c(:)%w`. */
export function nameOfAll({ name, language }: Named): string {
  const lastText = name.findLastIndex((part) => typeof part === 'string');
  return name
    .slice(0, lastText + 1)
    .map((part) => (typeof part === 'string' ? part : manyOf(part, language)))
    .join('');
}

/** `indices`: positions, 0 the first. */
export function nameOfElement(named: Named, indices: readonly number[]): string {
  return written(named, (number, { low }) => String(low + indices[number]!));
}

/** Both ends are included. */
export function nameOfBox(named: Named, from: readonly number[], to: readonly number[]): string {
  const between = named.language === 'fortran' ? ':' : '..';
  return written(named, (number, { low }) =>
    from[number] === to[number] ? String(low + from[number]!) : `${low + from[number]!}${between}${low + to[number]!}`,
  );
}

function written({ name, dimensions, language }: Named, subscript: (number: number, of: Dimension) => string): string {
  return name
    .map((part) => {
      if (typeof part === 'string') return part;
      const each = part.subscripts.map((number) => subscript(number, dimensions[number]!));
      return language === 'fortran' ? `(${each.join(',')})` : each.map((index) => `[${index}]`).join('');
    })
    .join('');
}

function manyOf({ subscripts }: Exclude<NamePart, string>, language: Named['language']): string {
  return language === 'fortran' ? `(${subscripts.map(() => ':').join(',')})` : subscripts.map(() => '[*]').join('');
}
