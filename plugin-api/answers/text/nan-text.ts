/** Where NaN and infinities are, as people read it: a row for each variable and group of ranks. */
import { counted } from '../../counted';
import { visibleListing } from '../../visible-text';
import { mergeEqual } from '../merge';
import type { FoundNan, LookedAt, NanDocument, NotLookedAt } from '../nan-records';
import { inColumns, type Row } from './labelled-rows';
import { table, unopenedLines } from './rank-table';

/** The limit for variables in which there is one, and for those that were not looked at. */
const maxRows = 40;

/** `full`: every row. */
export function nanText({ found, notLookedAt, lookedAt, errors }: NanDocument, full = false): string {
  const rows = full ? found : found.slice(0, maxRows);
  const failed = errors.filter(({ core, pid }) => core === undefined || pid !== undefined);
  return visibleListing([
    ...inColumns(rows.map(rowOf)),
    ...moreLine(found.length - rows.length, 'variable'),
    ...(found.length === 0 && lookedAt.some(({ variables }) => variables > 0) ? ['no NaN and no infinity'] : []),
    ...lookedAt.map((looked) => `looked at: ${lookedAtText(looked)}`),
    ...notLookedAtLines(notLookedAt, full),
    ...table(mergeEqual(failed.map((rank) => ({ rank, text: rank.error.reason })))),
    ...unopenedLines({ ranks: errors }),
  ]);
}

/** `u  2  u(17,3:5): 3 NaN of 3072 · sweep (relax.f90:41)` */
function rowOf(found: FoundNan): Row {
  return { label: found.expression, ranks: found.ranks, text: foundText(found) };
}

/** Without the name of the variable and the ranks. */
function foundText(found: FoundNan): string {
  const { nans, infinities, elements, isAtMost, first, value, box, isPartial, mayLieBeyondEnd } = found;
  const place = placeText(found);
  if (elements === 1 && box === undefined) return `${value}${place}`;
  const counts = [
    ...(nans > 0 ? [`${nans} NaN`] : []),
    ...(infinities > 0 ? [counted(infinities, 'infinity').replace(/infinitys$/, 'infinities')] : []),
  ].join(' and ');
  const where = box?.isFull === true ? box.expression : `first ${first} = ${value}`;
  const within = box === undefined || box.isFull ? '' : `, all in ${box.expression}`;
  const doubt = mayLieBeyondEnd === true ? ', perhaps beyond the end of what was allocated' : '';
  const cut = isPartial === true ? ', the rest was not looked at' : '';
  return `${where}, ${counts} of ${isAtMost === true ? 'at most ' : ''}${elements}${within}${doubt}${cut}${place}`;
}

function placeText({ function: name, thread, source }: Pick<FoundNan, 'function' | 'thread' | 'source'>): string {
  const line = source === undefined ? '' : `${source.file.replace(/^.*\//s, '')}:${source.line}`;
  const scope = name ?? 'global';
  return ` · ${scope}${thread === undefined ? '' : ` of thread ${thread}`}${line === '' ? '' : ` (${line})`}`;
}

/** "14 variables, 3072 numbers in ranks 0-3" */
function lookedAtText({ ranks, variables, elements, isPartial }: LookedAt): string {
  const rest = isPartial === true ? ', not all: a bound was reached' : '';
  return `${counted(variables, 'variable')} with ${counted(elements, 'number')} in ${ranks}${rest}`;
}

function notLookedAtLines(left: readonly NotLookedAt[], full: boolean): string[] {
  const rows = full ? left : left.slice(0, maxRows);
  if (left.length === 0) return [];
  const lines = inColumns(
    rows.map(({ expression, ranks, function: name, reason }) => ({
      label: `  ${expression}`,
      ranks,
      text: name === undefined ? reason : `${reason} · ${name}`,
    })),
  );
  return ['not looked at:', ...lines, ...moreLine(left.length - rows.length, 'variable')];
}

function moreLine(left: number, noun: string): string[] {
  return left > 0 ? [`and ${counted(left, `other ${noun}`)}: see --full`] : [];
}
