/** Variables that have no value yet, and those that have one however they came to it. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { eventually } from '../support/process-state';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

interface Case {
  program: string;
  source: string;
  marker: string;
  /** The line that the program has printed just before, from 1. */
  line: number;
  /** Variables whose values are in that line, and where. */
  set: readonly string[];
  printed: (words: readonly string[]) => readonly (string | undefined)[];
  /** Are told of for certain; none but those whose names begin so may be. */
  late: readonly string[];
}

const inNumbers = (text = ''): number[] => text.replace(/[{}]/g, '').split(', ').map(Number);

const cases: readonly Case[] = [
  {
    program: 'unset',
    source: 'unset.c',
    marker: 'some are set',
    line: 1,
    set: ['direct', 'by_address', 'i', 'round', 'by_loop'],
    printed: (words) => [words[0], words[1], words[3], words[4], words[6]],
    // Arrays are not told of where the function has computed a place in one.
    late: ['late_count', 'late_pointer', 'late_value', 'late_pair'],
  },
  {
    program: 'unset',
    source: 'unset.c',
    marker: 'a copy is to come',
    line: 2,
    set: ['row'],
    printed: ([, , last]) => [`4, ${last}`],
    late: ['late_cell', 'late_row'],
  },
  {
    program: 'unset',
    source: 'unset.c',
    marker: 'returned twice',
    line: 3,
    set: ['after'],
    printed: (words) => words,
    late: [],
  },
  {
    program: 'unset-f90',
    source: 'unset.f90',
    marker: 'some are set',
    line: 1,
    set: ['direct', 'by_reference', 'i', 'round', 'by_loop'],
    printed: (words) => [...words.slice(0, 4), words[6]],
    // A statement may have made something in the place of late_ierr.
    late: ['late_i', 'late_speed', 'late_wave'],
  },
  {
    program: 'unset-f90',
    source: 'unset.f90',
    marker: 'set by an inner procedure',
    line: 2,
    set: ['from_inner'],
    printed: (words) => words,
    late: [],
  },
  {
    program: 'unset-f90',
    source: 'unset.f90',
    marker: 'set by a passed procedure',
    line: 3,
    set: ['from_passed'],
    printed: (words) => words,
    late: [],
  },
];

for (const mpi of allMpis)
  for (const { program, source, marker, line, set, printed, late } of cases)
    it(`${mpi}: what has no value yet says so, and nothing else does (${source}, ${marker})`, async () => {
      const breakpoints = [{ source, marker }];
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 1, breakpoints });
      try {
        const [frame] = await run.frames(await run.threadOf(0));
        const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', {
          frameId: frame!.id,
        });
        const all = await run.variables(scopes[0]!.variablesReference);
        const values = new Map(all.map(({ name, value }) => [name, value]));
        // Each is of numbers alone, with the rank before them.
        const lines = (): string[][] =>
          [...run.client.outputText('stdout').matchAll(/^(?:\[\d\])?((?: *[\d.]+)+)$/gm)].map(([, numbers]) =>
            numbers!.trim().split(/ +/),
          );
        await eventually('the program has printed', () => lines().length >= line);
        const words = lines()[line - 1]!;
        assert.deepEqual(
          set.map((name) => inNumbers(values.get(name))),
          printed(words).map(inNumbers),
        );
        const told = [...values].flatMap(([name, value]) => (value === 'not set yet' ? [name] : []));
        assert.deepEqual(
          late.filter((name) => !told.includes(name)),
          [],
        );
        assert.deepEqual(
          told.filter((name) => !name.startsWith('late_')),
          [],
        );
        const { variables } = await run.client.request<{ variables: { expression: string }[] }>('mpidbg/differences', {
          frameId: frame!.id,
        });
        assert.ok(!variables.some(({ expression }) => expression.startsWith('late_')));
      } finally {
        await run.close();
      }
    });
