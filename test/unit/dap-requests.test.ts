/** The table of requests: how it checks arguments, finds what requests need, and takes a topic's requests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { capabilitiesOf, withdrawnOnCores } from '../../adapter/dap/capabilities';
import type { JobSession } from '../../adapter/dap/job-session';
import { breakpointRequests } from '../../adapter/dap/breakpoints/breakpoint-requests';
import { executionRequests } from '../../adapter/dap/execution/execution-requests';
import { memoryRequests } from '../../adapter/dap/memory/memory-requests';
import { queryRequests } from '../../adapter/dap/queries/query-requests';
import { requestTable } from '../../adapter/dap/request-table';
import {
  ArgumentError,
  count,
  optional,
  record,
  text,
  unread,
  type Check,
  type RecordCheck,
} from '../../adapter/questions/argument-checks';
import { Dispatcher, type RequestHost } from '../../adapter/dap/requests/dispatcher';
import { nothing } from '../../adapter/dap/requests/dap-arguments';
import { jobRequests, refused, type RequestTable } from '../../adapter/dap/requests/request';
import { Session } from '../../adapter/dap/session';
import { lifeRequests, type SessionLife } from '../../adapter/dap/session-requests';
import { variableRequests } from '../../adapter/dap/variables/variable-requests';
import type { Rank, RankThread } from '../../adapter/job/rank';
import { DapClient } from '../support/dap-client';

const names = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf', ''];

/** What a topic of requests needs of a job. */
interface Topics {
  readonly hang: { verdict(ranks: string): string };
}

const { ofJob, ofStoppedRanks, ofStoppedThread } = jobRequests<Topics>();

/** A new topic's. */
const hangRequests = {
  'mpidbg/verdict': ofJob({
    arguments: record<{ ranks: string; most?: number }>({ ranks: text, most: optional(count) }),
    answer: ({ hang }, { ranks, most = 1 }) => ({ verdict: hang.verdict(ranks), most }),
  }),
  early: ofJob({ arguments: nothing, beforeJob: () => 'there is no job', answer: () => 'there is a job' }),
  stopped: ofStoppedRanks({ arguments: nothing, answer: (_topics, _args, ranks) => ranks.map(({ label }) => label) }),
  thread: ofStoppedThread({
    arguments: record<{ threadId: number }>({ threadId: count }),
    answer: (_topics, _args, { id }) => `thread ${id}`,
  }),
  changing: ofJob({ arguments: nothing, onCores: refused('be changed'), answer: () => 'changed' }),
  breaking: ofJob({
    arguments: nothing,
    onCores: { kind: 'answered', answer: () => 'not done' },
    answer: () => 'done',
  }),
  looking: ofJob({
    arguments: record<{ expression: string }>({ expression: text }),
    onCores: {
      kind: 'checked',
      check({ expression }) {
        if (expression.includes('=')) throw new Error('it changes the process');
      },
    },
    answer: (_topics, { expression }) => expression,
  }),
};

class TestHost implements RequestHost<undefined, Topics> {
  readonly session = undefined;
  readonly topics: Topics = { hang: { verdict: (ranks) => `${ranks} wait for each other` } };
  has = true;
  onCores = false;
  hasJob = () => this.has;
  job = async (command: string) => {
    if (!this.has) throw new Error(`no job for ${command}`);
    return this.topics;
  };
  reviewSymbols = async () => undefined;
  isOnCores = () => this.onCores;
  stoppedRanks = () => [{ label: 'rank 1' } as Rank];
  stoppedThread = (_topics: Topics, id: number) => ({ id }) as RankThread;
}

describe('the dispatcher of requests', () => {
  const host = new TestHost();
  const requests = new Dispatcher(hangRequests, host);
  const ask = async (command: string, args: unknown = {}) => requests.handler(command)(args);
  beforeEach(() => Object.assign(host, { has: true, onCores: false }));

  it('gives a request what it needs', async () => {
    assert.deepEqual(await ask('mpidbg/verdict', { ranks: '0-1', most: 3 }), {
      verdict: '0-1 wait for each other',
      most: 3,
    });
    assert.deepEqual(await ask('stopped'), ['rank 1']);
    assert.equal(await ask('thread', { threadId: 7 }), 'thread 7');
  });

  it('knows before launch which requests are answered, and which are errors', async () => {
    host.has = false;
    assert.equal(await ask('early'), 'there is no job');
    await assert.rejects(ask('thread', { threadId: 7 }), /no job for thread/);
    host.has = true;
    assert.equal(await ask('early'), 'there is a job');
  });

  it('refuses, answers and checks on core files what needs a process', async () => {
    host.onCores = true;
    await assert.rejects(ask('changing'), /cannot be changed: this is a core file$/);
    assert.equal(await ask('breaking'), 'not done');
    assert.equal(await ask('looking', { expression: 'a' }), 'a');
    await assert.rejects(ask('looking', { expression: 'a = 1' }), /it changes the process/);
    host.onCores = false;
    assert.equal(await ask('changing'), 'changed');
    assert.equal(await ask('breaking'), 'done');
    assert.equal(await ask('looking', { expression: 'a = 1' }), 'a = 1');
  });

  it('finds no request under a name that every object has', () => {
    for (const name of names) assert.throws(() => requests.handler(name), /does not support the request/, name);
  });

  it('says in one sentence what is wrong with arguments', async () => {
    const wrong: [args: unknown, problem: string][] = [
      [{}, '"ranks" must be a string'],
      [{ ranks: 1 }, '"ranks" must be a string'],
      [{ ranks: null }, '"ranks" must be a string'],
      [{ ranks: '0', most: -1 }, '"most" must be a whole number of at least 0'],
      [{ ranks: '0', most: 1.5 }, '"most" must be a whole number of at least 0'],
      [{ ranks: '0', most: '1' }, '"most" must be a whole number of at least 0'],
      ['text', 'the arguments must be an object'],
      [[1], 'the arguments must be an object'],
      [null, 'the arguments must be an object'],
    ];
    for (const [args, problem] of wrong)
      await assert.rejects(ask('mpidbg/verdict', args), { message: `mpidbg/verdict: ${problem}` });
  });

  it('takes null for what is left out, and what it does not know for nothing', async () => {
    const args: unknown = JSON.parse('{ "ranks": "0", "most": null, "other": 1, "__proto__": { "most": 5 } }');
    assert.deepEqual(await ask('mpidbg/verdict', args), { verdict: '0 wait for each other', most: 1 });
    assert.deepEqual(
      await ask('mpidbg/verdict', Object.create({ ranks: '0' })).catch(String),
      'RequestError: mpidbg/verdict: "ranks" must be a string',
    );
    assert.equal(await ask('early', []), 'there is a job', 'Lua writes an empty table as a list');
  });
});

/** Values of every type that JSON has, and words that requests take. */
const anyValues = [
  'comm',
  'pvar',
  'start',
  1,
  -1.5,
  1e300,
  true,
  null,
  [],
  ['comm'],
  [null],
  [[]],
  {},
  { path: 1 },
  [{ line: {} }],
];

describe('the table of requests', () => {
  const table: RequestTable<SessionLife, JobSession> = requestTable;
  const records = Object.entries(table).flatMap(([command, { arguments: check }]) =>
    'fields' in check ? [[command, check as RecordCheck<Record<string, unknown>>] as const] : [],
  );

  it('has a check for every property of every request, but for launch configurations', () => {
    const unchecked = Object.keys(table).filter((command) => !records.some(([other]) => other === command));
    assert.deepEqual(unchecked, ['launch', 'attach']);
  });

  for (const [command, check] of records) {
    it(`${command} takes what it needs, and says what is missing or wrong`, () => {
      const required = Object.entries(check.fields).filter(([, field]) => !isOptional(field));
      const valid = Object.fromEntries(required.map(([name, field]) => [name, anyValues.find((v) => takes(field, v))]));
      assert.doesNotThrow(() => check(valid, ''));
      for (const [name] of required) {
        const { [name]: _, ...others } = valid;
        assert.throws(() => check(others, ''), { name: 'ArgumentError', message: new RegExp(`^"${name}" must be `) });
      }
      for (const [name, field] of Object.entries(check.fields)) {
        // A launch configuration is checked when the job starts.
        if (field === unread || (command === 'restart' && name === 'arguments')) continue;
        const refusals = anyValues.filter((value) => !takes(check, { ...valid, [name]: value }));
        assert.ok(refusals.length > 0, `${name} may be anything`);
      }
    });
  }

  it('has no request twice', () => {
    const tables = [
      lifeRequests,
      breakpointRequests,
      executionRequests,
      memoryRequests,
      variableRequests,
      queryRequests,
    ];
    const commands = tables.flatMap((each) => Object.keys(each));
    assert.deepEqual(commands.sort(), Object.keys(requestTable).sort());
  });

  it('tells which capabilities there are, and which are none on core files', () => {
    assert.deepEqual(Object.keys(withdrawnOnCores(table)).sort(), [
      'supportsBreakpointLocationsRequest',
      'supportsDataBreakpoints',
      'supportsFunctionBreakpoints',
      'supportsGotoTargetsRequest',
      'supportsInstructionBreakpoints',
      'supportsSetExpression',
      'supportsSetVariable',
      'supportsSteppingGranularity',
      'supportsTerminateRequest',
      'supportsWriteMemoryRequest',
    ]);
    assert.ok(Object.values(withdrawnOnCores(table)).every((value) => value === false));
    const { exceptionBreakpointFilters, completionTriggerCharacters, ...flags } = capabilitiesOf(table);
    assert.ok(exceptionBreakpointFilters!.length > 0 && completionTriggerCharacters!.length > 0);
    assert.ok(Object.values(flags).every((value) => value === true));
    for (const name of ['supportsCancelRequest', 'supportsLogPoints', ...Object.keys(withdrawnOnCores(table))])
      assert.ok(name in flags, name);
  });

  it('is what docs/other-clients.md tells of our own requests', () => {
    const page = readFileSync(join(__dirname, '..', '..', 'docs', 'other-clients.md'), 'utf8');
    const told = [...page.matchAll(/^\| `(mpidbg\/\w+)` \| (?:`\{ (.+?) \}`)? *\|/gm)].map(([, command, args = '']) => [
      command,
      args.split(', ').filter((name) => name !== ''),
    ]);
    const known = records
      .filter(([command]) => command.startsWith('mpidbg/'))
      .map(([command, { fields }]) => [
        command,
        Object.entries(fields).map(([name, field]) => (isOptional(field) ? `${name}?` : name)),
      ]);
    assert.ok(known.length > 5);
    assert.deepEqual(Object.fromEntries(told), Object.fromEntries(known));
  });
});

describe('a session with one more topic', () => {
  it('knows its requests and capabilities', async () => {
    const table = {
      ...requestTable,
      'mpidbg/labels': jobRequests<Pick<JobSession, 'job'>>().ofJob({
        arguments: record<{ most: number }>({ most: count }),
        capability: 'supportsExceptionOptions',
        answer: ({ job }, { most }) => job.ranks.slice(0, most).map(({ label }) => label),
      }),
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    const closed = new Promise<void>((done) => {
      new Session(done, table).run({
        ...{ input, output, isOpenToStrangers: false },
        accepted: () => undefined,
        refused: (problem) => assert.fail(problem),
      });
    });
    const client = new DapClient(output, input);
    const capabilities = await client.request<Record<string, unknown>>('initialize', { adapterID: 'mpidbg' });
    assert.equal(capabilities.supportsExceptionOptions, true);
    await assert.rejects(client.request('mpidbg/labels', { most: 1 }), /send launch or attach before mpidbg\/labels/);
    await assert.rejects(client.request('mpidbg/labels', {}), /mpidbg\/labels: "most" must be a whole number/);
    await assert.rejects(client.request('mpidbg/label'), /does not support the request "mpidbg\/label"/);
    await client.request('disconnect');
    await closed;
  });
});

function takes(check: Check<unknown>, value: unknown): boolean {
  try {
    check(value, 'it');
    return true;
  } catch (error) {
    assert.ok(error instanceof ArgumentError, String(error));
    assert.doesNotMatch(error.message, /\n/);
    return false;
  }
}

function isOptional(check: Check<unknown>): boolean {
  return 'isOptional' in check;
}
