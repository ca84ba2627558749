/** The numbers in a rank set. */

/** From a rank set as the adapter writes it. */
export function numbersOf(set: string): number[] {
  return set.split(',').flatMap((range) => {
    const [first, last] = range.split('-').map(Number);
    if (first === undefined || range === '') return [];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, i) => first + i);
  });
}
