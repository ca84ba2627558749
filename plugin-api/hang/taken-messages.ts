/** Receives that are complete and that nobody has waited for: each has taken a message, which a later receive may wait for in vain. */
import { groupedBy } from '../grouped-by';
import type { RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import { sameTag, type Message } from './messages';
import type { StuckNeed } from './stuck-job';
import type { Waits } from './waits';
import type { HangWords } from './words';

/** isSure: false where the library has forgotten the communicator. */
interface Taken {
  process: number;
  from: number;
  tag: number;
  isSure: boolean;
}

/** "rank 1 has a complete receive of a message from rank 0 with tag 8, for which nobody has waited: it has taken that message" */
export function takenTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const found = needs.flatMap(({ wait: { process, position }, need: { kind, message } }) => {
    if (kind !== 'receive' || message === undefined) return [];
    const { requests: awaited } = position;
    const own = awaited === undefined || isUnavailable(awaited) ? [] : awaited.map(({ handle }) => handle);
    const others = waits.processes[process]!.requests.filter(({ handle }) => !own.includes(handle));
    return others.flatMap((info) => takenBy(info, process, message, waits) ?? []);
  });
  const groups = groupedBy(found, (each) => JSON.stringify(each));
  return [...groups.values()].map((of) => takenText(of[0]!, of.length, words));
}

function takenText({ process, from, tag, isSure }: Taken, count: number, words: HangWords): string {
  const receives = count === 1 ? 'a complete receive of a message' : `${count} complete receives of messages`;
  const message = `${words.ranks([from])} with tag ${tag}`;
  const taken = count === 1 ? 'taken that message' : 'taken those messages';
  const it = count === 1 ? 'it' : 'they';
  const end = isSure
    ? `${it} ${count === 1 ? 'has' : 'have'} ${taken}`
    : `${it} may have ${taken}, if the communicator is the same`;
  return `${words.ranks([process])} has ${receives} from ${message}, for which nobody has waited: ${end}`;
}

/** What has come for a receive that asks for what `wanted` asks for. */
function takenBy(
  { operation, complete, active, flags, comm, status, peer, tag }: RequestInfo,
  process: number,
  wanted: Message,
  { comms }: Waits,
): Taken | undefined {
  if (operation !== 'receive' || complete !== true || active === false || flags.includes('internal')) return undefined;
  const isSure = comm !== undefined && !isUnavailable(comm);
  if (isSure && comms.of(process, comm)?.key !== wanted.comm.key) return undefined;
  const told = status === undefined || isUnavailable(status) || status.cancelled === true ? undefined : status;
  const [source, came] = [told?.source ?? peer, told?.tag ?? tag];
  if (typeof source !== 'number' || typeof came !== 'number') return undefined;
  const from = wanted.comm.peers[source];
  const isWanted = from !== undefined && (wanted.from ?? from) === from && sameTag(wanted.tag, came);
  return isWanted ? { process, from, tag: came, isSure } : undefined;
}
