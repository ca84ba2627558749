/** The wait-for graph in the language of Graphviz. */
import { inWorld } from '../mpi/worlds';
import { visible } from '../visible-text';
import type { HangDocument } from './hang-records';

/** Solid edges: waits for all of them; dashed ones: for one of them. Culprits are filled. */
export function dotOf({ ranks, culprits, culpritRanks, sentence }: HangDocument): string {
  const filled = new Set((culpritRanks ?? culprits.map((rank) => ({ rank }))).map(nodeOf));
  const lines = ranks.flatMap((rank) => {
    if ('error' in rank || rank.rank === null) return [];
    const { state, call = state, where, waitsFor = [], waitsForRanks, mode, thread } = rank;
    const own = nodeOf({ ...rank, rank: rank.rank });
    const name = `rank ${inWorld(rank.world, String(rank.rank))}`;
    const label = `${name}${thread === 1 ? '' : ` thread ${thread}`}\n${call}${where === undefined ? '' : `\n${where}`}`;
    const fill = filled.has(own) ? ', style=filled, fillcolor=lightpink' : '';
    const others = (waitsForRanks ?? waitsFor.map((other) => ({ rank: other }))).map(nodeOf);
    const style = mode === 'OR' && others.length > 1 ? ' [style=dashed]' : '';
    const node = thread === 1 ? own : `${own}t${thread}`;
    return [`  ${node} [label=${quoted(label)}${fill}];`, ...others.map((other) => `  ${node} -> ${other}${style};`)];
  });
  return `digraph hang {\n  label=${quoted(sentence)};\n  node [shape=box];\n${lines.join('\n')}\n}\n`;
}

/** "r3", and in other worlds than the launcher's own "w0_1r3". */
function nodeOf({ rank, world }: { rank: number; world?: string }): string {
  return inWorld(world, `r${rank}`).replace(/^(.+):/, (_, name: string) => `w${name.replace(/\./g, '_')}`);
}

function quoted(text: string): string {
  const lines = text.split('\n').map((line) => visible(line).replace(/[\\"]/g, '\\$&'));
  return `"${lines.join('\\n')}"`;
}
