/**
 * The Variables view of the samples as text, compared with the files in golden/. After an intended change:
 * UPDATE_GOLDEN=1 npx mocha test/dap/variables.test.ts, and read the difference before committing it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis } from '../support/sample-job';
import { DebugRun, type StartOptions } from './debug-run';

/** Not set yet where the samples stop, or different on every machine. */
const unstable = new Set(['here', 'argv', 'crew', 'made', 'i']);

interface Shape {
  depth: number;
  /** Lists longer than this are shown with their first elements. */
  elements?: number;
  /** Names that are shown; all by default. */
  only?: readonly string[];
}

async function tree(run: DebugRun, reference: number, shape: Shape, indent = ''): Promise<string[]> {
  const { depth, elements = 5, only } = shape;
  const lines: string[] = [];
  const paging = { filter: 'indexed', start: 0, count: elements };
  for (const variable of await run.variables(reference)) {
    if (indent === '' && (unstable.has(variable.name) || (only !== undefined && !only.includes(variable.name))))
      continue;
    lines.push(line(variable, indent));
    if (variable.variablesReference === 0 || depth === 0) continue;
    const isLong = (variable.indexedVariables ?? 0) > elements;
    const inner = { ...shape, depth: depth - 1, only: undefined };
    if (isLong) {
      const page = await run.variables(variable.variablesReference, paging);
      lines.push(...page.map((element) => line(element, `${indent}  `)), `${indent}  …`);
    } else {
      lines.push(...(await tree(run, variable.variablesReference, inner, `${indent}  `)));
    }
  }
  return lines;
}

function line({ name, value, type, indexedVariables }: DebugProtocol.Variable, indent: string): string {
  const shown = value
    .replace(/0x[0-9a-f]{6,}/g, '0x…')
    .replace(/^(\[?0x… )\(-?\d+\)$/, '$1')
    // Open MPI's slots: as many as the machine has cores.
    .replace(/(name: "MPI_UNIVERSE_SIZE", value: )\d+/, '$1…');
  if (name === 'reason') return `${indent}reason: …`;
  const length = indexedVariables === undefined ? '' : ` ×${indexedVariables}`;
  return `${indent}${name}: ${shown}${type === undefined ? '' : `  [${type}${length}]`}`;
}

function compareWithGolden(name: string, lines: readonly string[]): void {
  const file = join(__dirname, 'golden', `${name}.txt`);
  const text = `${lines.map((each) => each.trimEnd()).join('\n')}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}

async function localsOf(options: StartOptions, shape: Shape, rank: number): Promise<string[]> {
  const { run } = await DebugRun.stopped(options);
  const frame = await run.topFrame(rank);
  const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId: frame.id });
  const lines = await tree(run, scopes[0]!.variablesReference, shape);
  await run.close();
  return lines;
}

describe('variables', () => {
  for (const [program, source] of [
    ['variables', 'variables.c'],
    ['variables-f90', 'variables.f90'],
    ['containers', 'containers.cpp'],
  ] as const) {
    const marker = program === 'containers' ? 'all containers filled' : 'all variables set';
    it(`of ${source}`, async () => {
      const options = { mpi: 'mpich' as const, program, breakpoints: [{ source, marker }] };
      compareWithGolden(program, await localsOf(options, { depth: 2 }, 1));
    });
  }

  it('of a Fortran procedure: dummy arguments and parts of arrays', async () => {
    const breakpoints = [{ source: 'variables.f90', marker: 'in visit' }];
    compareWithGolden(
      'visit-f90',
      await localsOf({ mpi: 'mpich', program: 'variables-f90', breakpoints }, { depth: 2 }, 1),
    );
  });

  for (const mpi of allMpis) {
    it(`that are communicators of ${mpi}`, async () => {
      const breakpoints = [{ source: 'communicators.c', marker: 'all communicators made' }];
      const only = ['ocean', 'grid', 'family', 'pointer', 'domain', 'freed', 'garbage', 'even_odd', 'short_lived'];
      const lines = await localsOf({ mpi, program: 'communicators', breakpoints }, { depth: 2, only }, 1);
      compareWithGolden(`communicators-${mpi}`, lines);
    });

    it(`that are TYPE(MPI_Comm) of ${mpi}`, async () => {
      const breakpoints = [{ source: 'communicators-f08.f90', marker: 'all communicators made' }];
      const only = ['ocean', 'family', 'domain', 'layers', 'freed'];
      const lines = await localsOf({ mpi, program: 'communicators-f08', breakpoints }, { depth: 1, only }, 1);
      compareWithGolden(`communicators-f08-${mpi}`, lines);
    });
  }

  it('of long arrays come in pages', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const { variablesReference, indexedVariables } = await run.local(0, 'long_array');
    assert.equal(indexedVariables, 300);
    const page = await run.variables(variablesReference, { filter: 'indexed', start: 200, count: 100 });
    assert.equal(page.length, 100);
    assert.deepEqual(
      [page[0], page[99]].map((each) => [each?.name, each?.value, each?.evaluateName]),
      [
        ['[200]', '40000', 'long_array[200]'],
        ['[299]', '89401', 'long_array[299]'],
      ],
    );
    assert.deepEqual(await run.variables(variablesReference, { filter: 'named' }), []);
    // A part of memory as an array of a million elements: nothing is read that is not asked for.
    const million = await run.evaluate('*(char (*)[1000000])long_array', 'watch', (await run.topFrame(0)).id);
    assert.equal(million.indexedVariables, 1_000_000);
    const few = await run.variables(million.variablesReference, { filter: 'indexed', start: 8, count: 4 });
    assert.deepEqual(
      few.map(({ name, value }) => `${name} ${value}`),
      ["[8] 4 '\\u0004'", "[9] 0 '\\000'", "[10] 0 '\\000'", "[11] 0 '\\000'"],
    );
    // No element of it is made to find out whether there are handles in it: that would take minutes.
    const numbers = '*(double (*)[20000000])long_array';
    const many = await run.evaluate(numbers, 'watch', (await run.topFrame(0)).id);
    assert.equal(many.indexedVariables, 20_000_000);
    await run.client.request('mpidbg/show', { expressions: [numbers] });
    await run.close();
  });

  it('keep their numbers over a step, so that an open tree stays open, and lose them while the rank runs', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const before = await run.local(0, 'first');
    const inside = await run.variables(before.variablesReference);
    const position = inside.find(({ name }) => name === 'position');
    await run.client.request('next', { threadId: stop.threadId });
    await run.nextStops([0, 1], 'step');
    await assert.rejects(run.variables(before.variablesReference), /belongs to an earlier stop/);
    const after = await run.local(0, 'first');
    assert.equal(after.variablesReference, before.variablesReference);
    const again = (await run.variables(after.variablesReference)).find(({ name }) => name === 'position');
    assert.equal(again?.variablesReference, position?.variablesReference);
    await run.close();
  });
});
