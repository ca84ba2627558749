/** What an OpenMP runtime tells as rows of CSV (RFC 4180). */
import type { OmptRecord } from '../../overlays/ompt-records';
import type { OverlayDocument } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { csvCell } from './csv-cell';
import { omptFields } from '../text/ompt-record-words';
import { overlaysOf, rankCell } from '../text/overlay-ranks';

export const omptHeading = 'rank,thread,time,type,endpoint,fields,file,line\n';

/** The records of all ranks whose OpenMP runtime reports any, by time. */
export function omptRows(document: OverlayDocument): string {
  return overlaysOf(document)
    .flatMap(({ rank, world, ompt }) =>
      ompt === undefined || isUnavailable(ompt) ? [] : ompt.records.map((record) => row(rankCell(rank, world), record)),
    )
    .join('');
}

function row(rank: string, record: OmptRecord): string {
  const { thread, time, type, endpoint, code } = record;
  const cells = [rank, thread, time.toFixed(9), type, endpoint ?? '', omptFields(record)];
  return `${[...cells, code?.file ?? '', code?.line ?? ''].map((cell) => csvCell(String(cell))).join()}\n`;
}
