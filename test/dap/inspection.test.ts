/** What surrounds variables: completions, modules, sources, maps of sources, cancel and progress. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const inC = { source: 'variables.c', marker: 'all variables set' };
const samples = join(__dirname, '..', '..', 'samples');

describe('what a job is made of', () => {
  let run: DebugRun;
  before(async () => {
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [inC] }));
  });
  after(() => run.close());

  it('modules are the program and its libraries', async () => {
    type Body = DebugProtocol.ModulesResponse['body'];
    const { modules, totalModules } = await run.client.request<Body>('modules', {});
    assert.equal(modules.length, totalModules);
    const program = modules.find(({ path }) => path === samplePath('mpich', 'variables'));
    assert.equal(program?.symbolStatus, 'Symbols loaded');
    const needed = execFileSync('ldd', [samplePath('mpich', 'variables')], { encoding: 'utf8' });
    const library = /(libmpich\S*) => /.exec(needed)?.[1] ?? '';
    assert.ok(
      modules.some(({ name }) => name.startsWith(library.split('.so')[0]!)),
      'the MPI library is missing',
    );
    const page = await run.client.request<Body>('modules', { startModule: 1, moduleCount: 2 });
    assert.deepEqual(page, { modules: modules.slice(1, 3), totalModules });
  });

  it('loadedSources are the files that are there, and source reads one', async () => {
    const { sources } = await run.client.request<DebugProtocol.LoadedSourcesResponse['body']>('loadedSources');
    const path = join(samples, 'variables.c');
    assert.ok(sources.some((source) => source.path === path));
    const { content } = await run.client.request<DebugProtocol.SourceResponse['body']>('source', {
      source: { path },
      sourceReference: 0,
    });
    assert.equal(content, readFileSync(path, 'utf8'));
  });

  it('completions offer variables, members, names of MPI and commands', async () => {
    const frameId = (await run.topFrame(0)).id;
    const offered = async (text: string): Promise<string[]> => {
      const { targets } = await run.client.request<DebugProtocol.CompletionsResponse['body']>('completions', {
        frameId,
        text,
        column: text.length + 1,
      });
      for (const { label, start = 0, length = 0 } of targets)
        assert.ok(label.startsWith(text.slice(start, start + length)), `${label} for ${text}`);
      return targets.map(({ label }) => label);
    };
    assert.ok((await offered('1 + short_n')).includes('short_number'));
    assert.deepEqual(await offered('first.posi'), ['position']);
    assert.ok((await offered('current->')).includes('depths'));
    assert.ok((await offered('MPI_COMM_W')).includes('MPI_COMM_WORLD'));
    assert.deepEqual(await offered('mpi sh'), ['mpi show ']);
    assert.ok((await offered('-exec info regi')).includes('registers'));
    assert.deepEqual(await offered('no_such_beginning'), []);
  });

  it('a request that is cancelled is answered, once', async () => {
    const since = run.client.events.length;
    const slow = run.client.request('evaluate', {
      expression: '-exec python import time; time.sleep(1)',
      context: 'repl',
    });
    const refused = assert.rejects(slow, /cancelled/);
    await run.client.request('cancel', { requestId: run.client.lastRequest });
    await refused;
    assert.equal((await run.evaluate('rank', 'repl')).result, '0: 0\n1: 1');
    await run.client.request('cancel', { requestId: 4711 });
    assert.equal(run.client.events.length, since);
  });
});

describe('starting', () => {
  it('is told as progress to a client that shows it', async () => {
    const run = await DebugRun.open({ supportsProgressReporting: true });
    await run.launch({ mpi: 'mpich', program: 'ring', ranks: 2 });
    const names = run.client.events.map(({ event }) => event).filter((event) => event.startsWith('progress'));
    assert.deepEqual(names, ['progressStart', 'progressUpdate', 'progressUpdate', 'progressEnd']);
    await run.close();
  });

  it('finds sources that were elsewhere when they were compiled', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-map-'));
    try {
      const [built, now] = [join(folder, 'built'), join(folder, 'now')];
      mkdirSync(built);
      copyFileSync(join(samples, 'ring.c'), join(built, 'ring.c'));
      const program = join(folder, 'ring');
      execFileSync('mpicc.mpich', ['-g', '-O0', join(built, 'ring.c'), '-o', program]);
      renameSync(built, now);
      const run = await DebugRun.open();
      const options = { mpi: 'mpich' as const, program: 'ring', ranks: 2 };
      const source = { path: join(now, 'ring.c') };
      const line =
        readFileSync(source.path, 'utf8')
          .split('\n')
          .findIndex((text) => text.includes('stop:')) + 1;
      await run.launch({ ...options, attributes: { program, sourceFileMap: { [built]: now } } }, async () => {
        const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>(
          'setBreakpoints',
          {
            source,
            breakpoints: [{ line }],
          },
        );
        assert.equal(breakpoints[0]?.verified, true, breakpoints[0]?.message);
      });
      await run.nextStop();
      const frame = await run.topFrame(1);
      assert.equal(frame.source?.path, source.path);
      assert.equal(basename(frame.source.path), frame.source.name);
      await run.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
