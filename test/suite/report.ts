/** The outcomes of all programs as one table, a line for each folder of the suite. */
import type { Outcome } from './check-program';

const columns = ['programs', 'compared', 'stops', 'looks', 'facts', 'wrong', 'broken', 'skipped'] as const;

type Line = Record<(typeof columns)[number], number>;

/** `outcomes`: by the names of the programs, "pt2pt/bsend1". */
export function tableOf(outcomes: ReadonlyMap<string, Outcome>): string {
  const lines = new Map<string, Line>();
  const total = emptyLine();
  for (const [name, outcome] of outcomes) {
    const folder = name.split('/')[0] ?? name;
    const line = lines.get(folder) ?? emptyLine();
    lines.set(folder, line);
    for (const sum of [line, total]) addTo(sum, outcome);
  }
  const rows = [...[...lines].sort(([a], [b]) => (a < b ? -1 : 1)), ['all', total] as const];
  const written = rows.map(([folder, line]) => [folder, ...columns.map((column) => String(line[column]))]);
  return [['folder', ...columns], ['---', ...columns.map(() => '---')], ...written]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** A fact is wrong, a program or the check failed, or nothing was compared. */
export function isWrong(outcomes: ReadonlyMap<string, Outcome>): boolean {
  const all = [...outcomes.values()];
  return (
    all.every(({ skipped }) => skipped !== undefined) ||
    all.some(({ comparison, broken }) => comparison.differences.length > 0 || broken !== undefined)
  );
}

function emptyLine(): Line {
  return { programs: 0, compared: 0, stops: 0, looks: 0, facts: 0, wrong: 0, broken: 0, skipped: 0 };
}

function addTo(line: Line, { comparison, stops, looks, skipped, broken }: Outcome): void {
  line.programs++;
  line.compared += skipped === undefined ? 1 : 0;
  line.stops += stops;
  line.looks += looks;
  line.facts += comparison.facts;
  line.wrong += comparison.differences.length;
  line.broken += broken === undefined ? 0 : 1;
  line.skipped += skipped === undefined ? 0 : 1;
}
