/**
 * What to ask for instead of a Fortran array of assumed size, `statuses(MPI_STATUS_SIZE,*)`, whose end is unknown here.
 */
import { isOfIntegers, dimensions, lowBounds } from '../gdb/fortran-type';
import type { Asked, FoundHandle, Wanted } from './found-handle';

type Find = (asked: Asked, wanted: Wanted | undefined) => Promise<FoundHandle[]>;

export function isOfAssumedSize(type: string | undefined): boolean {
  return dimensions(type).at(-1)?.endsWith('*') === true;
}

/** Why the whole has no handle, with an expression that has been tried; `find`: the handles of such an expression. */
export async function whyNotTheWhole(
  type: string | undefined,
  asked: Asked,
  wanted: Wanted | undefined,
  find: Find,
): Promise<string> {
  const why = `its type is ${type}, whose size only the caller knows`;
  for (const part of partsOf(type, wanted?.kind === 'status')) {
    if (await hasHandle(find, asked, part, wanted))
      return `${why}: ask for a part, as in ${asked.prefix}${asked.text}${part}`;
  }
  const element = partsOf(type, false)[0]!;
  if (wanted !== undefined || !isOfIntegers(type)) return `${why}, and its elements hold no MPI handles`;
  return `${why}: ask for an element and name its kind, as in comm.f:${asked.text}${element}`;
}

/** The first element, and the first column, which is what a status is. */
function partsOf(type: string | undefined, isStatus: boolean): string[] {
  const first = lowBounds(type);
  const element = `(${first.join(',')})`;
  if (first.length < 2) return [element];
  const column = `(:,${first.slice(1).join(',')})`;
  return isStatus ? [column] : [element, column];
}

async function hasHandle(find: Find, { prefix, text, source }: Asked, part: string, wanted?: Wanted): Promise<boolean> {
  const found = await find({ prefix, text: `${text}${part}`, source: `${source}${part}` }, wanted);
  return found.some((each) => each.kind === 'handle' || each.code !== 'MPIDBG_ERR_NOT_SUPPORTED');
}
