/** Messages that nearly are what somebody waits for, in words: pairs that miss each other in the same way are told together. */
import { counted } from '../counted';
import { groupedBy } from '../grouped-by';
import { tagsText } from './merged-waits';
import type { NearMiss } from './near-misses';
import type { StuckNeed } from './stuck-job';
import type { WaitsText } from './waits-text';
import { firstAndLast, type HangWords } from './words';

const maxPairs = 4;
/** Fewer pairs are told one by one. */
const fewest = 3;

interface Pair {
  nearMiss: NearMiss;
  waiting: StuckNeed;
}

/** Two that miss each other are told once. */
export function nearMissTexts(
  needs: readonly StuckNeed[],
  nearMisses: readonly NearMiss[],
  words: HangWords,
  waits: WaitsText,
): string[] {
  const told = nearMisses.map((nearMiss, i) => ({ nearMiss, waiting: needs[i]! }));
  const pairs = groupedBy(told, ({ nearMiss: { found } }) =>
    [found.from, found.to].sort((a, b) => (a ?? -1) - (b ?? -1)).join(),
  );
  const first = [...pairs.values()].map(([each]) => each!);
  const alike = [...groupedBy(first, (pair) => keyOf(pair, words)).values()].flatMap((of) =>
    of.length < fewest ? of.map((pair) => [pair]) : [of],
  );
  const others = alike.slice(maxPairs).flat();
  const named = others.map(({ nearMiss: { found } }) =>
    words.ranks([found.from, found.to].filter((process) => process !== undefined)),
  );
  return [
    ...alike.slice(0, maxPairs).flatMap((of) => texts(of, words, waits)),
    ...(others.length === 0
      ? []
      : [
          `${counted(others.length, 'more pair')} ${others.length === 1 ? 'does' : 'do'} likewise: ${firstAndLast(named)}`,
        ]),
  ];
}

/** Equal for pairs that differ in their ranks and tags only. */
function keyOf({ nearMiss, waiting }: Pair, words: HangWords): string {
  const wait = words.wait(waiting.wait, waiting.need, 2, { partner: '', tags: '' });
  return `${wait} ${nearMiss.differs} ${nearMiss.found.queue} ${words.onComm(nearMiss.found.comm)}`;
}

function texts(pairs: readonly Pair[], words: HangWords, waits: WaitsText): string[] {
  const [
    {
      nearMiss: { found, differs, need },
    },
  ] = pairs as [Pair];
  const isSent = found.queue !== 'posted';
  const who = new Set(pairs.map(({ nearMiss }) => (isSent ? nearMiss.found.from! : nearMiss.found.at)));
  const about = differs === 'tag' ? tagsOf(pairs) : words.onComm(found.comm);
  const isOne = who.size === 1;
  const one = pairs.length === 1 ? 'one' : isOne ? 'some' : 'one each';
  const sends =
    need.kind === 'receive' && found.queue === 'sends' ? (isOne ? 'sends' : 'send') : isOne ? 'has sent' : 'have sent';
  const act = isSent
    ? `${sends} ${one}${about}, which nobody receives`
    : `${isOne ? 'waits' : 'wait'} for ${one}${about}`;
  return [
    ...waits.of(pairs.map(({ waiting }) => waiting)),
    `${words.ranks(who)} ${act}: the ${differs === 'tag' ? `tags differ${isSent ? oneOf(pairs, words) : ''}` : 'communicators differ'}`,
  ];
}

/** Where both sides have various tags, of which nobody could tell which belong together: ", as rank 0 waits for tag 200 and rank 1 has 201". */
function oneOf(pairs: readonly Pair[], words: HangWords): string {
  const wanted = pairs.map(({ nearMiss: { need } }) => need.message?.tag);
  const there = pairs.map(({ nearMiss: { found } }) => found.tag);
  if (new Set(wanted).size < 2 || new Set(there).size < 2) return '';
  const at = pairs.findIndex((_, i) => typeof wanted[i] === 'number' && typeof there[i] === 'number');
  const { nearMiss, waiting } = pairs[at] ?? {};
  if (nearMiss?.found.from === undefined || waiting === undefined) return '';
  const [own, other] = [waiting.wait.process, nearMiss.found.from].map((process) => words.ranks([process]));
  return `, as ${own} waits for tag ${wanted[at]} and ${other} has ${there[at]}`;
}

/** "has sent a message to rank 0 with tag 112 on MPI_COMM_WORLD, which nobody receives" */
export function sentText({ found }: NearMiss, words: HangWords): string {
  const to = found.to === undefined ? '' : ` to ${words.ranks([found.to])}`;
  const tag = found.tag === undefined ? '' : tagsText([found.tag]);
  return `${found.queue === 'sends' ? 'sends' : 'has sent'} a message${to}${tag}${words.onComm(found.comm)}, which nobody receives`;
}

function tagsOf(pairs: readonly Pair[]): string {
  const tags = pairs.map(({ nearMiss }) => nearMiss.found.tag);
  return tags.includes(undefined) ? ' with another tag' : tagsText(tags);
}
