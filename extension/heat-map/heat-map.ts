/** A performance variable with several values, such as one for each peer, as a table: ranks by values. */
import * as l10n from '@vscode/l10n';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { OverlayDocument, Pvar, PvarClass, PvarInstance } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { nameInSet, type RankName } from '../ranks/rank-numbers';

export interface HeatMap {
  title: string;
  description: string;
  /** What a column is. */
  column: 'peer' | 'element';
  /** What the variable is bound to, to choose from. */
  objects: string[];
  object: string;
  rows: { rank: RankName; values: number[] }[];
  /** How many ranks and columns there are beyond those that are shown. */
  omitted: { ranks: number; columns: number };
}

export type FromHeatMap = { kind: 'object'; object: string } | { kind: 'rank'; rank: RankName };

const maxSide = 128;

export function hasSeveralValues({ instances }: Pvar): boolean {
  return instances.some(({ count }) => count > 1);
}

/** Undefined: no rank has such values. `wanted`: shown if it is there; else the object with the greatest values. */
export function heatMapOf(
  document: OverlayDocument,
  key: { name: string; class: PvarClass },
  wanted: string | undefined,
): HeatMap | undefined {
  const known = overlaysOf(document).flatMap(({ pvars, ...id }) => {
    const rank = nameInSet(id);
    const pvar =
      pvars === undefined || isUnavailable(pvars)
        ? undefined
        : pvars.find((each) => each.name === key.name && each.class === key.class);
    return rank === undefined || pvar === undefined ? [] : [{ rank, world: id.world, pvar }];
  });
  const live = known.map(({ rank, world, pvar }) => ({
    rank,
    instances: pvar.instances.filter(isShown).map((each) => ({ ...each, label: labelOf(each, world) })),
  }));
  const objects = [...new Set(live.flatMap(({ instances }) => instances.map(({ label }) => label)))];
  const totals = new Map(objects.map((label) => [label, total(live, label)]));
  const [busiest] = [...objects].sort((a, b) => totals.get(b)! - totals.get(a)!);
  const object = wanted !== undefined && objects.includes(wanted) ? wanted : busiest;
  const [first] = known;
  if (object === undefined || first === undefined) return undefined;
  const rows = live.flatMap(({ rank, instances }) => {
    const values = instances.find(({ label }) => label === object)?.values ?? [];
    return isUnavailable(values) || values.length === 0 ? [] : [{ rank, values: values.map(Number) }];
  });
  const columns = Math.max(0, ...rows.map(({ values }) => values.length));
  return {
    ...{ title: key.name, description: first.pvar.description, objects, object },
    column: first.pvar.bind === 'COMM' ? 'peer' : 'element',
    rows: rows.slice(0, maxSide).map(({ rank, values }) => ({ rank, values: values.slice(0, maxSide) })),
    omitted: { ranks: Math.max(0, rows.length - maxSide), columns: Math.max(0, columns - maxSide) },
  };
}

function total(ranks: readonly { instances: readonly (PvarInstance & { label: string })[] }[], wanted: string): number {
  const values = ranks.flatMap(({ instances }) =>
    instances.flatMap(({ label, values: of }) => (label === wanted && !isUnavailable(of) ? of : [])),
  );
  return values.reduce<number>((sum, value) => sum + Number(value), 0);
}

function isShown({ count, objectFreed, values }: PvarInstance): boolean {
  return count > 1 && objectFreed !== true && !isUnavailable(values);
}

/**
 * An address says nothing across ranks: of those without a name the first one is shown. `world`: where the job has several. A
 * communicator's name says nothing across worlds: each has its own MPI_COMM_WORLD, with other peers.
 */
function labelOf({ object }: PvarInstance, world: string | undefined): string {
  if (object === undefined) return '';
  const name = object.name || l10n.t('without a name');
  return world === undefined ? name : l10n.t('{0} of world {1}', name, world);
}
