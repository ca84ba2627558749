/** What is wrong with the buffers of operations that are pending, as people read it. A verdict does not rest on it. */
import { groupedBy } from '../grouped-by';
import { counted } from '../counted';
import { copyText } from '../mpi/buffer-place';
import type { BufferFault, RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';
import { forCount } from './for-count';
import { sentence, type HangWords } from './words';

const maxTexts = 6;
const maxSharers = 4;

interface Faulty {
  process: number;
  info: RequestInfo;
  fault: BufferFault;
}

/** One sentence for each kind of fault that ranks have in common. */
export function bufferTexts(processes: readonly ProcessState[], words: HangWords): string[] {
  const found = processes.flatMap(({ requests }, process) =>
    requests
      .toSorted(byTag)
      .flatMap((info) => (info.bufferPlace?.faults ?? []).map((fault): Faulty => ({ process, info, fault }))),
  );
  const alone = found.filter(({ fault }) => fault.kind !== 'shared');
  const groups = [...groupedBy(alone, ({ info, fault }) => JSON.stringify([info.operation, fault]))];
  const sharing = [
    ...groupedBy(
      found.filter(({ fault }) => fault.kind === 'shared'),
      ({ process }) => process,
    ),
  ];
  const texts = [
    ...groups.map(([, of]) => faultText(of, words)),
    ...groupedBy(
      sharing.map(([process, of]) => ({ process, text: sharingText(of) })),
      ({ text }) => text,
    ),
  ].map((each) => {
    if (typeof each === 'string') return each;
    const [text, of] = each;
    return `${words.ranks(of.map(({ process }) => process))} ${forCount(text, of.length)}`;
  });
  const more = texts.length - maxTexts;
  const rest = `${counted(more, 'more fault')} of buffers ${more === 1 ? 'is' : 'are'} shown with the requests`;
  const others = more <= 0 ? [] : [rest];
  return [...texts.slice(0, maxTexts), ...others].map(sentence);
}

/** Libraries list them in no order. */
function byTag(a: RequestInfo, b: RequestInfo): number {
  const [one, other] = [a, b].map(({ tag }) => (typeof tag === 'number' ? tag : -1)) as [number, number];
  return one - other;
}

/** "rank 0 has a pending receive from rank 1 with tag 2, whose buffer has been freed" */
function faultText(of: readonly Faulty[], words: HangWords): string {
  const [{ info, fault }] = of as [Faulty, ...Faulty[]];
  const ranks = new Set(of.map(({ process }) => process));
  const which = of.length === 1 ? `a ${operationText(info)}` : `${of.length} pending ${info.operation}s`;
  return `${words.ranks(ranks)} ${forCount('has', ranks.size)} ${which}, ${whose(fault, of.length === 1)}`;
}

function whose(fault: BufferFault, isOne: boolean): string {
  const [buffers, have, are] = isOne ? ['buffer', 'has', 'is'] : ['buffers', 'have', 'are'];
  switch (fault.kind) {
    case 'unmapped':
      return `at whose ${buffers} no memory is mapped${copyText(fault)}`;
    case 'freed':
      return `whose ${buffers} ${have} been freed${copyText(fault)}`;
    case 'returned':
      return `whose ${buffers} ${are} on the stack of a function that has returned`;
    case 'readOnly':
      return `whose ${buffers} ${are} read-only`;
    case 'tooShort':
      return `whose ${buffers} ${are} ${fault.isAtLeast === true ? 'at least ' : ''}${counted(fault.beyond, 'byte')} too short`;
    case 'shared':
      return `whose ${buffers} ${are} also others'`;
  }
}

/** For one rank: "has pending operations that use the same memory: a receive from rank 1 with tag 5 and a receive from rank 1 with tag 6" */
function sharingText(of: readonly Faulty[]): string {
  const all = [...groupedBy(of, ({ info }) => info.handle)].map(([, [first]]) => `a ${operationText(first!.info)}`);
  const shown = all.slice(0, maxSharers);
  const more = all.length - shown.length;
  const last = more > 0 ? `${more} more` : shown.pop()!;
  const list = shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
  return `has operations on the same memory, though one of them at least writes there: ${list}`;
}

/** "pending receive from rank 1 with tag 2" */
function operationText({ operation, peer, peerWorldRank, tag }: RequestInfo): string {
  const direction = operation === 'send' ? 'to' : 'from';
  const world = typeof peerWorldRank !== 'number' ? undefined : `rank ${peerWorldRank}`;
  const any = peer === 'MPI_ANY_SOURCE' ? 'any rank' : undefined;
  const partner = world ?? any;
  const who = partner === undefined ? '' : ` ${direction} ${partner}`;
  const tagged =
    tag === undefined || isUnavailable(tag) ? '' : tag === 'MPI_ANY_TAG' ? ' with any tag' : ` with tag ${tag}`;
  return `pending ${operation}${who}${tagged}`;
}
