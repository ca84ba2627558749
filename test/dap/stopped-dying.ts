/** A rank that a session has stopped because it is dying: where the user is led, and how the job ends then. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugRun, Stopped } from './debug-run';

/** The innermost frame that a client shows. */
export async function shownLine(run: DebugRun, { threadId }: Stopped): Promise<number | undefined> {
  return shownFrame(await run.frames(threadId!))?.line;
}

export function shownFrame(frames: readonly DebugProtocol.StackFrame[]): DebugProtocol.StackFrame | undefined {
  return frames.find(
    ({ presentationHint, source }) =>
      presentationHint === undefined && source !== undefined && source.presentationHint === undefined,
  );
}

/** Continues, and answers the launcher's status and the console's lines on ranks. */
export async function end(run: DebugRun, stop?: Stopped): Promise<{ status: number | undefined; lines: string[] }> {
  if (stop !== undefined) await run.client.request('continue', { threadId: stop.threadId });
  const status = await run.terminated();
  const lines = run.client.outputText('console').split('\n');
  return { status, lines: lines.filter((line) => /^rank \d/.test(line)) };
}
