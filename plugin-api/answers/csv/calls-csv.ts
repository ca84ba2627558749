/** The program's MPI calls as rows of CSV (RFC 4180). */
import type { OverlayDocument, ToldCall } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { csvCell } from './csv-cell';
import { overlaysOf, rankCell } from '../text/overlay-ranks';

export const callsHeading = 'rank,thread,begin,end,name,comm,peer,tag,bytes,file,line\n';

/** The calls of all ranks where they are known, by rank, thread and time. */
export function callRows(document: OverlayDocument): string {
  return overlaysOf(document)
    .flatMap(({ rank, world, calls }) =>
      calls === undefined || isUnavailable(calls)
        ? []
        : calls.flatMap(({ thread, calls: of }) => of.map((call) => row(rankCell(rank, world), thread, call))),
    )
    .join('');
}

function row(rank: string, thread: number, call: ToldCall): string {
  const { begin, end, name, comm, peer, tag, bytes, code } = call;
  const cells = [
    ...[rank, thread, begin.toFixed(9), end?.toFixed(9) ?? '', name, comm?.name ?? comm?.handle ?? ''],
    ...[peer ?? '', tag ?? '', bytes ?? '', code?.file ?? '', code?.line ?? ''],
  ];
  // A negative number begins with a sign, which csvCell takes for a formula.
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvCell(cell))).join()}\n`;
}
