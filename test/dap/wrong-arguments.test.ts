/** Arguments of another type than DAP's, whatever the request: refused with a sentence about them, never a mistake of ours. */
import assert from 'node:assert/strict';
import { DebugRun } from './debug-run';

/** What JSON can be, nested too deep for whoever walks along it among them, and what cannot be turned into text. */
const values: Readonly<Record<string, unknown>> = {
  ...{ null: null, true: true, '1.5': 1.5, '-1': -1, '1e308': 1e308, 'the empty text': '', 'a string': 'x\0\n\ud800"' },
  ...{
    'a list': [],
    'a list of null': [null],
    'a list of objects': [{}],
    'an object': {},
    'a length': { length: 1e9 },
  },
  'no text': { toString: 1, valueOf: 1 },
  'a list of no text': [{ toString: null, valueOf: null }],
  'a prototype': JSON.parse('{"__proto__":{"line":1}}') as unknown,
  'a deep list': JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown,
  'deep objects': JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as unknown,
};

const rules = ['condition', 'hitCondition', 'logMessage'];
const breakpoint = (...fields: string[]): string[] => [...fields, ...rules].map((field) => `breakpoints[].${field}`);

/** The arguments of each request, as a path; what is in a list behind []. */
const requests: Readonly<Record<string, readonly string[]>> = {
  setBreakpoints: ['source', 'source.path', 'breakpoints', 'breakpoints[]', 'lines', 'lines[]', ...breakpoint('line')],
  setFunctionBreakpoints: ['breakpoints', 'breakpoints[]', ...breakpoint('name')],
  setExceptionBreakpoints: ['filters', 'filters[]', 'filterOptions', 'filterOptions[]', 'filterOptions[].condition'],
  setDataBreakpoints: ['breakpoints', 'breakpoints[]', ...breakpoint('dataId', 'accessType')],
  setInstructionBreakpoints: ['breakpoints', 'breakpoints[]', ...breakpoint('instructionReference', 'offset')],
  breakpointLocations: ['source', 'source.path', 'line', 'endLine'],
  dataBreakpointInfo: ['name', 'variablesReference', 'frameId', 'bytes', 'asAddress'],
  exceptionInfo: ['threadId'],
  threads: [],
  stackTrace: ['threadId', 'startFrame', 'levels', 'format'],
  scopes: ['frameId'],
  variables: ['variablesReference', 'filter', 'start', 'count', 'format', 'format.hex'],
  evaluate: ['expression', 'frameId', 'context', 'format'],
  setVariable: ['variablesReference', 'name', 'value'],
  setExpression: ['expression', 'value', 'frameId'],
  completions: ['text', 'column', 'line', 'frameId'],
  gotoTargets: ['source', 'line'],
  goto: ['threadId', 'targetId'],
  modules: ['startModule', 'moduleCount'],
  loadedSources: [],
  source: ['source', 'source.path', 'sourceReference'],
  readMemory: ['memoryReference', 'offset', 'count'],
  writeMemory: ['memoryReference', 'offset', 'data', 'allowPartial'],
  disassemble: ['memoryReference', 'offset', 'instructionOffset', 'instructionCount'],
  cancel: ['requestId', 'progressId'],
  'mpidbg/ranks': ['places'],
  'mpidbg/focus': ['ranks', 'scope'],
  'mpidbg/rankSet': ['where', 'comm', 'dimension', 'stoppedLike', 'frameId'],
  'mpidbg/value': ['expression', 'ranks', 'frameId'],
  'mpidbg/show': ['expressions', 'expressions[]', 'ranks', 'frameId'],
  'mpidbg/handles': ['kinds', 'kinds[]', 'ranks'],
  'mpidbg/stacks': ['ranks', 'full', 'helperThreads'],
  'mpidbg/annotate': ['variable', 'kind', 'function', 'file'],
};

/** These arguments with that one, which is what the path names. */
function withOne(given: object, path: string, value: unknown): object {
  const [, name = '', list, rest = ''] = /^(\w+)(\[\])?\.?(.*)$/.exec(path) ?? [];
  const before = (given as Record<string, unknown>)[name];
  const item = list === undefined ? before : (before as unknown[] | undefined)?.[0];
  const one = rest === '' ? value : withOne(item ?? {}, rest, value);
  return { ...given, [name]: list === undefined ? one : [one] };
}

describe('wrong arguments', () => {
  let run: DebugRun;
  let good: object;
  before(async () => {
    const breakpoints = [{ source: 'ring.c', marker: 'token arrived' }];
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints }));
    const threadId = await run.threadOf(0);
    const frameId = (await run.frames(threadId))[0]!.id;
    const { scopes } = await run.client.request<{ scopes: { variablesReference: number }[] }>('scopes', { frameId });
    const listed = { line: 1, name: 'no_such', dataId: 'x', instructionReference: 'x', filterId: 'x' };
    good = {
      ...{ threadId, frameId, variablesReference: scopes[0]!.variablesReference, source: { path: '/no/ring.c' } },
      ...{ line: 1, name: 'rank', value: '1', expression: 'rank', text: 'ra', column: 3, context: 'watch' },
      ...{ memoryReference: '0', count: 1, data: '', instructionCount: 1, filters: [], breakpoints: [listed] },
      ...{ filterOptions: [listed], expressions: ['rank'] },
    };
  });
  after(() => run.close());

  for (const [command, paths] of Object.entries(requests)) {
    it(command, async () => {
      const cases: [string, unknown][] = [
        ...Object.entries(values),
        ...paths.flatMap((path) =>
          Object.entries(values).map(([what, value]): [string, unknown] => [
            `${path}: ${what}`,
            withOne(good, path, value),
          ]),
        ),
      ];
      for (const [what, args] of cases) {
        const answer = await run.client.request(command, args as object).then(
          () => '',
          (error: Error) => error.message,
        );
        assert.doesNotMatch(answer, /internal error/, what);
      }
      assert.deepEqual((await run.threads()).length > 0, true);
    });
  }

  it('are named, with what they must be', async () => {
    for (const [command, path, value, problem] of [
      ['setBreakpoints', 'breakpoints[].line', '7', '"breakpoints[0].line" must be a whole number'],
      ['setBreakpoints', 'breakpoints[].condition', 7, '"breakpoints[0].condition" must be a string'],
      ['setFunctionBreakpoints', 'breakpoints', {}, '"breakpoints" must be a list'],
      ['setFunctionBreakpoints', 'breakpoints[]', {}, '"breakpoints[0].name" must be a string'],
      ['evaluate', 'expression', null, '"expression" must be a string'],
      ['variables', 'format.hex', 'yes', '"format.hex" must be true or false'],
      ['setBreakpoints', 'source', 'ring.c', '"source" must be an object'],
    ] as const)
      await assert.rejects(run.client.request(command, withOne(good, path, value)), (error: Error) => {
        assert.ok(error.message.endsWith(problem), error.message);
        return true;
      });
    await assert.rejects(run.client.request('scopes', 5 as unknown as object), /the arguments must be an object/);
  });

  it('that are null are not there', async () => {
    const { result } = await run.evaluate('1 + 1', 'watch', (good as { frameId: number }).frameId);
    assert.equal(result, '2');
    const nothing = { condition: null, hitCondition: null, logMessage: null };
    const place = { source: (good as { source: object }).source, breakpoints: [{ line: 1, ...nothing }] };
    const answer = await run.client.request<{ breakpoints: unknown[] }>('setBreakpoints', place);
    assert.equal(answer.breakpoints.length, 1);
  });
});
