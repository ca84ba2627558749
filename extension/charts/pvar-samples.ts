/** The numbers of a performance variable to be charted: one for each rank, and for each object that it is bound to. */
import * as l10n from '@vscode/l10n';
import { pvarClassWords } from '../../plugin-api/answers/text/variables-text';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { OverlayDocument, Pvar, PvarClass } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { nameInSet, type RankName } from '../ranks/rank-numbers';
import type { ChartedVariable, PvarKey, RankSample } from './chart-messages';

function isSame(a: PvarKey, b: PvarKey): boolean {
  return a.name === b.name && a.class === b.class;
}

export function idOf({ name, class: itsClass }: PvarKey): string {
  return `${name} ${itsClass}`;
}

export function chartedVariable({ name, class: itsClass, datatype, description }: Pvar): ChartedVariable {
  const isCounter = counting.has(itsClass);
  return {
    ...{ id: idOf({ name, class: itsClass }), name, class: itsClass, description, isCounter },
    words: [pvarClassWords[itsClass], unitOf(itsClass, datatype)].filter((word) => word !== '').join(', '),
  };
}

const counting: ReadonlySet<PvarClass> = new Set(['COUNTER', 'AGGREGATE', 'TIMER']);

/** MPI_T says units of some classes only; of others the description may. */
function unitOf(itsClass: PvarClass, datatype: string): string {
  if (itsClass === 'TIMER')
    return datatype === 'MPI_DOUBLE' ? l10n.t('seconds') : l10n.t("ticks of the library's clock");
  return itsClass === 'PERCENTAGE' ? l10n.t('from 0 to 1') : '';
}

/** For a variable with several values, such as one for each peer: what they come to. */
function combined(itsClass: PvarClass, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  if (itsClass === 'HIGHWATERMARK' || itsClass === 'PERCENTAGE') return Math.max(...values);
  if (itsClass === 'LOWWATERMARK') return Math.min(...values);
  if (itsClass === 'STATE' || itsClass === 'GENERIC') return values[0];
  return values.reduce((sum, value) => sum + value, 0);
}

/** The samples of the ranks in which it is known. */
export function samplesOf(document: OverlayDocument, key: PvarKey): RankSample[] {
  return overlaysOf(document).flatMap(({ pvars, ...id }): RankSample[] => {
    const rank = nameInSet(id);
    const pvar = pvars === undefined || isUnavailable(pvars) ? undefined : pvars.find((each) => isSame(each, key));
    return rank === undefined || pvar === undefined ? [] : sampleOf(rank, pvar);
  });
}

function sampleOf(rank: RankName, { class: itsClass, instances }: Pvar): RankSample[] {
  const ofObject = new Map<string, number[]>();
  let time: number | undefined;
  for (const { object, objectFreed, values, time: read } of instances) {
    if (objectFreed === true || isUnavailable(values)) continue;
    const numbers = values.map(Number);
    // An address says nothing across ranks: those without a name are one.
    const labels = object === undefined ? [''] : ['', object.name || l10n.t('without a name')];
    for (const label of labels) ofObject.set(label, [...(ofObject.get(label) ?? []), ...numbers]);
    time = Math.max(time ?? 0, read ?? 0);
  }
  const values = [...ofObject].flatMap(([label, numbers]) => {
    const value = combined(itsClass, numbers);
    return value === undefined || !Number.isFinite(value) ? [] : [[label, value] as const];
  });
  return values.length === 0
    ? []
    : [{ rank, ...(time === undefined ? {} : { time }), values: Object.fromEntries(values) }];
}
