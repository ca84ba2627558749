/** A session takes over ranks that wait for a debugger at a place of their program: they stop there, as at a breakpoint. */
import { stopsVariable } from '../../../plugin-api/deaths/stop-record';
import { GdbError } from '../../gdb/mi/mi-connection';
import { withinTime } from '../../hosts/time-limit';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import { signalFrame } from '../../stacks/frame';
import { framesOf } from '../../stacks/gdb-stack';

/** From collector/deaths/stops.c: the function in which such a rank waits. */
const waitsIn = 'stops_take';

/** Frames of ours, and of the signal, above the program's. */
const maxFrames = 16;

/** Milliseconds: a rank looks for its debugger ten times a second. */
const maxLeaving = 10_000;

/**
 * All ranks of the job are stopped, and are when this resolves; those that have waited, before the instruction that they waited at. Never rejects for
 * what ranks do.
 */
export async function takeOver(job: Job): Promise<void> {
  const found = await Promise.all(job.ranks.map(async (rank) => ({ rank, instruction: await placeOf(rank) })));
  const waiting = found.flatMap(({ rank, instruction }) =>
    instruction === undefined ? [] : [{ kind: 'instruction' as const, rank, instruction }],
  );
  if (waiting.length === 0) return;
  const ranks = waiting.map(({ rank }) => rank);
  await job.breakpoints.replaceInstructions(waiting);
  const late = (): Error => new LateError();
  try {
    const stopped = allStopped(job, ranks);
    await job.continue(ranks);
    await withinTime({ milliseconds: maxLeaving, late }, () => stopped);
  } catch (error) {
    if (!(error instanceof LateError)) throw error;
    const stopped = allStopped(job, ranks);
    await job.interrupt(ranks);
    if (ranks.some(({ state }) => state === 'running')) await stopped;
  } finally {
    await job.breakpoints.replaceInstructions([]);
  }
}

class LateError extends Error {}

/** undefined: the rank waits nowhere. */
async function placeOf(rank: Rank): Promise<bigint | undefined> {
  const environment = await rank.process?.environment().catch(() => undefined);
  if (environment?.has(stopsVariable) !== true || rank.state !== 'stopped') return undefined;
  for (const thread of rank.threads) {
    const frames = await framesOf(thread, 0, maxFrames).catch((error: unknown) => {
      if (!(error instanceof GdbError)) throw error;
      return [];
    });
    const own = frames.findIndex(({ function: name }) => name === waitsIn);
    const signal = frames.findIndex((frame, index) => index > own && frame.function === signalFrame);
    if (own >= 0 && signal > own) return frames[signal + 1]?.address;
  }
  return undefined;
}

function allStopped(job: Job, ranks: readonly Rank[]): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (ranks.some(({ state }) => state === 'running')) return;
      job.off('stopped', look);
      job.off('rankEnded', look);
      resolve();
    };
    job.on('stopped', look);
    job.on('rankEnded', look);
  });
}
