/** Who waits for whom, as a graph: the ranks in a circle, the culprits marked. */
import * as l10n from '@vscode/l10n';
import type { HangDocument, WaitingPosition } from '../../plugin-api/hang/hang-records';
import { nameOfRank } from '../ranks/rank-text';
import { wordOfPosition } from '../ranks/state-words';
import { edge, onCircle, radiusFor } from './circle';
import type { Picture, Shape } from './picture';

const node = { width: 150, height: 46 };
const margin = 20;
/** Of a larger job the culprits are drawn, with those that they wait for. */
const maxNodes = 24;
const maxText = 22;

export function hangPicture(document: HangDocument): Picture {
  const { culprits, sentence } = document;
  // Threads that wait beside the first one have no node of their own.
  const all = document.ranks.filter(
    (each): each is WaitingPosition & { rank: number } => !('error' in each) && each.rank !== null && each.thread === 1,
  );
  const shown = all.length <= maxNodes ? all : involved(all, culprits).slice(0, maxNodes);
  const radius = radiusFor(shown.length, node);
  const center = { x: margin + radius + node.width / 2, y: margin + radius + node.height / 2 };
  const places = new Map(shown.map(({ rank }, index) => [rank, onCircle(center, radius, index / shown.length)]));
  const arrows = shown.flatMap(({ rank, waitsFor = [], mode }) =>
    waitsFor.flatMap((other): Shape[] => {
      const [from, to] = [places.get(rank), places.get(other)];
      if (from === undefined || to === undefined || other === rank) return [];
      const look = mode === 'OR' && waitsFor.length > 1 ? 'waits for one of' : 'waits';
      return [{ kind: 'arrow', from: edge(from, to, node), to: edge(to, from, node), look }];
    }),
  );
  const boxes = shown.map((position): Shape => {
    const { rank, call, state, code } = position;
    const { x, y } = places.get(rank)!;
    const { file, line } = code ?? {};
    return {
      kind: 'rank',
      ...{ x: x - node.width / 2, y: y - node.height / 2, ...node, look: culprits.includes(rank) ? 'fault' : 'plain' },
      texts: [nameOfRank(rank), (call ?? wordOfPosition(state)).slice(0, maxText)],
      target: { ranks: String(rank), ...(file === undefined || line === undefined ? {} : { source: { file, line } }) },
    };
  });
  return {
    title: l10n.t('Who waits for whom'),
    lines: [
      sentence,
      l10n.t('A solid arrow: waits for all of them. A dashed one: for one of them. Marked: the ranks to look at.'),
      ...(shown.length < all.length ? [l10n.t('{0} of {1} ranks are drawn.', shown.length, all.length)] : []),
    ],
    width: 2 * (radius + margin) + node.width,
    height: 2 * (radius + margin) + node.height,
    shapes: [...arrows, ...boxes],
  };
}

function involved<T extends WaitingPosition & { rank: number }>(all: readonly T[], culprits: readonly number[]): T[] {
  const waitedFor = new Set(all.filter(({ rank }) => culprits.includes(rank)).flatMap(({ waitsFor = [] }) => waitsFor));
  const weight = ({ rank }: T): number => (culprits.includes(rank) ? 2 : waitedFor.has(rank) ? 1 : 0);
  return [...all].sort((a, b) => weight(b) - weight(a) || a.rank - b.rank);
}
