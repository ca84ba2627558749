/** What `info` prints: the job, its MPI, how its layout was verified, and what is not decoded. */
import { crashLines } from './crash-lines';
import { mainHasEnded } from '../../hang/ended-mains';
import { stoppedBySignal } from '../../hang/wait-for-graph';
import { ranksInWords } from '../../mpi/rank-names';
import { counted } from '../../counted';
import type { Document, Implementation, RankAnswer, RankError, RankId } from '../../mpi/records';
import { capabilityInWords } from '../../mpi/words';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { mergeEqual, type MergedText } from '../merge';
import { notDecoded } from './not-decoded';
import { isUnopened, table, unopenedLines, widest } from './rank-table';
import { lineWidth, wrapped } from './wrapped';

/** Facts about the ranks that a document does not hold. */
export interface JobFacts {
  /** The program and its arguments, as given to the process with this pid or core file; undefined: unknown. */
  command: (rank: RankId) => string | undefined;
  /** The title of an MPI, by Implementation.name: "Open MPI". */
  title: (name: string) => string;
  /** The size of MPI_COMM_WORLD; undefined: not known. */
  worldSize: number | undefined;
  /** Ranks of several, which MPI takes for the only process of their MPI_COMM_WORLD. */
  alone: readonly RankId[];
}

/** A subject, and what each group of ranks says about it. */
type Topic = readonly [subject: string, told: { rank: RankId; text: string }[]];

const labelWidth = 'not decoded'.length;
/** Groups of ranks with different values for one subject. */
const maxGroups = 4;

/** Five lines while all ranks agree, crashes before them; `full`: each process, each check and each capability too. */
export function infoText(document: Document, facts: JobFacts, full: boolean): string {
  // A file that could not be opened: its reason says all.
  const ranks = document.ranks.filter((rank) => !isUnopened(rank));
  const known = ranks.flatMap((rank) => {
    const implementation = 'error' in rank ? rank.error : rank.implementation;
    return isUnavailable(implementation) ? [] : [{ rank, implementation }];
  });
  const unknown = ranks.flatMap((rank) => {
    const implementation = 'error' in rank ? rank.error : rank.implementation;
    return isUnavailable(implementation) ? [{ rank, text: implementation.reason }] : [];
  });
  const topics: Topic[] = [
    ['program', ranks.flatMap((rank) => textOf(rank, facts.command(rank)))],
    ['ranks', []],
    [
      'MPI',
      [
        ...known.map(({ rank, implementation }) => ({
          rank,
          text: libraryText(implementation, rank, facts),
        })),
        ...unknown,
      ],
    ],
    ['layout', known.map(({ rank, implementation }) => ({ rank, text: layoutText(implementation) }))],
    ['not decoded', known.flatMap(({ rank, implementation }) => textOf(rank, notDecoded(implementation) || 'nothing'))],
  ];
  const died = document.ranks.map((rank) => ({ rank, crash: 'crash' in rank ? rank.crash : undefined }));
  return visibleListing([
    ...crashLines(died),
    ...topics.flatMap(([subject, told]) =>
      subject === 'ranks'
        ? labelled(subject, [hostsText(ranks, facts.worldSize), ...aloneLines(facts.alone)])
        : topicLines(subject, told, full),
    ),
    ...(full ? [...ranks.map(processLine), ...table(mergeEqual(ranks.flatMap(detailsOf)))] : []),
    ...unopenedLines(document),
  ]);
}

function textOf(rank: RankId, text: string | undefined): { rank: RankId; text: string }[] {
  return text === undefined ? [] : [{ rank, text }];
}

/** Without the ranks where all agree. */
function topicLines(subject: string, told: Topic[1], full: boolean): string[] {
  const groups = mergeEqual(told);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined)
    return labelled(subject, subject === 'not decoded' ? wrapped(only.text, lineWidth - labelWidth - 2) : [only.text]);
  const shown = full ? groups : groups.slice(0, maxGroups);
  const left = groups.length - shown.length;
  const width = widest(shown.map(({ ranks }) => ranks));
  const line = ({ ranks, text }: MergedText): string => `${ranks.padEnd(width)}  ${text}`;
  return labelled(subject, [...shown.map(line), ...(left === 0 ? [] : [`and ${counted(left, 'other')}: see --full`])]);
}

function labelled(subject: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? subject : '').padEnd(labelWidth)}  ${line}`);
}

/** "0-3 on node1; 4-7 on node2", "0,2 of 4 on node1" */
function hostsText(ranks: readonly RankId[], worldSize: number | undefined): string {
  const hosts = mergeEqual(ranks.map((rank) => ({ rank, text: rank.host ?? '' })));
  const isPart = worldSize !== undefined && worldSize > ranks.length;
  const text = hosts.map(({ ranks: set, text: host }) => `${set}${host === '' ? '' : ` on ${host}`}`).join('; ');
  return isPart ? `${text} (of ${worldSize})` : text;
}

function aloneLines(alone: readonly RankId[]): string[] {
  if (alone.length === 0) return [];
  const [{ ranks } = { ranks: '' }] = mergeEqual(alone.map((rank) => ({ rank, text: '' })));
  return [
    `MPI takes each of ${ranks} for rank 0 of 1: the launcher, or how it was called, does not belong to this MPI`,
  ];
}

const stateTexts: Readonly<Record<Implementation['state'], string>> = {
  notInitialized: 'before MPI_Init',
  initialized: '',
  finalized: 'after MPI_Finalize',
  unknown: '',
};

const endingOf = (rank: RankAnswer | RankError): RankAnswer['ending'] => ('error' in rank ? undefined : rank.ending);

function libraryText(
  { name, version, product, state, abi, messageLayer }: Implementation,
  rank: RankAnswer | RankError,
  { title }: JobFacts,
): string {
  const ending = endingOf(rank);
  const level = 'error' in rank ? undefined : rank.threadLevel;
  return [
    product === undefined ? `${title(name)} ${version}` : `${product} (version ${version})`,
    messageLayer === undefined ? '' : `messages by ${messageLayer}`,
    level === undefined || isUnavailable(level) ? '' : level,
    ending === undefined ? stateTexts[state] : `in ${ending}`,
    abi === undefined ? '' : `program built for the ${abi}`,
    'mainHasEnded' in rank ? mainHasEnded : '',
    'isStopped' in rank ? stoppedBySignal : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Only a layout that passed each of its checks is used. */
function layoutText({ checks = [], layout }: Implementation): string {
  if (checks.length === 0 || checks.some(({ passed }) => !passed)) return layout;
  const [, source, unchecked = ''] = /^([^:]*):.*? agree(; .*)?$/s.exec(layout) ?? [];
  const proof = `proved by ${checks.length} of ${checks.length} checks`;
  return source === undefined ? `${proof}: ${layout}` : `${proof} (${source})${unchecked}`;
}

function processLine(rank: RankAnswer | RankError): string {
  const where = [rank.host, rank.pid === undefined ? undefined : `pid ${rank.pid}`, rank.core];
  return `${rank.rank === null ? 'rank ?' : ranksInWords([rank])}  ${where.filter((w) => w !== undefined).join('  ')}`;
}

function detailsOf(rank: RankAnswer | RankError): { rank: RankId; text: string }[] {
  if ('error' in rank || isUnavailable(rank.implementation)) return [];
  const { layout, checks = [], capabilities } = rank.implementation;
  const made = checks.map(({ name, passed, found, expected }) => {
    const difference = passed ? '' : `: found ${found}, expected ${expected}`;
    return `${passed ? 'passed' : 'FAILED'}  ${name}${difference}`;
  });
  const decoded = Object.entries(capabilities).map(
    ([kind, names]) => `decodes ${kind}: ${names.map(capabilityInWords).join(', ')}`,
  );
  return [`layout: ${layout}`, ...made, ...decoded].map((text) => ({ rank, text }));
}
