/** What is told of a job that is no deadlock, or not known to be one, in words. */
import { groupedBy } from '../grouped-by';
import type { Wait } from './need';
import { pendingText, untakenText } from './polling';
import type { WaitForGraph } from './wait-for-graph';
import { isLeaving } from './wait-for-graph';
import { forCount } from './for-count';
import { calledFrom, sentence, type HangWords } from './words';

/** `moved`: what moved between the looks; `changers`: who can change what ranks poll. */
export function noDeadlockTexts(
  graph: WaitForGraph,
  verdict: 'progress' | 'unknown',
  moved: ReadonlyMap<number, string>,
  words: HangWords,
  missingProof: string,
  changers: readonly string[],
): string[] {
  const { free, stuck, waits, waitsOf } = graph;
  if (waits.processes.every(isLeaving)) return ['All ranks are in MPI_Finalize or have ended.'];
  const own = [...free].filter(([process]) => waitsOf[process]!.length === 0 || !isBlockedAlone(graph, process));
  const shown = moved.size > 0 ? own.filter(([process]) => !moved.has(process)) : own;
  const groups = groupedBy(shown, ([, reason]) => reason);
  const told = [...groups].map(([reason, of]) => {
    return sentence(`${words.ranks(of.map(([process]) => process))} ${forCount(reason, of.length)}`);
  });
  const lead = {
    progress:
      moved.size > 0
        ? [sentence(`The job goes on: ${words.ranks(moved.keys())} moved between two looks`)]
        : ['No deadlock is seen.'],
    unknown:
      stuck.size > 0
        ? [
            sentence(
              `${words.ranks(stuck)} ${forCount('seems', stuck.size)} to wait in vain, ` +
                `but ${missingProof} cannot exclude a message that is under way`,
            ),
          ]
        : ['It is not known whether the job can go on.'],
  }[verdict];
  const ofOutside = behindOutside(graph);
  const isToldOutside = new Set(moved.size === 0 ? ofOutside.behind.map(({ process }) => process) : []);
  const vague = verdict === 'progress' ? [] : vagueText(graph, words, isToldOutside);
  const untaken = verdict === 'progress' ? [] : [...pendingText(graph, words), ...untakenText(graph, words)];
  const news = [...changers, ...(moved.size === 0 ? newsOfOutside(ofOutside, words) : [])];
  return news.length === 0 || told.length === 0
    ? [...lead, ...told, ...vague, ...news, ...untaken]
    : [...told, ...news, ...lead, ...vague, ...untaken];
}

/** Those who wait for one that waits for something outside MPI. */
function behindOutside({ waits: { processes }, waitsOf }: WaitForGraph): { outside: number[]; behind: Wait[] } {
  const outside = processes.flatMap(({ positions }, process) =>
    positions.some(({ waitsIn }) => waitsIn !== undefined) ? [process] : [],
  );
  const isForThem = ({ needs }: Wait): boolean =>
    needs.some(({ kind, on }) => kind !== 'thread' && on.some((process) => outside.includes(process)));
  return { outside, behind: waitsOf.flat().filter(isForThem) };
}

/** "Ranks 0,2 wait for it in MPI_Bcast." */
function newsOfOutside({ outside, behind }: ReturnType<typeof behindOutside>, words: HangWords): string[] {
  const them = outside.length === 1 ? 'it' : 'them';
  return [...groupedBy(behind, ({ position, call }) => calledFrom(position, call))].map(([call, of]) =>
    sentence(`${words.ranks(of.map(({ process }) => process))} ${forCount('waits', of.length)} for ${them} in ${call}`),
  );
}

function isBlockedAlone({ waits }: WaitForGraph, process: number): boolean {
  return waits.processes[process]!.positions.every(({ state }) => state === 'blocked');
}

/** Why some that are blocked may go on, or whom they wait for that may. */
function vagueText({ free, waitsOf, released }: WaitForGraph, words: HangWords, told: ReadonlySet<number>): string[] {
  const found = [...free].filter(([process]) => waitsOf[process]!.length > 0 && !told.has(process));
  const reasons = found.map(([process, reason]) => {
    const wait = released.get(process);
    const need = wait?.needs.find(({ kind, on }) => kind !== 'thread' && on.length > 0);
    return {
      process,
      text: (count: number) => (wait && need ? words.wait(wait, need, count) : forCount(reason, count)),
    };
  });
  return [...groupedBy(reasons, ({ text }) => text(2)).values()].map((of) =>
    sentence(`${words.ranks(of.map(({ process }) => process))} ${of[0]!.text(of.length)}`),
  );
}
