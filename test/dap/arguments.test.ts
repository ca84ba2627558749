/**
 * Whatever a client sends with a request, it is answered, and never with a mistake of ours: arguments that the protocol's
 * schema does not allow are refused with one sentence that names them, those that mean nothing are told to.
 */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { breakpointRequests } from '../../adapter/dap/breakpoints/breakpoint-requests';
import { executionRequests } from '../../adapter/dap/execution/execution-requests';
import { requestTable } from '../../adapter/dap/request-table';
import { ArgumentError, type Check, type RecordCheck } from '../../adapter/questions/argument-checks';
import { lifeRequests } from '../../adapter/dap/session-requests';
import { DapError } from '../support/dap-client';
import { argumentPaths, isDeclared, isOfType, nameOf, problemsOf } from '../support/dap-schema';
import { markerLine } from '../support/sample-job';
import { DebugRun } from './debug-run';

/** What JSON can be, and what cannot be turned into text. */
const anyJson: readonly unknown[] = [
  ...[null, true, 1.5, -1, 1e308, '', 'x\0\n\ud800"', [], [null], [{}], {}, { length: 1e9 }],
  ...[{ toString: 1, valueOf: 1 }, [{ toString: null, valueOf: null }]],
  JSON.parse('{"__proto__":{"line":1}}') as unknown,
];

/** Too deep for whoever walks along it. */
const deepJson: readonly string[] = [
  '['.repeat(100_000) + ']'.repeat(100_000),
  '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
];

/** What means nothing, and what only looks as if it did. */
const oddJson: readonly unknown[] = [
  ...[-1, 0, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ...['', ' ', '\0', '\n', '"', '@', '0x10@7', '0x10@0', '%s%n', '$pc', 'x'.repeat(5000), '('.repeat(500), 'ø→\ud800'],
  ...[true, false, null, [], {}, [''], ['rank'], [{}], [1], { path: '' }, { path: '/no/such/file' }, { hex: true }],
  ...[[{ line: -1 }], [{ line: 0, hitCondition: '%' }], [{ name: '' }], [{ dataId: '' }], [{ dataId: '0x10@0 int' }]],
  ...[[{ instructionReference: '' }], [{ instructionReference: '0@0' }], [{ filterId: '' }], ['crash']],
];

/** Arguments of DAP's that mpidbg has no use for: whatever they are, they are passed over. */
const unread = [
  /^source\.(presentationHint|origin|sources|adapterData|checksums)\b/,
  /(^|\.)(column|endColumn|mode)$/,
  /^(sourceModified|exceptionOptions|sourceReference|allowPartial|resolveSymbols|suspendDebuggee)\b/,
];
const unreadOf: Readonly<Record<string, RegExp>> = {
  stackTrace: /^format/,
  evaluate: /^(line|source)\b/,
  completions: /^line$/,
  stepIn: /^targetId$/,
  // Without it, all ranks pause.
  pause: /^threadId$/,
};

const ofJob = Object.keys(requestTable).filter((command) => !(command in lifeRequests));
// Ranks that run again tell little: what lets them run comes last.
const commands = [
  ...ofJob.filter((command) => !(command in executionRequests)),
  ...ofJob.filter((command) => command in executionRequests),
];

interface Case {
  args: unknown;
  /** The argument that is refused; undefined: none has to be. */
  refused?: string;
}

/** Each argument with each value, and each that is required left out. Arguments that are a text are JSON. */
function casesOf(command: string, good: object): Case[] {
  const name = nameOf(command, 'Arguments');
  const whole = ['true', '1', '"text"', '[1]'].map((args) => ({ args, refused: '' }));
  if (!isDeclared(name)) return [...whole, ...casesOfOurs(command, good)];
  const paths = argumentPaths(name).filter(({ path }) => !isUnread(command, path));
  const missing = paths
    .filter(({ isOptional, path }) => !isOptional && !path.endsWith('[]'))
    .map(({ path }) => ({ args: withOne(good, path, undefined), refused: path }));
  const wrong = paths.flatMap(({ path, type, isOptional }) =>
    anyJson.map((value): Case => {
      const args = withOne(good, path, value);
      // Clients in Lua write null for what is not there, and an empty object as an empty list.
      const isAllowed =
        isOfType(type, value) || (isOptional && value === null) || (isEmptyList(value) && isOfType(type, {}));
      return isAllowed ? { args } : { args, refused: path };
    }),
  );
  return [...whole, ...missing, ...wrong];
}

/** The check of each argument says what it takes: DAP's schema knows nothing of it. */
function casesOfOurs(command: string, good: object): Case[] {
  return Object.entries(fieldsOf(command)).flatMap(([path, check]) =>
    anyJson.map((value) => {
      const args = { ...good, [path]: value };
      return takes(check, value) ? { args } : { args, refused: path };
    }),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isUnread(command: string, path: string): boolean {
  return unread.some((each) => each.test(path)) || unreadOf[command]?.test(path) === true;
}

function fieldsOf(command: string): Record<string, Check<unknown>> {
  const { arguments: check } = requestTable[command as keyof typeof requestTable];
  return (check as RecordCheck<Record<string, unknown>>).fields;
}

function takes(check: Check<unknown>, value: unknown): boolean {
  try {
    check(value, '');
    return true;
  } catch (error) {
    if (error instanceof ArgumentError) return false;
    throw error;
  }
}

/** These arguments with that one, which is what the path names. */
function withOne(given: object, path: string, value: unknown): object {
  const [, name = '', list, rest = ''] = /^(\w+)(\[\])?\.?(.*)$/.exec(path) ?? [];
  const before = (given as Record<string, unknown>)[name];
  const item = list === undefined ? before : (before as unknown[] | undefined)?.[0];
  const one = rest === '' ? value : withOne(item ?? {}, rest, value);
  return { ...given, [name]: list === undefined ? one : [one] };
}

/** The words of the refusal; undefined when it was answered. Never a mistake of ours. */
async function refusalOf(run: DebugRun, command: string, args: unknown): Promise<string | undefined> {
  const json = typeof args === 'string' ? args : JSON.stringify(args);
  try {
    await run.client.requestJson(command, json);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof DapError, String(error));
    const { id, format } = (error.body as { error: DebugProtocol.Message }).error;
    const shown = json.slice(0, 300);
    assert.notEqual(id, 99, `${format}: ${shown}`);
    assert.doesNotMatch(format, /made a mistake|internal error|^\s+at /m, shown);
    return format;
  }
}

async function refusesWrongArguments(run: DebugRun, command: string, good: object): Promise<void> {
  for (const { args, refused } of casesOf(command, good)) {
    const refusal = await refusalOf(run, command, args);
    if (refused === undefined) continue;
    const shown = `${refused}: ${refusal}: ${JSON.stringify(args).slice(0, 300)}`;
    const beginning = refused === '' ? 'the arguments must be ' : `"${refused.replaceAll('[]', '[0]')}`;
    assert.ok(refusal !== undefined && refusal.startsWith(`${command}: ${beginning}`), shown);
    assert.match(refusal, /^[^\n]*must be [^\n]*$/, shown);
  }
}

const listed = { line: 1, name: 'no_such', dataId: 'x', instructionReference: 'x', filterId: 'x' };
const goodBeforeJob = {
  ...{ threadId: 1, frameId: 1, variablesReference: 1, targetId: 1, source: { path: '/no/ring.c' } },
  ...{ line: 1, name: 'rank', value: '1', expression: 'rank', text: 'ra', column: 3, context: 'watch' },
  ...{ memoryReference: '0', count: 1, data: '', instructionCount: 1, filters: [], breakpoints: [listed] },
  ...{ filterOptions: [listed], expressions: ['rank'], variable: 'rank', kind: 'comm' },
};

/** What a word means depends on the request. */
function goodFor(command: string, good: object): object {
  if (command === 'mpidbg/setVariable') return { ...good, rank: 0, kind: 'pvar', action: 'stop' };
  return command === 'mpidbg/variables' ? { ...good, rank: 0, handle: '0x44000000' } : good;
}

describe('arguments before a job is started', () => {
  let run: DebugRun;
  before(async () => (run = await DebugRun.open()));
  after(() => run.close());

  for (const command of ofJob) {
    it(`of ${command}: refused by the schema, otherwise pending or told what comes first`, async () => {
      const good = goodFor(command, goodBeforeJob);
      await refusesWrongArguments(run, command, good);
      const refusal = await refusalOf(run, command, good);
      if (!(command in breakpointRequests) && refusal === undefined)
        assert.ok(['threads', 'mpidbg/ranks'].includes(command), `${command} was answered`);
      else if (refusal !== undefined)
        assert.equal(refusal, `no job is being debugged: send launch or attach before ${command}`);
      else {
        const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>(command, good);
        assert.deepEqual(
          breakpoints.map(({ verified, reason }) => [verified, reason]),
          breakpoints.map(() => [false, 'pending']),
        );
      }
    });
  }
});

describe('arguments of a session’s own requests', () => {
  for (const command of ['configurationDone', 'restart', 'cancel', 'terminate']) {
    it(`of ${command}`, async () => {
      const run = await DebugRun.open();
      const { fields = {} } = lifeRequests[command as keyof typeof lifeRequests].arguments as Partial<
        RecordCheck<Record<string, unknown>>
      >;
      for (const [name, check] of Object.entries<Check<unknown>>(fields))
        for (const value of anyJson.filter((each) => !takes(check, each)))
          assert.match((await refusalOf(run, command, { [name]: value })) ?? '', new RegExp(`"${name}" must be`));
      await run.close();
    });
  }

  it('of initialize, and of disconnect, whose answer is the last one', async () => {
    const run = DebugRun.unopened();
    for (const [command, name] of [
      ['initialize', 'supportsInvalidatedEvent'],
      ['disconnect', 'terminateDebuggee'],
    ] as const)
      assert.equal(await refusalOf(run, command, { [name]: 'yes' }), `${command}: "${name}" must be true or false`);
    run.adapter.stdin?.end();
    await run.ended();
  });
});

describe('arguments of a job that stands', () => {
  let run: DebugRun;
  let good: object;
  before(async () => {
    const breakpoints = [{ source: 'communicators.c', marker: 'all communicators made' }];
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'communicators', ranks: 2, breakpoints }));
    const threadId = await run.threadOf(1);
    const [frame] = await run.frames(threadId);
    const { id: frameId, instructionPointerReference } = frame!;
    const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    const { variablesReference } = scopes[0]!;
    good = { ...goodBeforeJob, threadId, frameId, variablesReference, instructionPointerReference };
  });
  after(() => run.close());

  for (const command of commands) {
    it(`of ${command}: refused by the schema`, () => refusesWrongArguments(run, command, goodFor(command, good)));

    it(`of ${command}: nested deep`, async () => {
      for (const name of Object.keys(fieldsOf(command)))
        for (const deep of deepJson) await refusalOf(run, command, `{"${name}":${deep}}`);
    });

    it(`of ${command}: of the right type, and without a meaning`, async () => {
      // What means something, among what does not.
      const values = [...oddJson, ...(Object.values(good) as unknown[]), 'MPI_COMM_WORLD'];
      const odd = Object.entries(fieldsOf(command)).map(([name, field]) => ({
        name,
        odd: values.filter((value) => takes(field, value)),
      }));
      const most = Math.max(1, ...odd.map((each) => each.odd.length));
      for (let i = 0; i < 2 * most; i++) {
        // Each value of each argument, among different ones of the others.
        const args = Object.fromEntries(
          odd.map((each, n) => [each.name, each.odd[(i * (n + 1) + n) % each.odd.length]]),
        );
        await refusalOf(run, command, args);
      }
    });
  }
});

it('arguments that are null are not there', async () => {
  const run = await DebugRun.open();
  const nothing = { condition: null, hitCondition: null, logMessage: null };
  const place = { source: { path: '/no/ring.c' }, breakpoints: [{ line: 1, ...nothing }] };
  const answer = await run.client.request<{ breakpoints: unknown[] }>('setBreakpoints', place);
  assert.equal(answer.breakpoints.length, 1);
  await run.close();
});

it('breakpoints that are sent before launch are set in the job, under their ids', async () => {
  const run = await DebugRun.open();
  const source = 'ring.c';
  const [atLine] = await run.setBreakpoints(source, [{ source, marker: 'token arrived' }]);
  const { breakpoints } = await run.client.request<DebugProtocol.SetFunctionBreakpointsResponse['body']>(
    'setFunctionBreakpoints',
    { breakpoints: [{ name: 'main' }, { name: 'no_such_function' }] },
  );
  await run.launch({ mpi: 'mpich', program: 'ring', ranks: 2 });
  assert.deepEqual((await run.nextStops([0, 1], 'breakpoint')).hitBreakpointIds, [breakpoints[0]?.id]);
  await run.client.request('continue', { threadId: await run.threadOf(0) });
  assert.deepEqual((await run.nextStop()).hitBreakpointIds, [atLine?.id]);
  const told = run.client.events
    .filter((event): event is DebugProtocol.BreakpointEvent => event.event === 'breakpoint')
    .map(({ body: { breakpoint } }) => breakpoint);
  const lastOf = (id: number | undefined) => told.findLast((each) => each.id === id);
  assert.equal(lastOf(atLine?.id)?.verified, true);
  assert.equal(lastOf(atLine?.id)?.line, markerLine(source, 'token arrived'));
  assert.equal(lastOf(breakpoints[0]?.id)?.verified, true);
  assert.equal(lastOf(breakpoints[1]?.id)?.verified, false);
  await run.close();
});

it('the schema finds what is wrong with a message', () => {
  const thread = (body: unknown): string[] =>
    problemsOf('ThreadEvent', { seq: 1, type: 'event', event: 'thread', body });
  assert.deepEqual(thread({ reason: 'started', threadId: 1 }), []);
  assert.deepEqual(thread({ reason: 'started', threadId: 1.5 }), ['.body.threadId is 1.5, and not an integer']);
  assert.deepEqual(thread({ reason: 'started' }), ['.body.threadId is missing']);
  assert.deepEqual(thread([]), ['.body is [], and not an object']);
});
