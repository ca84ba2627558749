/** How a job died, in a few lines: which rank of what, in which call, at which line, and what the others were doing. */
import { withoutParameters } from '../../function-name';
import { groupedBy } from '../../grouped-by';
import { HangWords } from '../../hang/words';
import { ranksInWords } from '../../mpi/rank-names';
import type { ProcessState } from '../../hang/job-state';
import type { RankPosition } from '../../hang/position';
import { isUnavailable } from '../../result';
import { callArguments, callText } from './mpi-call-text';
import { causeText } from './death-cause-text';
import { isAmong, type DeathFrame, type RankDeath, type SeenDeaths } from '../../deaths/rank-death';

/** Nanoseconds, within which nobody can say who was first. */
const atOnce = 20_000_000n;

/** Places of the others that are told. */
const maxPlaces = 3;

/** Frames of the program that are told. */
const maxFrames = 3;

/** For a terminal. `report`: the file with all that is known. */
export function deathText(seen: SeenDeaths, report: string | undefined): string[] {
  const [first = '', ...others] = deathLines(seen);
  const what = seen.unread === undefined ? 'stacks, variables and messages of all ranks' : 'what is known of the job';
  const more = report === undefined ? [] : [`${what}: ${report}`];
  return [first, ...[...others, ...more].map((line) => `  ${line}`)];
}

/** The first line stands for itself; empty: no rank died. */
export function deathLines({ deaths, states, unread }: SeenDeaths): string[] {
  const [first] = deaths;
  if (first === undefined) return [];
  const groups = [...groupedBy(deaths, whatHappened).values()];
  const [cause = [first], ...others] = groups;
  return [
    `${whoseText(cause)} ${causeText(first, cause.length)}${spanText(cause)}`,
    ...statementLine(first),
    ...callLine(first),
    ...placeLine(first),
    ...thrownLine(first),
    ...leftLine(first),
    ...goesOnLine(cause),
    ...others.slice(0, 1).map((group) => alsoText(group, first)),
    ...othersLine(deaths, states),
    ...(unread === undefined ? [] : [`the stacks of the ranks were not read: ${unread}`]),
  ];
}

/**
 * Operations that made a NaN or an infinity, of ranks that went on, in the order of their time: which rank, what, in which statement, where. The
 * first line stands for itself.
 */
export function madeLines(made: readonly RankDeath[]): string[] {
  const [cause, ...others] = [...groupedBy(made, whatHappened).values()];
  const first = cause?.[0];
  if (cause === undefined || first === undefined) return [];
  return [
    `${whoseText(cause)} ${causeText(first, cause.length)}${spanText(cause)}`,
    ...statementLine(first),
    ...placeLine(first),
    ...others.slice(0, maxPlaces).map((group) => alsoText(group, first)),
  ];
}

/** Deaths with one text at one place are one event. */
function whatHappened(death: RankDeath): string {
  return [causeText(death, 1), ...statementLine(death), ...callLine(death), ...placeLine(death)].join('\n');
}

/** "rank 3", "ranks 0-1,0.1:0" */
function whoseText(deaths: readonly RankDeath[]): string {
  if (deaths.every(({ id: { rank } }) => rank !== null)) return ranksInWords(deaths.map(({ id }) => id));
  return `process ${deaths.map(({ id, death }) => id.pid ?? death.pid).join(', ')}`;
}

function spanText(deaths: readonly RankDeath[]): string {
  const times = deaths.map(({ death }) => death.time);
  if (deaths.length < 2) return '';
  return `, within ${millisecondsText(times.at(-1)! - times[0]!)}`;
}

function millisecondsText(nanoseconds: bigint): string {
  const milliseconds = Number(nanoseconds) / 1e6;
  return milliseconds < 1 ? '1 ms' : `${Math.ceil(milliseconds)} ms`;
}

/** In words that leave open which of the two was the cause, where they came together. */
function alsoText(group: readonly RankDeath[], first: RankDeath): string {
  const [other] = group as [RankDeath];
  const later = other.death.time - first.death.time;
  const where = other.frames[0] === undefined ? '' : ` at ${frameText(other.frames[0])}`;
  const what = `${whoseText(group)} ${causeText(other, group.length)}${where}`;
  return later <= atOnce
    ? `or: ${what}, ${millisecondsText(later)} later, so either may be the cause`
    : `then: ${what}, ${millisecondsText(later)} later`;
}

/** In MPI: the call with its arguments, and what does not fit. */
function callLine(of: RankDeath): string[] {
  const { call, death, trap } = of;
  const isTold = ['mpiAbort', 'pythonException'].includes(death.kind) || (trap !== undefined && trap.statement !== '');
  if (call === undefined || (isTold && death.ownHandler === undefined)) return [];
  return [
    `in ${callText(call.call, call.passed)}${receiveText(of)}${messageText(of)}${ranksText(of)}${errorArgumentText(of)}`,
  ];
}

/** Why the call could not give its error to Fortran. */
function errorArgumentText({ call }: RankDeath): string {
  switch (call?.errorArgument) {
    case 'missing':
      return ': its last argument, ierror, is missing';
    case 'unusable':
      return ': that is its last argument, ierror, as where it is a constant or an argument is missing';
    case undefined:
      return '';
  }
}

/** How many ranks there are, where one that was given is none of them; some libraries tell that with the error. */
function ranksText({ call, errorClass = '', death: { error } }: RankDeath): string {
  const isOfRank = errorClass === 'MPI_ERR_RANK' || errorClass === 'MPI_ERR_ROOT';
  const comm = call?.passed.find(({ ranks }) => ranks !== undefined);
  const isTold = /less than \d/.test(error?.text ?? '') || comm?.text.includes(' of ');
  if (!isOfRank || isTold !== false || comm?.ranks === undefined) return '';
  return `: ${comm.text} has ${comm.ranks} ${comm.ranks === 1 ? 'rank' : 'ranks'}`;
}

/** Which receive failed, for a call that completes others. */
function receiveText({ failedReceive }: RankDeath): string {
  if (failedReceive === undefined || failedReceive.passed.length === 0) return '';
  // The tags of a library's own messages are below all that a program may give.
  const isOfCollective = failedReceive.passed.some(({ name, number }) => name === 'tag' && (number ?? 0) < 0);
  const shown = failedReceive.passed.filter(({ name }) => !(isOfCollective && name === 'tag'));
  const what = isOfCollective ? 'a receive of its collective operation:' : 'a receive of';
  return `: ${what} ${callArguments(shown).replace(/^count /, '')}`;
}

function messageText({ truncated, failedReceive, call, errorClass }: RankDeath): string {
  const told = [...(call?.passed ?? []), ...(failedReceive?.passed ?? [])];
  const isTold = (argument: RegExp): boolean =>
    told.some(({ name, text }) => argument.test(name) && !text.startsWith('MPI_ANY'));
  // Whose message it is, where the call leaves it open.
  const isKnown = isTold(/^source$/) && isTold(/^(tag|recvtag)$/);
  const sender =
    failedReceive === undefined || isKnown ? '' : ` from ${failedReceive.source}, tag ${failedReceive.tag},`;
  if (truncated === undefined)
    return sender !== '' && errorClass === 'MPI_ERR_TRUNCATE' ? `: the message${sender} does not fit` : '';
  const { message, buffer, unit } = truncated;
  const bytes = unit === 'bytes' ? ' bytes' : '';
  const room = unit === 'bytes' && buffer !== undefined ? `, the buffer ${buffer}` : '';
  return `: the message${sender} has ${message}${bytes}${room}`;
}

/** "in residual = r / norm (r = 0, norm = 0)", and the function of a library that computes it. */
function statementLine({ trap, untold = 'it was not read in time', death }: RankDeath): string[] {
  if (trap === undefined) return death.kind === 'float' ? [`what it computed is not known: ${untold}`] : [];
  const { statement, within } = trap;
  const parts = [
    ...(statement === '' ? [] : [`in ${statement}`]),
    ...(within === undefined ? [] : [`inside ${within}`]),
  ];
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** A hint for what does not end a job by itself: floating point operations unless they are asked to, and exceptions of Python without mpi4py's help. */
function goesOnLine(deaths: readonly RankDeath[]): string[] {
  if (deaths[0]?.death.kind === 'pythonException')
    return ['Python then goes on to MPI_Finalize, which waits for the other ranks: python3 -m mpi4py ends the job'];
  if (deaths[0]?.death.kind !== 'float') return [];
  const subject = deaths.length === 1 ? 'itself it' : 'themselves they';
  return [`ended by --trap-fp: by ${subject} would have gone on`];
}

function placeLine({ frames, library, thread }: RankDeath): string[] {
  const [innermost, ...callers] = frames;
  const inThread = thread === undefined || thread === 1 ? '' : `, in its thread ${thread}`;
  if (innermost === undefined) return library === undefined ? [] : [`in ${library}${inThread}`];
  const path = callers
    .filter(({ name }) => !isOfStandardLibrary(name) && !isAroundStatics(name))
    .slice(0, maxFrames - 1)
    .map((frame, i) => {
      if (isOfStatics(frame.name)) return `, ${whileStatics} (${frameText(frame)})`;
      const how = frame.isInterrupted === true ? ', which interrupted ' : i === 0 ? ', called by ' : ', ';
      const by = frame.by === undefined ? '' : `${frame.by} in `;
      return `${how}${by}${withoutParameters(frame.name)} (${frameText(frame)})`;
    })
    .join('');
  const inFunction = isOfStatics(innermost.name) ? `, ${whileStatics}` : ` in ${withoutParameters(innermost.name)}`;
  return [`at ${frameText(innermost)}${inFunction}${path}${inThread}`];
}

const whileStatics = 'while the static variables of the file are made';

/** What GCC and Clang make of the initializers of a file's static variables. */
function isOfStatics(name: string): boolean {
  return /^(__static_initialization_and_destruction_0|__cxx_global_var_init(\.\d+)?)\b/.test(name);
}

/** What calls those of a file. */
function isAroundStatics(name: string): boolean {
  return /^_GLOBAL__sub_I_/.test(name);
}

function thrownLine({ thrownAt }: RankDeath): string[] {
  if (thrownAt === undefined) return [];
  const at = thrownAt.source === undefined ? '' : ` at ${frameText(thrownAt)}`;
  return [`the exception was thrown${at} in ${withoutParameters(thrownAt.name)}`];
}

/** "a function that runs at exit then called _exit(9) at grid.c:6 in leave" */
function leftLine({ death: { left }, leftAt }: RankDeath): string[] {
  if (left === undefined) return [];
  const at = leftAt === undefined ? '' : ` at ${frameText(leftAt)} in ${withoutParameters(leftAt.name)}`;
  return [`a function that runs at exit then called ${left.function}(${left.status})${at}`];
}

/** What the headers of C++ put between two functions of the program. */
function isOfStandardLibrary(name: string): boolean {
  return /^(std::|__gnu_cxx::)/.test(name);
}

function frameText({ source, line, name }: DeathFrame): string {
  if (source === undefined) return name;
  const file = source.replace(/^.*\//s, '');
  return line === undefined ? file : `${file}:${line}`;
}

function othersLine(deaths: readonly RankDeath[], states: readonly ProcessState[]): string[] {
  const words = new HangWords(states);
  const others = states.flatMap((state, process) =>
    isAmong(deaths, state.id) ? [] : [{ process, text: whereabouts(state) }],
  );
  const groups = [...groupedBy(others, ({ text }) => text).values()].sort((a, b) => b.length - a.length);
  if (groups.length === 0) return [];
  const told = groups.slice(0, maxPlaces).map((group) => {
    const verb = group.length === 1 ? 'was' : 'were';
    return `${words.ranks(group.map(({ process }) => process))} ${verb} ${group[0]!.text}`;
  });
  const left = groups.slice(maxPlaces).reduce((sum, group) => sum + group.length, 0);
  return [`${told.join('; ')}${left === 0 ? '' : `; ${left} more elsewhere`}`];
}

function whereabouts({ positions, error }: ProcessState): string {
  const [first] = positions;
  if (first === undefined) return error === undefined ? 'elsewhere' : `somewhere that could not be read (${error})`;
  const where = first.where === undefined ? '' : ` (${first.where})`;
  if (first.state === 'ended') return 'at its end';
  if (first.state === 'finalizing') return `in MPI_Finalize${where}`;
  return first.call === undefined ? `in its own code${where}` : `in ${first.call}${partner(first)}${where}`;
}

/** The rank that a call waits for, where it waits for one. */
function partner({ peer, call = '' }: RankPosition): string {
  if (typeof peer !== 'number' || isUnavailable(peer)) return '';
  return /recv|probe/i.test(call) ? ` from ${peer}` : ` to ${peer}`;
}
