/** Ranks whose main thread has ended while others go on, as people read it: what waits there is another thread. */
import type { ProcessState } from './job-state';
import { sentence, type HangWords } from './words';

/** In words, of one rank. */
export const mainHasEnded = 'the main thread has ended, others go on';

/** The same where gdb shows the others. `unseen`: how many it cannot attach to, as it comes through one of them. */
export function endedMainText(unseen: number): string {
  if (unseen <= 0) return mainHasEnded;
  return `${mainHasEnded}; gdb can attach to only one of them, and ${unseen} more ${unseen === 1 ? 'is' : 'are'} neither shown nor stopped`;
}

/** One sentence for all of them. */
export function endedMainsText(processes: readonly ProcessState[], words: HangWords): string[] {
  const ended = [...processes.keys()].filter((process) => processes[process]!.mainHasEnded === true);
  if (ended.length === 0) return [];
  const threads = ended.length === 1 ? 'the main thread of' : 'the main threads of';
  const verb = ended.length === 1 ? 'has' : 'have';
  return [sentence(`${threads} ${words.ranks(ended)} ${verb} ended, others go on`)];
}
