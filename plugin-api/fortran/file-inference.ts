/** Splits one file's evidence into the part that is decided by the file alone and the part for the whole program. */
import { collectClues, type FileClues } from './clues';
import { inferHandles, type Inference } from './infer';
import type { Entity, LinkedFile, Program } from './program';
import type { NumberUse } from './number-names';
import { isVisible } from './visible-names';

export interface FileInference {
  /** Results for variables that no other file can reach, not even through flows. */
  readonly closed: ReadonlyMap<Entity, Inference>;
  /** Evidence about all other variables. */
  readonly open: FileClues;
  /** The uses of variables that the file passes to MPI as plain INTEGERs. */
  readonly uses: ReadonlyMap<Entity, readonly NumberUse[]>;
}

export function inferFile(program: Program, file: LinkedFile): FileInference {
  const all = collectClues(program, file);
  const open = openEntities(all, file);
  const isOpen = ({ entity }: { entity: Entity }): boolean => open.has(entity);
  const closed = inferHandles([
    {
      clues: all.clues.filter((clue) => !isOpen(clue)),
      flows: all.flows.filter(({ from }) => !open.has(from)),
      numbers: new Map([...all.numbers].filter(([entity]) => !open.has(entity))),
    },
  ]);
  return {
    uses: usesIn(all),
    closed,
    open: {
      clues: all.clues.filter(isOpen),
      flows: all.flows.filter(({ from }) => open.has(from)),
      numbers: new Map([...all.numbers].filter(([entity]) => open.has(entity))),
    },
  };
}

function usesIn({ clues }: FileClues): Map<Entity, NumberUse[]> {
  const uses = new Map<Entity, NumberUse[]>();
  for (const { entity, argument, text, location } of clues) {
    if (argument === undefined) continue;
    const known = uses.get(entity);
    if (known === undefined) uses.set(entity, [{ argument, text, location }]);
    else known.push({ argument, text, location });
  }
  return uses;
}

/** Variables that other files can reach, and all variables connected with them by flows. */
function openEntities({ clues, flows, numbers }: FileClues, file: LinkedFile): ReadonlySet<Entity> {
  const isLocal = ({ scope, name }: Entity): boolean =>
    scope.file === file && !name.includes('%') && !isVisible(scope.scope, name);
  const neighbours = new Map<Entity, Entity[]>();
  const connect = (one: Entity, other: Entity): void => {
    const known = neighbours.get(one);
    if (known === undefined) neighbours.set(one, [other]);
    else known.push(other);
  };
  for (const { from, to } of flows) {
    connect(from, to);
    connect(to, from);
  }
  const open = new Set(
    [...clues.map(({ entity }) => entity), ...numbers.keys(), ...neighbours.keys()].filter((e) => !isLocal(e)),
  );
  // Iterating a set also visits items added meanwhile.
  for (const entity of open) for (const other of neighbours.get(entity) ?? []) open.add(other);
  return open;
}
