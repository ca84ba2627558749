/** Who waits for whom, as a graph: the ranks in a circle, the culprits marked. */
import * as l10n from '@vscode/l10n';
import { groupedBy } from '../../plugin-api/grouped-by';
import type { HangDocument, WaitingPosition } from '../../plugin-api/hang/hang-records';
import { isCulpritOf } from '../../plugin-api/hang/culprits';
import { compareWorlds } from '../../plugin-api/mpi/worlds';
import { nameInSet } from '../ranks/rank-numbers';
import { nameOfRank } from '../ranks/rank-text';
import { wordOfPosition } from '../ranks/state-words';
import type { RowTarget } from '../ranks/row-target';
import { edge, onCircle, radiusFor } from './circle';
import type { Picture, Shape } from './picture';

const node = { width: 150, height: 46 };
const margin = 20;
/** For a larger job only the culprits are drawn, with those that they wait for. */
const maxNodes = 24;
const maxText = 22;

export function hangPicture(document: HangDocument): Picture {
  const { sentence } = document;
  const isCulprit = isCulpritOf(document);
  // Threads that wait beside the first one have no node of their own.
  const all = document.ranks.filter(
    (each): each is WaitingPosition & { rank: number } => !('error' in each) && each.rank !== null && each.thread === 1,
  );
  const shown = all.length <= maxNodes ? all : involved(all, isCulprit).slice(0, maxNodes);
  const radius = radiusFor(shown.length, node);
  const center = { x: margin + radius + node.width / 2, y: margin + radius + node.height / 2 };
  const places = new Map(shown.map((of, index) => [nameInSet(of), onCircle(center, radius, index / shown.length)]));
  const arrows = shown.flatMap((position) =>
    waitedFor(position).flatMap((other, _, others): Shape[] => {
      const name = nameInSet(position);
      const [from, to] = [places.get(name), places.get(other)];
      if (from === undefined || to === undefined || other === name) return [];
      const look = position.mode === 'OR' && others.length > 1 ? 'waits for one of' : 'waits';
      return [{ kind: 'arrow', from: edge(from, to, node), to: edge(to, from, node), look }];
    }),
  );
  const boxes = shown.map((position): Shape => {
    const { call, state } = position;
    const name = nameInSet(position)!;
    const { x, y } = places.get(name)!;
    return {
      kind: 'rank',
      ...{ x: x - node.width / 2, y: y - node.height / 2, ...node, look: isCulprit(position) ? 'fault' : 'plain' },
      texts: [nameOfRank(name), (call ?? wordOfPosition(state)).slice(0, maxText)],
      target: targetOf(position, name),
    };
  });
  return {
    title: l10n.t('Who waits for whom'),
    lines: [],
    // The ranks are seen first, in a small window too: the view in the panel tells the sentence.
    below: [
      sentence,
      l10n.t('A solid arrow: waits for all of them. A dashed one: for one of them. Marked: the ranks to look at.'),
      ...(shown.length < all.length ? [l10n.t('{0} of {1} ranks are drawn.', shown.length, all.length)] : []),
    ],
    links: placesIn(document),
    width: 2 * (radius + margin) + node.width,
    height: 2 * (radius + margin) + node.height,
    shapes: [...arrows, ...boxes],
  };
}

/** The lines that the sentence names: each leads there, and to the first rank in it, of those to look at if one is there. */
function placesIn(document: HangDocument): { text: string; target: RowTarget }[] {
  const isCulprit = isCulpritOf(document);
  const positions = document.ranks.filter((each): each is WaitingPosition => !('error' in each));
  const inOrder = [...positions.filter(isCulprit), ...positions.filter((each) => !isCulprit(each))];
  const byPlace = groupedBy(inOrder, ({ where }) => where);
  return [...byPlace].flatMap(([text, [first]]) => {
    const name = first && nameInSet(first);
    return text === undefined || name === undefined ? [] : [{ text, target: targetOf(first!, name) }];
  });
}

function targetOf({ code }: WaitingPosition, ranks: string): RowTarget {
  const { file, line } = code ?? {};
  return { ranks, ...(file === undefined || line === undefined ? {} : { source: { file, line } }) };
}

function involved<T extends WaitingPosition & { rank: number }>(
  all: readonly T[],
  isCulprit: (rank: T) => boolean,
): T[] {
  const waited = new Set<string | undefined>(all.filter(isCulprit).flatMap(waitedFor));
  const weight = (rank: T): number => (isCulprit(rank) ? 2 : waited.has(nameInSet(rank)) ? 1 : 0);
  return [...all].sort((a, b) => weight(b) - weight(a) || compareWorlds(a.world, b.world) || a.rank - b.rank);
}

/** Whom it waits for, as nameInSet names them. */
function waitedFor({ waitsFor = [], waitsForRanks }: WaitingPosition): string[] {
  return (waitsForRanks ?? waitsFor.map((rank) => ({ rank }))).flatMap((each) => nameInSet(each) ?? []);
}
