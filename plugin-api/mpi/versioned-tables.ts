/** Choosing among the shipped layout tables of one implementation by its version. */
import type { LayoutTable } from '../layout';

/** A table that may fit a version. Whether it does is decided by checking it against the process. */
export interface TableCandidate {
  /** As `info` tells it: "table openmpi 4.1.4", "tables openmpi 4.1.0 and 4.1.4, which agree". */
  name: string;
  table: LayoutTable;
}

/**
 * The tables to try for `version`, best first. The version's own table if there is one; between two tables both of them,
 * if they agree on every field (tables hold only fields that are read; struct sizes may differ, the process decides).
 * Otherwise none: nothing is decoded from guesses.
 */
export function tablesFor(
  implementation: string,
  tables: Readonly<Record<string, LayoutTable>>,
  version: string,
): TableCandidate[] {
  const exact = tables[version];
  if (exact !== undefined) return [{ name: `table ${implementation} ${version}`, table: exact }];
  const versions = Object.keys(tables).sort(compareVersions);
  const above = versions.findIndex((v) => compareVersions(v, version) > 0);
  const upper = versions[above];
  const lower = versions[above - 1];
  if (lower === undefined || upper === undefined) return [];
  const below = tables[lower]!;
  const over = tables[upper]!;
  if (!agree(below, over)) return [];
  const name = `tables ${implementation} ${lower} and ${upper}, which agree`;
  return [
    { name, table: below },
    { name, table: over },
  ];
}

function agree(a: LayoutTable, b: LayoutTable): boolean {
  const fieldsOf = (table: LayoutTable): string =>
    JSON.stringify(
      Object.entries(table)
        .map(([struct, layout]) => [
          struct,
          Object.entries(layout.fields)
            .map(([field, { offset, size }]) => [field, offset, size])
            .sort(),
        ])
        .sort(),
    );
  return fieldsOf(a) === fieldsOf(b);
}

/** Orders "4.1.4", "5.0.0rc2" < "5.0.0": numbers by value, a release after its candidates. */
export function compareVersions(a: string, b: string): number {
  const parse = (v: string): [number[], string] => {
    const match = /^(\d+(?:\.\d+)*)(.*)$/.exec(v);
    return match ? [match[1]!.split('.').map(Number), match[2]!] : [[], v];
  };
  const [numbersA, restA] = parse(a);
  const [numbersB, restB] = parse(b);
  for (let i = 0; i < Math.max(numbersA.length, numbersB.length); i++) {
    const difference = (numbersA[i] ?? 0) - (numbersB[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (restA === restB) return 0;
  if (restA === '') return 1;
  if (restB === '') return -1;
  return restA < restB ? -1 : 1;
}
