/** Values of MPI_T's variables as rows of CSV (RFC 4180), one for each element. */
import type { Integer } from '../../mpi/records';
import type { VariablePart } from '../text/variables-text';
import type { OverlayDocument, RankOverlay } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { csvCell } from './csv-cell';
import { overlaysOf } from '../text/overlay-ranks';

export const csvHeading = 'rank,name,class,object,index,value,time\n';

/** `key` is what the value is of: the same in a later document. */
export interface CsvRow {
  key: string;
  value: string;
  line: string;
}

/** The values of all ranks where they are known. `class` and `object` are empty where there is none. */
export function csvRows(document: OverlayDocument, part: VariablePart): CsvRow[] {
  return overlaysOf(document).flatMap((rank) => (part === 'pvars' ? pvarRows(rank) : cvarRows(rank)));
}

function pvarRows({ rank, pvars }: RankOverlay): CsvRow[] {
  if (pvars === undefined || isUnavailable(pvars)) return [];
  return pvars.flatMap(({ name, class: itsClass, instances }) =>
    instances.flatMap(({ object, values, time }) =>
      isUnavailable(values)
        ? []
        : values.map((value, index) => row([rank, name, itsClass, objectOf(object), index], value, time)),
    ),
  );
}

function objectOf(object: { handle: string; name?: string } | undefined): string {
  return object?.name ?? object?.handle ?? '';
}

function cvarRows({ rank, cvars }: RankOverlay): CsvRow[] {
  if (cvars === undefined || isUnavailable(cvars)) return [];
  return cvars.flatMap(({ name, value }) => {
    if (isUnavailable(value)) return [];
    const values = typeof value === 'string' ? [value] : value;
    return values.map((each, index) => row([rank, name, '', '', index], each, undefined));
  });
}

function row(key: readonly (Integer | null)[], value: Integer, time: number | undefined): CsvRow {
  const cells = key.map((each) => csvCell(String(each ?? '')));
  return {
    key: cells.join(),
    value: String(value),
    line: `${[...cells, typeof value === 'number' ? String(value) : csvCell(value), time?.toFixed(6) ?? ''].join()}\n`,
  };
}
