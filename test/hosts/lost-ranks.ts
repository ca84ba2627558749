/** What becomes of ranks whose host is out of reach, as the kernel and the session tell it. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugRun } from '../dap/debug-run';
import { eventually, hasEnded, processState, tracerOf } from '../support/process-state';
import { ranks, type TwoHosts } from './two-hosts';

/** As long as both sides may take to give the connection up, and to let go of the ranks. */
export const maxCutMs = 60_000;

/** As long as all that mpidbg leaves behind may take to end. */
export const maxLeftMs = 10_000;

export const runsFree = (pid: number): boolean => !hasEnded(pid) && tracerOf(pid) === 0 && processState(pid) !== 'T';

export const isTraced = (pid: number): boolean => (tracerOf(pid) ?? 0) !== 0;

/** The processes of a host that run this sample, all of its ranks. */
export function programsOn(hosts: TwoHosts, host: string, program: string): number[] {
  const pids = hosts.running(host, new RegExp(`^\\S*/${program}( |$)`)).map(({ pid }) => pid);
  assert.equal(pids.length, ranks / 2);
  return pids;
}

export async function says(run: DebugRun, text: RegExp, since = 0): Promise<void> {
  await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => text.test(body.output), { since });
}

export async function statesOf(run: DebugRun): Promise<string[]> {
  const answer = await run.client.request<{ ranks: { state: string }[] }>('mpidbg/ranks');
  return answer.ranks.map(({ state }) => state);
}

/** Nothing but the job itself is on any host. */
export function isAlone(hosts: TwoHosts, deadlineMs = maxLeftMs): Promise<void> {
  const left = (): string[] =>
    ['nodea', 'nodeb'].flatMap((name) =>
      hosts.running(name, /MPIDBG_AGENT|agent\.pl|adapter\.js|^mpidbg:|^gdb /).map((each) => each.commandLine),
    );
  return eventually(
    () => `the end of ${left().join('\n')}`,
    () => left().length === 0,
    deadlineMs,
  );
}
