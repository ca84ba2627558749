/** How the process that left a core file ended, as the stop that its session begins with. */
import { constants } from 'node:os';
import type { CoreFile } from '../../images/core/core-file';
import type { ThreadStop } from '../../job/rank';
import { signalOf } from '../../../plugin-api/answers/signal-words';

export function coreStop({ threads, signal, isOfGdb }: CoreFile): ThreadStop {
  const number = threads[0]?.signal || (signal?.number ?? 0);
  // gcore stops a process that lives on, or finds it stopped at a breakpoint.
  const livesOn = number === 0 || number === constants.signals.SIGSTOP;
  if (livesOn || (isOfGdb && number === constants.signals.SIGTRAP)) return { reason: 'attach', breakpoints: [] };
  return { reason: 'signal', breakpoints: [], signal: signalOf(number) };
}
