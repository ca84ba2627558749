/** mpidbg pvars, cvars, events, ompt and calls: what MPI_T, OpenMP and the program's calls tell in each rank, read without stopping it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { visibleJson } from '../../../plugin-api/visible-text';
import { LibraryCode } from '../../../plugin-api/mpi/library-code';
import type { OverlayDocument } from '../../../plugin-api/overlays/records';
import { isUnavailable } from '../../../plugin-api/result';
import { noticeText } from '../../job/advice';
import { RankSetError } from '../../../plugin-api/answers/rank-set';
import { untilAborted } from '../../job/start-error';
import { loadPlugins } from '../../query/load-plugin';
import { Follower, overlayDocument } from '../../query/overlays/overlay-document';
import { seeRanks, type SeenRank, type SeenRanks } from '../../query/overlays/seen-ranks';
import { callsText } from '../../../plugin-api/answers/text/calls-text';
import { eventsText } from '../../../plugin-api/answers/text/events-text';
import { omptText } from '../../../plugin-api/answers/text/ompt-text';
import { traceOf } from '../../../plugin-api/answers/trace/trace-events';
import { variablesText } from '../../../plugin-api/answers/text/variables-text';
import { adviceText } from '../advice';
import type { Command, QueryOptions } from '../arguments/command';
import { UsageError } from '../arguments/usage-error';
import { jsonPieces } from '../json-pieces';
import { OutputFile, standardOutput } from '../output-file';
import type { Outcome } from '../query-command';
import { printPart } from '../../hosts/standard-streams';
import { Changes } from './changes';

type OverlayCommand = Extract<Command, { patterns: readonly string[] }>;

/** Rejects with UsageError, PluginError or StartError. */
export async function runOverlay(command: OverlayCommand, signal: AbortSignal): Promise<Outcome> {
  const csvFile = await OutputFile.unlessStandard(command.csv);
  const traceFile = await OutputFile.unlessStandard(command.trace);
  const seen = await see(command.options, signal);
  try {
    if (command.follow) return await follow(command, seen, signal);
    const document = await untilAborted(signal, read(command, seen));
    const csv = command.csv === undefined ? undefined : new Changes(command.name).csv(document);
    const trace = command.trace === undefined ? undefined : `${visibleJson(JSON.stringify(traceOf(document)))}\n`;
    await csvFile?.write(csv ?? '');
    await traceFile?.write(trace ?? '');
    const { name, options } = command;
    const text = options.json ? jsonPieces(document) : await textOf(document, command, seen);
    return {
      output: (command.csv === standardOutput ? csv : command.trace === standardOutput ? trace : undefined) ?? text,
      errors: seen.warnings.map((warning) => noticeText(warning, adviceText)),
      status: isWhole(document, name) ? 0 : 1,
    };
  } finally {
    await seen.end();
  }
}

async function textOf(document: OverlayDocument, command: OverlayCommand, seen: SeenRanks): Promise<string> {
  const { name, full, csv, trace } = command;
  if (name === 'pvars' || name === 'cvars') return variablesText(document, name, full);
  // What is written to a file is not listed again.
  if (csv !== undefined || trace !== undefined) return '';
  if (name === 'ompt') return omptText(document, await read({ ...command, ...callsNow }, seen), full);
  return name === 'events' ? eventsText(document, full) : callsText(document, command.patterns.length > 0);
}

/** The last call of each thread: if it has no end, the thread is inside it now. */
const callsNow = { name: 'calls', patterns: [], last: 1 } as const;

/** Every second what is new, until `signal` is aborted or no rank is left; of one that has ended, the last. With --json: every second all. */
async function follow(command: OverlayCommand, seen: SeenRanks, signal: AbortSignal): Promise<Outcome> {
  const { name, options } = command;
  const changes = new Changes(name);
  const follower = new Follower();
  let document: OverlayDocument;
  do {
    document = await read(command, seen, follower);
    const text = options.json ? `${visibleJson(JSON.stringify(document))}\n` : changes.csv(document);
    if (!(await printPart(text))) break;
    await sleep(1000, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted && document.ranks.some((rank, i) => goesOn(rank, name, seen.ranks[i])));
  return { output: '', errors: [], status: 0 };
}

function goesOn(told: OverlayDocument['ranks'][number], part: OverlayCommand['name'], rank?: SeenRank): boolean {
  return !('error' in told) && !isUnavailable(told[part]) && rank?.lasting?.outlives !== true;
}

/** Files have all events that there are, unless so many are asked for. */
function read(
  { name, patterns, last, csv, trace, options: { gdb, libraryCode } }: OverlayCommand,
  seen: SeenRanks,
  follower?: Follower,
): Promise<OverlayDocument> {
  const most = last ?? (csv === undefined && trace === undefined ? undefined : Infinity);
  return overlayDocument(seen.target, seen.ranks, {
    ...{ part: name, patterns, libraries: new LibraryCode(libraryCode) },
    ...(gdb === undefined ? {} : { gdb }),
    ...(most === undefined ? {} : { last: most }),
    ...(follower === undefined ? {} : { follower }),
  });
}

async function see({ target, ranks, world, gdb, plugins }: QueryOptions, signal: AbortSignal): Promise<SeenRanks> {
  try {
    return await untilAborted(signal, seeRanks(target, { plugins: loadPlugins(plugins), ranks, world, gdb, signal }));
  } catch (error) {
    if (error instanceof RankSetError) throw new UsageError(`--${error.subject}: ${error.message}`);
    throw error;
  }
}

/** True if every rank could be read and has variables of this kind. */
function isWhole({ ranks }: OverlayDocument, part: OverlayCommand['name']): boolean {
  return ranks.every((rank) => !('error' in rank) && !isUnavailable(rank[part]));
}
