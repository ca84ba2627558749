/** Handles in lists, where the name of their type would say nothing: one of them, and all of them in a few words. */
import { counted } from '../counted';
import { describeAnswer, describeBriefly, typeNames } from './describe';
import { describeDetails, operationNames, requestState } from './describe-details';
import type { Answer, RequestInfo } from './records';

const pendingState = 'pending';

/** `receive from 2 · tag 1 · 600 MPI_DOUBLE · on MPI_COMM_WORLD · pending`: the line of one, what tells it from others first. */
export function describeElement(answer: Answer): string {
  const line = describeAnswer(answer);
  if (answer.code !== 'MPIDBG_SUCCESS') return line;
  const title = `${typeNames[answer.kind]} · `;
  if (!line.startsWith(title)) return line;
  const request = requestIn(answer);
  if (request === undefined) return line.slice(title.length);
  const details = describeDetails('request', request);
  const comm = details.findIndex((detail) => detail.startsWith('on '));
  const amount = /^\d/.test(details[comm + 1] ?? '') ? comm + 1 : comm;
  if (comm >= 0 && amount > comm) details.splice(comm, 2, details[amount]!, details[comm]!);
  return details.join(' · ');
}

/** If there are more handles, the first ones are described. */
export const handlesDescribed = 256;
/** Characters of a list that names each handle. */
const enough = 40;
/** Characters after which such a list has no more of them, but how many there are. */
const atMost = 100;

/**
 * `4 receives, 4 sends, all pending`, `[MPI_Comm "ocean", 3 × MPI_COMM_NULL, … 20 in all]`: the first handles of `length`;
 * neighbours that are alike come together.
 */
export function describeAll(answers: readonly Answer[], length: number): string {
  const list = listText(answers.map(describeBriefly), length);
  const requests = answers.flatMap((each) => requestIn(each) ?? []);
  const isLong = list.length > enough + 2 || length > answers.length;
  if (!isLong || requests.length < answers.length || answers.length === 0) return list;
  const told = describeRequests(requests);
  return length > answers.length ? `the first ${answers.length} of ${length}: ${told}` : told;
}

function requestIn(answer: Answer): RequestInfo | undefined {
  const isOne = answer.code === 'MPIDBG_SUCCESS' && answer.kind === 'request';
  return isOne ? (answer.info as RequestInfo) : undefined;
}

/**
 * `4 receives, 4 sends, all pending`, `1 receive pending, 2 sends complete`; where that is long, what is still awaited:
 * `4 of 8 pending: 2 receives, 2 sends`.
 */
function describeRequests(requests: readonly RequestInfo[]): string {
  const all = describeStates(requests);
  const pending = requests.filter(
    (request) => requestState(request) === pendingState && !request.flags.includes('requestNull'),
  );
  if (all.length <= enough + 2 || pending.length === 0 || pending.length === requests.length) return all;
  const kinds = countsOf(pending, operationOf).map(([operation, count]) => counted(count, operation));
  return `${pending.length} of ${requests.length} ${pendingState}: ${kinds.join(', ')}`;
}

function operationOf({ operation }: RequestInfo): string {
  return operationNames[operation] ?? operation;
}

function describeStates(requests: readonly RequestInfo[]): string {
  const real = requests.filter(({ flags }) => !flags.includes('requestNull'));
  const isNull = requests.length - real.length;
  const stateOf = (request: RequestInfo): string => requestState(request) || 'of unknown state';
  // Their state is in their name.
  const open = real.filter(({ operation }) => operation !== 'empty');
  const completed = real.length - open.length;
  const states = new Set(open.map(stateOf));
  const told =
    states.size === 1 && completed === 0
      ? [
          ...countsOf(open, operationOf).map(([operation, count]) => counted(count, operation)),
          `${open.length > 1 ? 'all ' : ''}${[...states][0]}`,
        ]
      : [...states].sort(pendingFirst).flatMap((state) => {
          const inState = open.filter((request) => stateOf(request) === state);
          return countsOf(inState, operationOf).map(([operation, count]) => `${counted(count, operation)} ${state}`);
        });
  return [
    ...told,
    ...(completed > 0 ? [counted(completed, 'completed operation')] : []),
    ...(isNull > 0 ? [isNull === 1 ? 'MPI_REQUEST_NULL' : `${isNull} × MPI_REQUEST_NULL`] : []),
  ].join(', ');
}

function pendingFirst(one: string, other: string): number {
  return Number(other === pendingState) - Number(one === pendingState);
}

function countsOf<T>(items: readonly T[], nameOf: (item: T) => string): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts];
}

/** At most about `atMost` characters, and how many there are. */
export function listText(brief: readonly string[], length: number): string {
  const runs: { text: string; count: number }[] = [];
  for (const text of brief) {
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else runs.push({ text, count: 1 });
  }
  const shown: string[] = [];
  let told = 0;
  for (const { text, count } of runs) {
    if (shown.join(', ').length > atMost) break;
    shown.push(count === 1 ? text : `${count} × ${text}`);
    told += count;
  }
  return `[${shown.join(', ')}${length > told ? `, … ${length} in all` : ''}]`;
}
