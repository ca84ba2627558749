/** The wait-for graph in the language of Graphviz. */
import { visible } from '../visible-text';
import type { HangDocument } from './hang-records';

/** Solid edges: waits for all of them; dashed ones: for one of them. Culprits are filled. */
export function dotOf({ ranks, culprits, sentence }: HangDocument): string {
  const lines = ranks.flatMap((rank) => {
    if ('error' in rank || rank.rank === null) return [];
    const { state, call = state, where, waitsFor = [], mode, thread } = rank;
    const label = `rank ${rank.rank}${thread === 1 ? '' : ` thread ${thread}`}\n${call}${where === undefined ? '' : `\n${where}`}`;
    const fill = culprits.includes(rank.rank) ? ', style=filled, fillcolor=lightpink' : '';
    const style = mode === 'OR' && waitsFor.length > 1 ? ' [style=dashed]' : '';
    const node = thread === 1 ? `r${rank.rank}` : `r${rank.rank}t${thread}`;
    return [
      `  ${node} [label=${quoted(label)}${fill}];`,
      ...waitsFor.map((other) => `  ${node} -> r${other}${style};`),
    ];
  });
  return `digraph hang {\n  label=${quoted(sentence)};\n  node [shape=box];\n${lines.join('\n')}\n}\n`;
}

function quoted(text: string): string {
  const lines = text.split('\n').map((line) => visible(line).replace(/[\\"]/g, '\\$&'));
  return `"${lines.join('\\n')}"`;
}
