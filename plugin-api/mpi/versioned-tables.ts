/** Chooses among the shipped layout tables of one MPI by version. */
import type { LayoutTable } from '../layout';

/** A table that may fit a version; it is used only if it passes the checks against the process. */
export interface TableCandidate {
  /** As `info` shows it: "table openmpi 4.1.4", "tables openmpi 4.1.4 and 4.1.8, which agree except for ompi_win_t". */
  name: string;
  table: LayoutTable;
}

/**
 * The tables to try for `version`, best first: its own table if there is one. Another version gets two neighbours of its
 * major, those around it or, if it is newer than all of its series (5.0), the last two of that, reduced to the structs on whose fields they agree (tables hold only fields that are read; struct sizes may differ and
 * are checked against the process). The other structs are withheld, and what needs them is not decoded. `essential`:
 * structs that a table is useless without (default: all); if one of them is withheld, there is no candidate, since
 * layouts are never guessed.
 */
export function tablesFor(
  mpi: string,
  tables: Readonly<Record<string, LayoutTable>>,
  version: string,
  essential?: readonly string[],
): TableCandidate[] {
  const exact = tables[version];
  if (exact !== undefined) return [{ name: `table ${mpi} ${version}`, table: exact }];
  // The next major may keep other things in fields of the same names.
  const versions = Object.keys(tables).filter((v) => partsOf(v, 1) === partsOf(version, 1));
  versions.sort(compareVersions);
  const above = versions.findIndex((v) => compareVersions(v, version) > 0);
  const series = versions.filter((v) => partsOf(v, 2) === partsOf(version, 2));
  const [lower, upper] = above === -1 ? series.slice(-2) : [versions[above - 1], versions[above]];
  if (lower === undefined || upper === undefined) return [];
  const below = tables[lower]!;
  const over = tables[upper]!;
  const all = [...new Set([...Object.keys(below), ...Object.keys(over)])];
  const withheld = all.filter((struct) => fieldsOf(below, struct) !== fieldsOf(over, struct));
  if (withheld.some((struct) => essential === undefined || essential.includes(struct))) return [];
  const except = withheld.length === 0 ? '' : ` except for ${withheld.join(', ')}`;
  const name = `tables ${mpi} ${lower} and ${upper}, which agree${except}`;
  return [below, over].map((table) => ({ name, table: without(table, withheld) }));
}

/** The first numbers: "5", "5.0". */
const partsOf = (version: string, count: number): string => version.split('.', count).join('.');

function without(table: LayoutTable, structs: readonly string[]): LayoutTable {
  return Object.fromEntries(Object.entries(table).filter(([struct]) => !structs.includes(struct)));
}

/** Offset and size of each field, as comparable text; undefined: the table has no such struct. */
function fieldsOf(table: LayoutTable, struct: string): string | undefined {
  const layout = table[struct];
  if (layout === undefined) return undefined;
  const fields = Object.entries(layout.fields).map(([field, { offset, size }]) => [field, offset, size]);
  return JSON.stringify(fields.sort());
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
