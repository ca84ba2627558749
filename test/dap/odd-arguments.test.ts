/** Arguments that are of the right type, and still mean nothing: each request is answered, and never with a mistake of ours. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { executionRequests } from '../../adapter/dap/execution/execution-requests';
import { requestTable } from '../../adapter/dap/request-table';
import { ArgumentError, type Check, type RecordCheck } from '../../adapter/dap/requests/argument-checks';
import { lifeRequests } from '../../adapter/dap/session-requests';
import { DebugRun } from './debug-run';

const oddValues: unknown[] = [
  ...[-1, 0, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ...['', ' ', '\0', '\n', '"', '@', '0x10@7', '0x10@0', '%s%n', '$pc', 'x'.repeat(5000), '('.repeat(500), 'ø→\ud800'],
  ...[true, false, null, [], {}, [''], ['rank'], [{}], [1], { path: '' }, { path: '/no/such/file' }, { hex: true }],
  ...[[{ line: -1 }], [{ line: 0, hitCondition: '%' }], [{ name: '' }], [{ dataId: '' }], [{ dataId: '0x10@0 int' }]],
  ...[[{ instructionReference: '' }], [{ instructionReference: '0@0' }], [{ filterId: '' }], ['crash']],
];

const ofJob = Object.entries(requestTable).filter(([command]) => !(command in lifeRequests));
// Ranks that run again tell little: what lets them run comes last.
const commands = [
  ...ofJob.filter(([command]) => !(command in executionRequests)),
  ...ofJob.filter(([command]) => command in executionRequests),
];

describe('odd arguments', () => {
  let run: DebugRun;
  before(async () => {
    const breakpoints = [{ source: 'communicators.c', marker: 'all communicators made' }];
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'communicators', ranks: 2, breakpoints }));
    const threadId = await run.threadOf(1);
    const [frame] = await run.frames(threadId);
    const { id, instructionPointerReference } = frame!;
    const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId: id });
    // What means something, among what does not.
    oddValues.push(threadId, id, instructionPointerReference, scopes[0]!.variablesReference, 'rank', 'MPI_COMM_WORLD');
  });
  after(() => run.close());

  for (const [command, { arguments: check }] of commands) {
    it(`of ${command}`, async () => {
      const { fields } = check as RecordCheck<Record<string, unknown>>;
      const values = Object.entries<Check<unknown>>(fields).map(([name, field]) => ({
        name,
        odd: oddValues.filter((value) => takes(field, value)),
      }));
      const most = Math.max(1, ...values.map(({ odd }) => odd.length));
      for (let i = 0; i < 2 * most; i++) {
        // Each value of each argument, among different ones of the others.
        const args = Object.fromEntries(values.map(({ name, odd }, n) => [name, odd[(i * (n + 1) + n) % odd.length]]));
        const answer = await run.client.request(command, args).then(
          () => '',
          (error: Error) => error.message,
        );
        assert.doesNotMatch(answer, /internal error/, JSON.stringify(args).slice(0, 300));
      }
    });
  }
});

function takes(check: Check<unknown>, value: unknown): boolean {
  try {
    check(value, '');
    return true;
  } catch (error) {
    if (error instanceof ArgumentError) return false;
    throw error;
  }
}
