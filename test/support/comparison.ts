/** How two values are held against each other: what was compared, and what differed. */

export interface Comparison {
  /** Values that were compared, equal or not. */
  facts: number;
  /** One sentence per difference, "rank 2 ocean: size is 5, MPI says 4". Empty: all agree. */
  differences: string[];
}

export type Fields = Record<string, unknown>;

/** Arrays: length, then each element. Objects: the same fields, then each. Else: one fact. */
export function compareValue(what: string, expected: unknown, actual: unknown, result: Comparison): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    compareValue(`${what}, how many,`, expected.length, actual.length, result);
    expected.forEach((element, i) => compareValue(`${what}[${i}]`, element, actual[i], result));
  } else if (isObject(expected) && isObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compareValue(`${what}.${name}`, expected[name], actual[name], result);
    }
  } else {
    result.facts++;
    if (actual !== expected) result.differences.push(`${what} is ${show(actual)}, MPI says ${show(expected)}`);
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

export function add(result: Comparison, other: Comparison): void {
  result.facts += other.facts;
  result.differences.push(...other.differences);
}
