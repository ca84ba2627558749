/** What the user should know of the core files that were opened; equal sentences of several files are one. */
import { namedRanks, numbersText } from '../../../plugin-api/mpi/rank-names';
import { basename, dirname } from 'node:path';
import { counted } from '../../../plugin-api/counted';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { whyAbsent } from '../../images/core/absent-files';
import type { FoundFile } from '../../images/core/core-files';
import type { Advice, Notice } from '../../job/advice';
import { formatRanks } from '../../../plugin-api/answers/rank-set';
import type { FoundCore } from './core-identity';
import { libraryFindings } from './core-libraries-findings';
import { whatToDo, type Unfinished } from './core-writers';

/** A sentence without its beginning, which names the files. */
interface Finding extends Notice {
  core: string;
}

export interface FindingOptions {
  /** The program that the user has named. */
  program: string | undefined;
  unfinished: Unfinished;
}

export function coreFindings(cores: readonly FoundCore[], options: FindingOptions): Notice[] {
  const names = shortNames(cores.map(({ identity }) => identity.core));
  const ofFiles = cores.flatMap((core) => findingsOf(core, options));
  return [
    ...mergeFindings(ofFiles, names),
    ...libraryFindings(cores),
    ...[...aboutJobs(cores, names), ...severalOfOneRank(cores, names)].map((text) => ({ text })),
  ];
}

/** "core.1, core.2 and 7 more". */
const maxNamed = 4;

export function listed(names: readonly string[]): string {
  if (names.length <= maxNamed) return names.join(', ');
  return `${names.slice(0, maxNamed - 1).join(', ')} and ${names.length - maxNamed + 1} more`;
}

function mergeFindings(findings: readonly Finding[], names: ReadonlyMap<string, string>): Notice[] {
  return [...groupedBy(findings, ({ text }) => text)].map(([text, same]) => ({
    ...same[0],
    text: `${listed(same.map(({ core }) => names.get(core) ?? core))}: ${text}`,
  }));
}

function findingsOf(core: FoundCore, { program, unfinished }: FindingOptions): Finding[] {
  const { image, core: file, number, isFromFileName } = core.identity;
  const { missing, process } = image.core;
  const notices: Notice[] = [];
  const tell = (text: string, advice?: Advice): void => void notices.push({ text, ...(advice && { advice }) });
  const advice = whatToDo(image.path, unfinished);
  if (unfinished.written.has(image.path))
    tell(`the file is still being written: what is missing so far is unavailable; ${advice}`);
  else if (missing > 0)
    tell(`the file is truncated by ${counted(missing, 'byte')}: what is missing is unavailable; ${advice}`);
  const path = image.programPath ?? process?.name ?? 'an unknown program';
  if (program !== undefined && image.isWrittenBy(program) === false)
    tell(
      `not written by ${program} but by another build or program (${path}):` +
        (core.program === undefined ? ' its lines and variables are unknown' : ` ${core.program} is used for it`),
    );
  else if (core.program === undefined) tell(programMissing(image.program(), path), { kind: 'rightProgram' });
  if (!core.hasMpi) tell(`this process has no MPI (${path}): only stacks and variables are available`);
  const absent = core.absentMpi;
  if (absent !== undefined && absent.unlike === undefined)
    tell(
      `its MPI library ${absent.path} (build-id ${absent.buildId ?? 'unknown'}) is not here, so its handles cannot be` +
        ' decoded',
      { kind: 'libraryFolder' },
    );
  if (isFromFileName === true) tell(`only the file name says that this is rank ${number}`);
  else if (number === null && core.hasMpi) tell('it does not contain its rank: it is shown by its process id');
  return notices.map((notice) => ({ core: file, ...notice }));
}

function programMissing(found: FoundFile | undefined, path: string): string {
  const { buildId, unlike } = found ?? {};
  const id = buildId === undefined ? '' : ` (build-id ${buildId})`;
  const what =
    found === undefined || unlike === undefined
      ? `the program ${path}${id} that wrote it is not here`
      : unlike.kind === 'build'
        ? `${path} here is another build (build-id ${unlike.buildId ?? 'none'}) than the one that wrote it${id}`
        : whyAbsent(found);
  return `${what}: its lines and variables are unknown, and stacks are unreliable beyond it`;
}

/** Missing cores, and cores that do not belong together. */
function aboutJobs(cores: readonly FoundCore[], names: ReadonlyMap<string, string>): string[] {
  const sentences: string[] = [];
  const ofLauncher = cores.filter(({ identity }) => identity.number !== null && identity.isFromFileName !== true);
  const only = onlyJob(ofLauncher);
  const keyOf = ({ origin }: FoundCore): string => origin?.key ?? only ?? '';
  const jobs = groupedBy(
    ofLauncher,
    ({ identity: { world }, origin }) => world?.split('.')[0] ?? origin?.key ?? only ?? '',
  );
  if (jobs.size > 1) {
    const told = [...jobs.values()].map((of) => `${ranksOf(of)} of ${keyOf(of[0]!) || 'an unknown one'}`);
    sentences.push(
      `these core files are of ${jobs.size} jobs: ${told.join('; ')}: open each job by itself to see it whole`,
    );
  }
  for (const [key, of] of groupedBy(ofLauncher, keyOf)) {
    const { world } = of[0]!.identity;
    const ofJob = key === '' ? 'the unknown job' : key;
    const size = Math.max(...of.map(({ identity }) => identity.worldSize ?? 0));
    const there = new Set(of.map(({ identity }) => identity.number));
    const absent = Array.from({ length: size }, (_, rank) => rank).filter((rank) => !there.has(rank));
    if (absent.length > 0)
      sentences.push(
        `no core of ${namedRanks(numbersText(absent))} of the ${size} ranks` +
          `${jobs.size > 1 ? ` of ${ofJob}` : world === undefined ? '' : ` of world ${world}`}` +
          `: nothing is known about ${absent.length === 1 ? 'it' : 'them'}`,
      );
    const programs = groupedBy(of, ({ identity: { image } }) => image.programPath ?? 'an unknown program');
    if (programs.size > 1) {
      const told = [...programs].map(([path, its]) => `${ranksOf(its)} ran ${path}`);
      sentences.push(`the job had ${programs.size} programs: ${told.join('; ')}`);
    }
  }
  const strangers = cores.filter(({ hasMpi }) => !hasMpi);
  if (jobs.size > 0 && strangers.length > 0)
    sentences.push(`${listed(strangers.map(({ identity }) => names.get(identity.core)!))}: not a rank of the job`);
  return sentences;
}

/** The one job that is told, when those of which nothing tells it can be ranks of it, too. */
function onlyJob(cores: readonly FoundCore[]): string | undefined {
  const [only, ...others] = new Set(cores.flatMap(({ origin }) => origin?.key ?? []));
  const ranks = new Set(cores.map(({ identity: { number } }) => number));
  const sizes = new Set(cores.map(({ identity: { worldSize } }) => worldSize));
  return others.length === 0 && ranks.size === cores.length && sizes.size === 1 ? only : undefined;
}

/** Two cores may be of one process, or of two runs of the job: all are shown. */
function severalOfOneRank(cores: readonly FoundCore[], names: ReadonlyMap<string, string>): string[] {
  const byRank = groupedBy(
    cores.filter(({ identity }) => identity.number !== null),
    ({ identity: { number }, origin }) => `${number} ${origin?.key ?? ''}`,
  );
  return [...byRank.values()]
    .filter(({ length }) => length > 1)
    .map((same) => {
      const processes = new Set(same.map(({ identity: { pid, host } }) => `${pid} ${host}`));
      const files = listed(same.map(({ identity }) => names.get(identity.core)!));
      const why =
        processes.size === 1
          ? 'they are of one process, at several times or copied'
          : 'they are of several processes, as of several runs of the job';
      return `${ranksOf(same)} has ${same.length} cores (${files}): ${why}; all are shown`;
    });
}

function ranksOf(cores: readonly FoundCore[]): string {
  return namedRanks(formatRanks(cores.map(({ identity }) => identity)));
}

/** Without the folders that all of them have in common; at least the name of the file. */
function shortNames(paths: readonly string[]): Map<string, string> {
  let common = dirname(paths[0] ?? '/');
  while (common !== '/' && !paths.every((path) => path.startsWith(`${common}/`))) common = dirname(common);
  const from = common === '/' ? 1 : common.length + 1;
  return new Map(paths.map((path) => [path, path.slice(from) || basename(path)]));
}
