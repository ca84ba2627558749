/** Everything that a session on a live job answers without running it, a session on core files answers too. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { CoreFolder } from '../support/core-files';
import { DapClient, DapError } from '../support/dap-client';
import { allMpis, markerLine, type Mpi } from '../support/sample-job';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');
/** Threads that the libraries of Debian 12 have besides the program's, in whose work nobody is interested. */
const helpers: Record<Mpi, RegExp> = { openmpi: /\((Open MPI|PMIx|UCX)\)$/, mpich: /\(UCX\)$/ };

for (const mpi of allMpis) {
  describe(`a session on the core of a rank of ${mpi}`, () => {
    let folder: CoreFolder;
    let client: DapClient;
    let end: () => void;
    let capabilities: DebugProtocol.Capabilities = {};
    let threadId: number;
    let frames: DebugProtocol.StackFrame[];
    let main: number;

    before(async () => {
      folder = new CoreFolder();
      await folder.crash(mpi, 'segv', { ranks: 2, args: ['1'] });
      const spawned = DapClient.spawn(adapter);
      client = spawned.client;
      end = () => void spawned.process.kill();
      await client.request('initialize', { adapterID: 'mpidbg' });
      const attached = client.request('attach', { cores: [join(folder.path, '*', 'core*')] });
      await client.waitFor('initialized');
      await attached;
      const told = await client.waitFor<DebugProtocol.CapabilitiesEvent>('capabilities');
      ({ capabilities } = told.body);
      await client.request('configurationDone');
      ({ threadId } = (await client.waitFor<DebugProtocol.StoppedEvent>('stopped')).body as { threadId: number });
      const stack = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', { threadId });
      frames = stack.stackFrames;
      main = frames.find(({ name }) => name === 'main')!.id;
    });

    after(() => {
      end();
      folder.remove();
    });

    const evaluate = (expression: string, context: string) =>
      client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', { expression, context, frameId: main });

    it('exceptionInfo: the fault itself, though the MPI library has caught the signal and raised it again', async () => {
      const info = await client.request<DebugProtocol.ExceptionInfoResponse['body']>('exceptionInfo', { threadId });
      assert.equal(info.exceptionId, 'SIGSEGV');
      assert.equal(info.description, 'Segmentation fault at address 0x0 (nothing is mapped there)');
    });

    it("threads: the MPI library's own are named", async () => {
      const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
      assert.equal(threads[0]?.name, 'rank 1');
      assert.ok(threads.length > 1);
      for (const { name } of threads.slice(1)) assert.match(name, helpers[mpi]);
    });

    it('scopes and variables, registers among them', async () => {
      const { scopes } = await client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId: main });
      const all = new Map<string, string>();
      for (const { variablesReference } of scopes) {
        const { variables } = await client.request<DebugProtocol.VariablesResponse['body']>('variables', {
          variablesReference,
        });
        for (const { name, value } of variables) all.set(name, value);
      }
      assert.equal(all.get('culprit'), '1');
      assert.equal(all.get('depth'), '4000');
      assert.equal(all.get('rdi') ?? '0x0', '0x0');
      assert.ok(all.has('rip') || all.has('pc'), [...all.keys()].join());
    });

    it('evaluate: hover, watch and the debug console, handles too', async () => {
      for (const context of ['hover', 'watch', 'repl'])
        assert.equal((await evaluate('depth + culprit', context)).result, '4001', context);
      assert.equal((await evaluate('depth == 4000 ? 7 : 8', 'watch')).result, '7');
      assert.equal((await evaluate('MPI_COMM_WORLD', 'watch')).result, 'MPI_COMM_WORLD · rank 1 of 2');
      assert.match((await evaluate('mpi show MPI_COMM_WORLD', 'repl')).result, /rank 1 of 2/);
      assert.match((await evaluate('-exec info registers rip', 'repl')).result, /^rip/);
    });

    it('memory, and why there is none', async () => {
      const { memoryReference } = await evaluate('&depth', 'watch');
      const read = await client.request<DebugProtocol.ReadMemoryResponse['body']>('readMemory', {
        memoryReference,
        count: 4,
      });
      assert.equal(Buffer.from(read?.data ?? '', 'base64').readInt32LE(), 4000);
      const none = await client.request<DebugProtocol.ReadMemoryResponse['body']>('readMemory', {
        memoryReference: '0x10',
        count: 4,
      });
      assert.equal(none?.unreadableBytes, 4);
    });

    it('disassembly', async () => {
      const { instructions } = (await client.request<DebugProtocol.DisassembleResponse['body']>('disassemble', {
        memoryReference: frames[0]?.instructionPointerReference,
        instructionCount: 1,
      }))!;
      assert.equal(instructions[0]?.line, markerLine('segv.c', 'follows the pointer'));
    });

    it('completions, modules and loaded sources', async () => {
      const { targets } = await client.request<DebugProtocol.CompletionsResponse['body']>('completions', {
        text: 'culp',
        column: 5,
        frameId: main,
      });
      assert.deepEqual(
        targets.map(({ label }) => label),
        ['culprit'],
      );
      const { modules } = await client.request<DebugProtocol.ModulesResponse['body']>('modules', {});
      assert.ok(modules.some(({ name }) => name === 'segv') && modules.some(({ name }) => name.startsWith('libmpi')));
      const { sources } = await client.request<DebugProtocol.LoadedSourcesResponse['body']>('loadedSources', {});
      assert.ok(sources.some(({ name }) => name === 'segv.c'));
    });

    it('merged stacks and handles', async () => {
      const stacks = await client.request<{ target: string }>('mpidbg/stacks', {});
      assert.equal(stacks.target, 'core');
      assert.match(JSON.stringify(stacks), /read_depth/);
      const handles = await client.request<{ ranks: { rank: number; answers: unknown[] }[] }>('mpidbg/handles', {
        kinds: ['comm'],
      });
      assert.deepEqual(
        handles.ranks.map(({ rank }) => rank),
        [1],
      );
      assert.match(JSON.stringify(handles), /MPI_COMM_WORLD/);
    });

    it('tells the client what it cannot do', () => {
      for (const name of ['supportsSetVariable', 'supportsSetExpression', 'supportsWriteMemoryRequest'] as const)
        assert.equal(capabilities[name], false, name);
      for (const name of [
        'supportsGotoTargetsRequest',
        'supportsDataBreakpoints',
        'supportsFunctionBreakpoints',
      ] as const)
        assert.equal(capabilities[name], false, name);
    });

    it('refuses what runs or changes a process, each in one sentence', async () => {
      const { memoryReference } = await evaluate('&depth', 'watch');
      const requests: [command: string, args: object, message: RegExp][] = [
        ['continue', { threadId }, /cannot continue: /],
        ['next', { threadId }, /cannot step: /],
        ['stepIn', { threadId }, /cannot step: /],
        ['stepOut', { threadId }, /cannot step: /],
        ['pause', { threadId }, /cannot be paused: /],
        ['gotoTargets', { source: { path: '/segv.c' }, line: 8 }, /cannot go to another line: /],
        ['setVariable', { variablesReference: 1, name: 'depth', value: '1' }, /cannot be changed: /],
        ['setExpression', { expression: 'depth', value: '1', frameId: main }, /cannot be changed: /],
        ['writeMemory', { memoryReference, data: 'AAAA' }, /cannot be changed: /],
      ];
      for (const expression of ['depth = 1', 'depth++', '-exec set var depth = 1', '-exec print depth = 1'])
        requests.push(['evaluate', { expression, context: 'repl', frameId: main }, /cannot be changed: /]);
      for (const expression of ['-exec run', '-exec start', '-exec c', '-exec kill', '-exec attach 1'])
        requests.push(['evaluate', { expression, context: 'repl', frameId: main }, /cannot run: /]);
      for (const [command, args, message] of requests)
        await assert.rejects(
          client.request(command, args),
          (error) =>
            error instanceof DapError && error.message.includes('this is a core file') && message.test(error.message),
          `${command} ${JSON.stringify(args)}`,
        );
      await assert.rejects(evaluate('read_depth(&depth)', 'watch'), /this would call a function of the program/);
      assert.equal((await evaluate('depth', 'watch')).result, '4000');
    });
  });
}

describe('a session on a folder with thousands of other files', () => {
  it('opens the cores in it, tells how far it is, and can be cancelled', async () => {
    const folder = new CoreFolder();
    const spawned = [DapClient.spawn(adapter), DapClient.spawn(adapter)];
    try {
      await folder.crash('mpich', 'segv', { ranks: 2, args: ['1'] });
      mkdirSync(join(folder.path, '1'), { recursive: true });
      for (let i = 0; i < 10_000; i++) writeFileSync(join(folder.path, '1', `core.log${i}`), 'log\n');
      const cores = [join(folder.path, '1', 'core*')];
      const { client } = spawned[0]!;
      await client.request('initialize', { adapterID: 'mpidbg', supportsProgressReporting: true });
      const attached = client.request('attach', { cores, helperThreads: false });
      const { body } = await client.waitFor<DebugProtocol.ProgressUpdateEvent>('progressUpdate');
      assert.match(body.message ?? '', /^file \d+ of 10001$/);
      await client.waitFor('initialized');
      await attached;
      const said = client.outputText('console');
      assert.match(said, /rank 1: SIGSEGV/);
      const [line, ...others] = said.split('\n').filter((each) => each.startsWith('not opened:'));
      assert.match(line ?? '', /core\.log0,\S+core\.log1,\S+core\.log2 and 9997 more: it is not a core file$/);
      assert.deepEqual(others, []);
      const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
      assert.deepEqual(
        threads.map(({ name }) => name),
        ['rank 1'],
        "without the MPI library's own, as was asked for",
      );
      await client.request('disconnect');

      const { client: impatient } = spawned[1]!;
      await impatient.request('initialize', { adapterID: 'mpidbg', supportsProgressReporting: true });
      const given = impatient.request('attach', { cores });
      const refused = assert.rejects(given, /cancel/);
      const { body: begun } = await impatient.waitFor<DebugProtocol.ProgressStartEvent>('progressStart');
      await impatient.request('cancel', { progressId: begun.progressId });
      await refused;
    } finally {
      for (const { process: child } of spawned) child.kill();
      folder.remove();
    }
  });
});

it('a debuginfod server that never answers is waited for in vain only until the user cancels', async () => {
  const folder = new CoreFolder();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const [core] = (await folder.crash('mpich', 'segv', { ranks: 2, args: ['1'] })).values();
    const env = {
      ...process.env,
      DEBUGINFOD_URLS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      DEBUGINFOD_CACHE_PATH: join(folder.path, 'cache'),
    };
    const { client, process: child } = DapClient.spawn(adapter, { env });
    try {
      const asked = once(server, 'request', { signal: AbortSignal.timeout(30_000) });
      await client.request('initialize', { adapterID: 'mpidbg', supportsProgressReporting: true });
      const refused = assert.rejects(client.request('attach', { cores: [core] }), /cancel/);
      const { body } = await client.waitFor<DebugProtocol.ProgressStartEvent>('progressStart');
      assert.equal(body.title, 'MPI: opening core files');
      await asked;
      const begun = performance.now();
      await client.request('cancel', { progressId: body.progressId });
      await refused;
      // Far below the time that a silent server has.
      assert.ok(performance.now() - begun < 10_000);
    } finally {
      child.kill();
    }
  } finally {
    server.closeAllConnections();
    server.close();
    folder.remove();
  }
});
