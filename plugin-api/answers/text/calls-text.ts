/** The program's MPI calls as people read them: of each thread the last ones, the one that it is in at the end. */
import { refName } from '../../mpi/describe-ref';
import type { RankId } from '../../mpi/records';
import type { CodeRef } from '../../mpi/code-ref';
import type { OverlayDocument, ThreadCalls, ToldCall } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { describeRanks, mergeEqual } from '../merge';
import { overlaysOf } from './overlay-ranks';
import { failedLines, table, widest } from './rank-table';

/** `isChosen`: only calls of some names were asked for. */
export function callsText(document: OverlayDocument, isChosen = false): string {
  const told = overlaysOf(document);
  const notes: { rank: RankId; text: string }[] = [];
  const lines: string[] = [];
  for (const rank of told) {
    const { calls, collector } = rank;
    if (calls === undefined || isUnavailable(calls)) {
      if (calls !== undefined) notes.push({ rank, text: calls.reason });
      continue;
    }
    if (calls.length === 0) notes.push({ rank, text: 'no such MPI call yet' });
    const now = isUnavailable(collector) ? undefined : collector.clock.now;
    const isOne = calls.length === 1;
    lines.push(...calls.flatMap((thread) => threadLines(rank, thread, { isOne, isChosen }, now)));
  }
  return visibleListing([...lines, ...table(mergeEqual(notes)), ...failedLines(document)]);
}

function threadLines(
  rank: RankId,
  { thread, total, calls }: ThreadCalls,
  { isOne, isChosen }: { isOne: boolean; isChosen: boolean },
  now?: number,
): string[] {
  const who = `${describeRanks([rank])}${isOne ? '' : `, thread ${thread}`}`;
  const rows = calls.map((call) => [
    call.begin.toFixed(6),
    callWords(call),
    timeWords(call, now),
    placeText(call.code),
  ]);
  const widths = [0, 1, 2].map((column) => widest(rows.map((row) => row[column]!)));
  return [
    `${who}: ${total} ${total === 1 ? 'MPI call' : 'MPI calls'}${shownWords(calls.length, Number(total), isChosen)}`,
    ...rows.map(([begin, words, time, place]) =>
      `  ${begin!.padStart(widths[0]!)}  ${words!.padEnd(widths[1]!)}  ${time!.padEnd(widths[2]!)}  ${place!}`.trimEnd(),
    ),
  ];
}

/** Which of a thread's calls are listed; older ones than the collector still has may have the names too. */
function shownWords(shown: number, total: number, isChosen: boolean): string {
  if (isChosen) return shown === 0 ? ', none of these names among the last ones' : `, the last ${shown} of these names`;
  return shown < total ? `, the last ${shown}` : '';
}

/** `MPI_Send to 1 tag 5 on "ocean", 4096 bytes` */
export function callWords({ name, peer, tag, root, comm, bytes, instance, repeated, error }: ToldCall): string {
  const isReceive = /recv|probe/i.test(name) && !/sendrecv/i.test(name);
  const words = [
    name,
    ...(peer === undefined ? [] : [`${isReceive ? 'from' : 'to'} ${peer}`]),
    ...(tag === undefined ? [] : [`tag ${tag}`]),
    ...(root === undefined ? [] : [`root ${root}`]),
    ...(comm === undefined ? [] : [`on ${refName(comm)}`]),
  ].join(' ');
  return [
    words,
    ...(instance === undefined ? [] : [`collective ${instance}`]),
    ...(bytes === undefined ? [] : [`${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`]),
    ...(repeated === undefined ? [] : [`again ${repeated} times`]),
    ...(error === undefined ? [] : [error]),
  ].join(', ');
}

function timeWords({ begin, end }: ToldCall, now: number | undefined): string {
  if (end !== undefined) return `${((end - begin) * 1e6).toFixed(1)} µs`;
  return now === undefined || now <= begin ? 'inside' : `inside for ${(now - begin).toFixed(1)} s`;
}

/** `solver.c:88`, or as much as is known. */
export function placeText(code: CodeRef | undefined): string {
  if (code === undefined) return '';
  const { file, line, function: name, module, address } = code;
  if (file !== undefined && line !== undefined) return `${file.replace(/^.*\//s, '')}:${line}`;
  return name ?? (module === undefined ? address : `${address} in ${module.replace(/^.*\//s, '')}`);
}
