/** OpenMP as people read it: of each rank its threads with what they do, the last records, and devices. */
import type { RankId } from '../../mpi/records';
import type { Ompt, OmptThread } from '../../overlays/ompt-records';
import type { OverlayDocument, RankOverlay, ToldCall } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { describeRanks, mergeEqual } from '../merge';
import { callWords, placeText } from './calls-text';
import { omptFields } from './ompt-record-words';
import { mutexName, nameOfThread, waitSentence, type TeamOfRank } from './ompt-waits';
import { overlaysOf } from './overlay-ranks';
import { failedLines, table, widest } from './rank-table';

/** `calls`: of the same ranks, the last call of each thread. `full`: with how often each callback came. */
export function omptText(document: OverlayDocument, calls: OverlayDocument, full: boolean): string {
  const callsOfRank = new Map(overlaysOf(calls).map((rank) => [keyOf(rank), rank]));
  const notes: { rank: RankId; text: string }[] = [];
  const lines = overlaysOf(document).flatMap((rank) => {
    const { ompt } = rank;
    if (ompt === undefined) return [];
    if (isUnavailable(ompt)) {
      notes.push({ rank, text: ompt.reason });
      return [];
    }
    return rankLines(rank, ompt, callsOfRank.get(keyOf(rank)), full);
  });
  return visibleListing([...lines, ...table(mergeEqual(notes)), ...failedLines(document)]);
}

function keyOf({ rank, pid, core }: RankId): string {
  return `${rank} ${pid} ${core}`;
}

function rankLines(rank: RankOverlay, ompt: Ompt, calls: RankOverlay | undefined, full: boolean): string[] {
  const now = isUnavailable(rank.collector) ? 0 : rank.collector.clock.now;
  const team: TeamOfRank = { threads: ompt.threads, callOf: (thread) => callOf(thread, calls) };
  const count = ompt.threads.length;
  return [
    `${describeRanks([rank])}: ${count} OpenMP ${count === 1 ? 'thread' : 'threads'}, ${ompt.runtime}`,
    ...threadLines(team, now),
    ...(full ? callbackLines(ompt) : []),
    ...recordLines(ompt),
    ...deviceLines(ompt),
  ];
}

/** The one that it is in. */
function callOf({ thread }: OmptThread, rank: RankOverlay | undefined): ToldCall | undefined {
  const calls = rank?.calls;
  if (calls === undefined || isUnavailable(calls)) return undefined;
  const last = calls.find((each) => each.thread === thread)?.calls.at(-1);
  return last?.end === undefined ? last : undefined;
}

function threadLines(rank: TeamOfRank, now: number): string[] {
  const rows = rank.threads.map((thread) => [nameOfThread(thread), `${thread.type} ${thread.thread}`, thread.state]);
  const widths = [0, 1, 2].map((column) => widest(rows.map((row) => row[column]!)));
  return rank.threads.map((thread, i) =>
    [...rows[i]!.map((cell, column) => cell.padEnd(widths[column]!)), doing(thread, rank, now)]
      .map((cell) => `  ${cell}`)
      .join('')
      .trimEnd(),
  );
}

/** What the thread waits for, its region or task, its current MPI call, and the locks that it holds. */
function doing(thread: OmptThread, rank: TeamOfRank, now: number): string {
  const { waitsFor, parallel, task, holds } = thread;
  const call = rank.callOf(thread);
  const explicit = task?.flags.includes('explicit') === true ? [`task ${task.id}${atPlace(task)}`] : [];
  return [
    ...(waitsFor === undefined ? [] : [`${waitSentence(thread, waitsFor, rank)}${sinceWords(waitsFor.since, now)}`]),
    ...(waitsFor !== undefined || parallel === undefined
      ? []
      : [`in the region${atPlace(parallel)} of ${parallel.teamSize ?? parallel.requested} threads`]),
    ...explicit,
    ...(call === undefined ? [] : [`in ${callWords(call)}${atPlace(call)}`]),
    ...holds.map((hold) => `holds the ${mutexName(hold.kind)} ${hold.waitId}${atPlace(hold)}`),
  ].join(', ');
}

function atPlace({ code }: { code?: ToldCall['code'] }): string {
  return code === undefined ? '' : ` at ${placeText(code)}`;
}

function sinceWords(since: number, now: number): string {
  return now > since ? ` for ${(now - since).toFixed(1)} s` : '';
}

function callbackLines({ callbacks }: Ompt): string[] {
  const width = widest(callbacks.map(({ name }) => name));
  return [
    '  callbacks',
    ...callbacks.map(({ name, set, called }) => `    ${name.padEnd(width)}  ${set}, ${called} times`),
  ];
}

function recordLines({ records }: Ompt): string[] {
  if (records.length === 0) return [];
  const rows = records.map((record) => [
    record.time.toFixed(6),
    String(record.thread),
    `${record.type}${record.endpoint === undefined ? '' : ` ${record.endpoint}`}`,
    `${omptFields(record)}${atPlace(record)}`,
  ]);
  const widths = [0, 1, 2].map((column) => widest(rows.map((row) => row[column]!)));
  return [
    '  records',
    ...rows.map(([time, thread, type, fields]) =>
      `    ${time!.padStart(widths[0]!)}  ${thread!.padEnd(widths[1]!)}  ${type!.padEnd(widths[2]!)}  ${fields!}`.trimEnd(),
    ),
  ];
}

function deviceLines({ devices }: Ompt): string[] {
  return devices.flatMap(({ number, type, images, tracing, buffersLost, records }) => [
    `  device ${number}: ${type}, ${images.length} ${images.length === 1 ? 'image' : 'images'}, ${tracingWords(tracing)}${buffersLost === 0 ? '' : `, ${buffersLost} buffers were lost`}`,
    ...records.map((record) => `    ${record.time.toFixed(6)}  ${record.type}  ${omptFields(record)}`.trimEnd()),
  ]);
}

function tracingWords(tracing: Ompt['devices'][number]['tracing']): string {
  if (isUnavailable(tracing)) return tracing.reason;
  return tracing ? 'is traced' : 'was traced until its end';
}
