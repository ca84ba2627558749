/** Looks at a running job from time to time, until it has stood still for a while. */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { mayStandStill, standsStill, type StillnessRules } from '../../../plugin-api/hang/stillness';
import { inTime, type Clock } from '../../job/clock';

type Look = readonly ProcessState[];

export interface HangWatchOptions extends StillnessRules {
  /** How long, in milliseconds. */
  period: number;
  clock: Clock;
  /** undefined: the ranks cannot be asked at the moment. */
  look: () => Promise<Look | undefined>;
}

/** Two looks that find the same, so many seconds apart. */
export interface StandStill {
  looks: readonly [Look, Look];
  seconds: number;
}

/** Long enough to see a message go by that was under way. */
const betweenLastLooks = 1000;

/** Until then most jobs are still being started. */
const beforeFirstLook = 5000;

/**
 * Resolves when a look finds the job as another one did that is a period older, and so does one more a second later;
 * undefined when the signal is aborted before. Two looks in each period tell one that goes on.
 */
export async function untilStill(options: HangWatchOptions, signal: AbortSignal): Promise<StandStill | undefined> {
  const { period, clock, look } = options;
  const pause = pauses(clock, signal);
  let since: { look: Look; at: number } | undefined;
  let wait = Math.min(period / 2, beforeFirstLook);
  const secondsSince = (time: number): number => (clock.now() - time) / 1000;
  while (await pause(wait)) {
    const isOver = since !== undefined && clock.now() - since.at >= period;
    const now = await look();
    wait = period / 2;
    if (since === undefined || now === undefined || !standsStill(since.look, now, secondsSince(since.at), options)) {
      since = now !== undefined && mayStandStill(now, options) ? { look: now, at: clock.now() } : undefined;
      continue;
    }
    if (isOver) {
      const confirmed = (await pause(betweenLastLooks)) ? await look() : undefined;
      const seconds = secondsSince(since.at);
      if (confirmed !== undefined && standsStill(since.look, confirmed, seconds, options))
        return { looks: [since.look, confirmed], seconds };
      since = undefined;
    } else {
      // A timer may be early by a part of a millisecond.
      wait = Math.min(wait, Math.ceil(since.at + period - clock.now()) + 1);
    }
  }
  return undefined;
}

/** Answers false once the signal is aborted. */
function pauses(clock: Clock, signal: AbortSignal): (milliseconds: number) => Promise<boolean> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return async (milliseconds) => {
    await inTime(clock, aborted, milliseconds);
    return !signal.aborted;
  };
}
