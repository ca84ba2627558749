/** Splits what one file says into what it decides alone and what takes part in the inference of the whole program. */
import { collectFacts, type Facts } from './facts';
import { inferHandles, type Inference } from './infer';
import type { Entity, LinkedFile, Program } from './program';
import type { NumberUse } from './number-names';
import { isVisible } from './visible-names';

export interface FileInference {
  /** Facts about variables that no other file can reach, not even through their flows. */
  readonly closed: ReadonlyMap<Entity, Inference>;
  /** Of all others. */
  readonly open: Facts;
  /** Of the plain INTEGERs that the file gives to MPI. */
  readonly uses: ReadonlyMap<Entity, readonly NumberUse[]>;
}

export function inferFile(program: Program, file: LinkedFile): FileInference {
  const all = collectFacts(program, file);
  const open = openEntities(all, file);
  const isOpen = ({ entity }: { entity: Entity }): boolean => open.has(entity);
  const closed = inferHandles([
    {
      facts: all.facts.filter((fact) => !isOpen(fact)),
      flows: all.flows.filter(({ from }) => !open.has(from)),
      numbers: new Map([...all.numbers].filter(([entity]) => !open.has(entity))),
    },
  ]);
  return {
    uses: usesIn(all),
    closed,
    open: {
      facts: all.facts.filter(isOpen),
      flows: all.flows.filter(({ from }) => open.has(from)),
      numbers: new Map([...all.numbers].filter(([entity]) => open.has(entity))),
    },
  };
}

function usesIn({ facts }: Facts): Map<Entity, NumberUse[]> {
  const uses = new Map<Entity, NumberUse[]>();
  for (const { entity, argument, text, location } of facts) {
    if (argument === undefined) continue;
    const known = uses.get(entity);
    if (known === undefined) uses.set(entity, [{ argument, text, location }]);
    else known.push({ argument, text, location });
  }
  return uses;
}

/** What other files can reach, and everything connected with it by flows. */
function openEntities({ facts, flows, numbers }: Facts, file: LinkedFile): ReadonlySet<Entity> {
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
    [...facts.map(({ entity }) => entity), ...numbers.keys(), ...neighbours.keys()].filter((e) => !isLocal(e)),
  );
  // Iterating a set also visits items added meanwhile.
  for (const entity of open) for (const other of neighbours.get(entity) ?? []) open.add(other);
  return open;
}
