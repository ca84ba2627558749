/** Handles that denote no live object, and lists: what the plugin says of them against what the program knows. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { Comparison, Fields } from '../support/comparison';
import type { TruthRecord } from '../support/truth';
import type { ProgramHandle, Stop } from './rank-connection';
import { type AnyInfo, key, type Sight } from './sight';

/** A freed handle denotes nothing; or an object that MPI still needs, and that says so. */
export function compareFreed(
  handle: ProgramHandle,
  { answers }: Sight,
  truth: TruthRecord[],
  result: Comparison,
): void {
  const { kind, handle: value } = handle;
  const answer = answers.get(key(kind, value));
  result.facts++;
  if (answer === undefined || (kind === 'group' && isPartOfLive(value, truth))) return;
  // In MPICH a message is a request, and may have got the value of one that was freed.
  if (kind === 'request' && answers.get(key('message', value))?.ok === true) return;
  if (answer.ok ? isSaidToBeFreed(answer.value) : isNoObject(answer.code)) return;
  const what = answer.ok ? `live: ${JSON.stringify(answer.value).slice(0, 400)}` : `${answer.code} (${answer.reason})`;
  const made = handle.call === undefined ? '' : ` of ${handle.call}`;
  result.differences.push(`rank ${truth[0]?.rank ?? '?'} ${key(kind, value)}: freed${made}, but found ${what}`);
}

/** It is said to be being made, or is made already: the request tells the program later. */
export function compareUnfinished(
  { kind, handle }: ProgramHandle,
  { answers }: Sight,
  rank: number,
  result: Comparison,
): void {
  const answer = answers.get(key(kind, handle));
  result.facts++;
  if (answer === undefined || answer.ok || isBeingMade(answer)) return;
  result.differences.push(`rank ${rank} ${key(kind, handle)}: being made, but found ${answer.code} (${answer.reason})`);
}

function isBeingMade({ code, reason }: { code: string; reason: string }): boolean {
  return code === 'MPIDBG_ERR_NOT_FOUND' && reason.startsWith('being made by ');
}

function isNoObject(code: string): boolean {
  return code === 'MPIDBG_ERR_NOT_FOUND' || code === 'MPIDBG_ERR_OUT_OF_RANGE';
}

function isSaidToBeFreed(info: AnyInfo): boolean {
  const { flags = [], unknownFlags = [] } = info as { flags?: string[]; unknownFlags?: string[] };
  const said = ['freedHandle', 'freedObject', 'internal'];
  return (
    said.some((flag) => flags.includes(flag)) || unknownFlags.includes('freedHandle') || flags.includes('predefined')
  );
}

/** MPI hands out the group that a communicator or a window has; freeing it takes only the program's part. */
function isPartOfLive(group: string, truth: TruthRecord[]): boolean {
  const fields = ['group', 'remoteGroup'];
  return truth.some(({ told }) =>
    fields.some((field) => (told?.info[field] as Fields | undefined)?.['handle'] === group),
  );
}

/** The list holds all that the program has, nothing that it freed, and no strangers but those that say what they are. */
export function compareList(
  kind: HandleKind,
  stop: Stop,
  { lists, incomplete, answers }: Sight,
  result: Comparison,
): void {
  const where = `rank ${stop.rank} list of ${kind}s:`;
  const listed = new Set((lists.get(kind) ?? []).map(({ handle }) => `0x${handle.toString(16)}`));
  const known = stop.handles.filter((handle) => handle.kind === kind);
  for (const { handle, isLive, isGot, isUnfinished } of known) {
    if (!isLive || !isGot || isUnfinished || incomplete.has(kind)) continue;
    result.facts++;
    const answer = answers.get(key(kind, handle));
    const isPredefined =
      answer?.ok === true && (answer.value as AnyInfo & { flags?: string[] }).flags?.includes('predefined');
    if (!listed.has(handle) && !isPredefined) result.differences.push(`${where} lacks ${handle}`);
  }
  const live = new Set(known.flatMap(({ handle, isLive }) => (isLive ? [handle] : [])));
  for (const { handle, answer } of lists.get(kind) ?? []) {
    const value = `0x${handle.toString(16)}`;
    if (live.has(value)) continue;
    result.facts++;
    if (answer.ok ? isSaidToBeFreed(answer.value) : answer.code === 'MPIDBG_ERR_UNAVAILABLE') continue;
    const what = answer.ok ? JSON.stringify(answer.value).slice(0, 300) : `${answer.code} ${answer.reason}`;
    result.differences.push(`${where} has ${value}, which is not the program's: ${what}`);
  }
}
