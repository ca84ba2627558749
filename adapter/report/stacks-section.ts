/** The merged stacks: a branch wherever the stacks of ranks diverge, with the frames that they share. */
import type { StackNode } from '../../plugin-api/mpi/records';
import { html, type Html } from './html';
import { countRanks } from '../../plugin-api/mpi/rank-names';
import { inWorld } from '../../plugin-api/mpi/worlds';
import { rankBadge } from './rank-badge';
import type { Report } from './report';

export function stacksSection({ stacks: { tree }, processes, full }: Report): Html {
  if (tree.length === 0) return html`<p>No stack could be read.</p>`;
  return html`<p class="quiet">
      Outermost frames first; the number in brackets counts threads. Where ranks diverge, a branch with fewer than half
      of them is marked.${full ? undefined : notFull}
    </p>
    <ul class="branch forks">
      ${tree.map((node) => branch(node, processes.filter(({ world }) => world === node.world).length, node.world))}
    </ul>`;
}

const notFull = " Frames below MPI calls are left out, and threads known to be the MPI library's own (--full).";

/** `around`: the number of ranks that reach the start of this branch. */
function branch(first: StackNode, around: number, world: string | undefined): Html {
  const frames = [first];
  let last = first;
  for (let next = follower(last); next !== undefined; next = follower(last)) frames.push((last = next));
  const own = countRanks(first.ranks);
  const odd = 2 * own < around ? html` class="odd"` : undefined;
  const forks = last.children.map((child) => branch(child, own, world));
  const ranks = inWorld(world, first.ranks);
  return html` <li data-ranks="${ranks}">
    <details open${odd}>
      <summary>${rankBadge(ranks)} <span class="quiet">[${first.threads}]</span> <code>${way(frames)}</code></summary>
      <ol class="frames">
        ${frames.map(frameLine)}
      </ol>
      ${
        forks.length === 0
          ? undefined
          : html`<ul class="forks">
              ${forks}
            </ul>`
      }
    </details>
  </li>`;
}

/** The only child, if all threads go on to it: a stack of a thousand frames is one list, not a thousand levels. */
function follower({ ranks, threads, children }: StackNode): StackNode | undefined {
  const [child] = children;
  return children.length === 1 && child?.ranks === ranks && child.threads === threads ? child : undefined;
}

const maxNames = 6;

/** "main › exchange › MPI_Barrier" */
function way(frames: readonly StackNode[]): string {
  const names = frames.map(({ frame }) => frame.name);
  const shown = names.length > maxNames ? [...names.slice(0, maxNames - 2), '…', names.at(-1)!] : names;
  return shown.join(' › ');
}

function frameLine({ frame: { name, source, line, openmp } }: StackNode): Html {
  if (source === undefined) return html`<li class="frame">${name}${openmp && `, ${openmp}`}</li>`;
  const location = `${source}:${line ?? '?'}`;
  return html`<li class="frame">
    ${name} <span class="at" title="${location}">${location.replace(/^.*\//s, '')}</span>${openmp && `, ${openmp}`}
  </li>`;
}
