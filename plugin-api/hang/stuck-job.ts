/** The part of a job that is stuck: what all rules look at that look for the mistake. */
import { groupedBy } from '../grouped-by';
import { onceFor } from '../once';
import { operationOf } from './calls';
import { lastParts, unionOf } from './cycles';
import type { HangType } from './hang-records';
import type { NearMiss } from './near-misses';
import { happensFor, isLeaving, type WaitForGraph } from './wait-for-graph';
import type { BlockDisagreement, Need, Wait } from './need';

/** One need of a thread that nobody will meet. */
export interface StuckNeed {
  wait: Wait;
  need: Need;
}

export interface Cause {
  type: HangType;
  /** Processes. */
  culprits: readonly number[];
  /** What the mistake is seen in, the most telling first; all others queue behind it. */
  needs: readonly StuckNeed[];
  /** For each of `needs`. */
  nearMisses?: readonly NearMiss[];
  /** For each of `needs`: the block that it waits for. */
  blocks?: readonly BlockDisagreement[];
  /** Messages of the operation that show other roots. */
  strays?: readonly { from: number; to: number }[];
  /** Others have been through more operations of the communicator. */
  isPassed?: boolean;
  /** The culprits are not in the operation, and have not taken a message of it that `from` has sent. `root`: of one that spreads, which has left it. */
  untaken?: { at: number; from: number; root?: number };
  /** The culprit has a persistent request for what is waited for, and has not started it. */
  isNeverStarted?: boolean;
}

export interface Stuck extends StuckNeed {
  process: number;
}

export function stuckOf({ wait, need }: StuckNeed): Stuck {
  return { process: wait.process, wait, need };
}

export type Rule = (stuck: StuckJob) => Omit<Cause, 'type'> | undefined;

/** What all rules look at. */
export class StuckJob {
  /** The needs of all processes that are stuck. */
  readonly needs: readonly Stuck[];
  private readonly needsOf: ReadonlyMap<number, readonly Stuck[]>;
  /** Those that wait for nobody who just queues: a ring of processes, or those who wait for one that has left. */
  readonly last: readonly Stuck[];
  /** The processes of those rings, and those that have left and are waited for. */
  readonly end: ReadonlySet<number>;
  private readonly leaving: ReadonlySet<number>;

  constructor(readonly graph: WaitForGraph) {
    const { free, waits } = graph;
    this.needs = [...graph.stuck].flatMap((process) =>
      graph.waitsOf[process]!.flatMap((wait) =>
        wait.needs
          .filter((need) => need.kind !== 'thread' && !happensFor(need, free))
          .map((need) => ({ process, wait, need })),
      ),
    );
    this.needsOf = groupedBy(this.needs, ({ process }) => process);
    const notFree = onceFor((on: Need['on']) => on.filter((other) => !free.has(other)));
    const next = (process: number): Need['on'][] =>
      (this.needsOf.get(process) ?? []).map(({ need }) => notFree(need.on));
    this.leaving = new Set(waits.processes.flatMap((state, process) => (isLeaving(state) ? [process] : [])));
    const reached = unionOf([...graph.stuck].flatMap(next));
    const nodes = [...graph.stuck, ...[...this.leaving].filter((process) => reached.has(process))];
    this.end = new Set(lastParts(nodes, next).flat());
    const isLeft = onceFor((on: Need['on']) => on.some((other) => this.end.has(other) && this.hasLeft(other)));
    this.last = this.needs.filter(({ process, need }) => this.end.has(process) || isLeft(need.on));
  }

  /** Whether it has a need that nobody will meet. */
  isStuck(process: number): boolean {
    return this.needsOf.has(process);
  }

  hasLeft(process: number): boolean {
    return this.leaving.has(process);
  }

  /** Whether the process is in the same operation, and waits in it too. */
  isInSame(process: number, wait: Wait, { comm }: Need): boolean {
    return (this.needsOf.get(process) ?? []).some(
      (each) =>
        operationOf(each.wait.call) === operationOf(wait.call) &&
        [each.need.comm, this.graph.waits.comms.of(process, each.wait.position.comm)].some(
          (its) => its?.key === comm?.key,
        ),
    );
  }

  /** Who a need waits for, of those who will never come. */
  missing({ on }: Need): readonly number[] {
    return this.atEnd(on);
  }

  private readonly atEnd = onceFor((on: Need['on']) => on.filter((process) => this.end.has(process)));
}

/** Where things that should be equal are not: the minority is wrong, or nobody knows who. */
export function disagreement<Of extends Stuck>(
  needs: readonly Of[],
  of: (need: Of) => string,
  about: (need: Of) => string,
  votes: (group: readonly Of[]) => number = (group) => new Set(group.map(({ process }) => process)).size,
): Omit<Cause, 'type'> | undefined {
  for (const same of groupedBy(needs, of).values()) {
    const groups = [...groupedBy(same, about).values()].sort((a, b) => votes(b) - votes(a));
    const [first, second] = groups;
    if (first === undefined || second === undefined) continue;
    const wrong = votes(first) > votes(second) ? groups.slice(1) : groups;
    const told = [...wrong].reverse().flat();
    return {
      culprits: wrong.flat().map(({ process }) => process),
      needs: [...told, ...same.filter((each) => !told.includes(each))],
    };
  }
  return undefined;
}

/** Those who are on one side, if they are fewer than the other members; else nobody knows who is wrong. */
export function minority(side: readonly number[], { comm }: Need): number[] {
  const some = [...new Set(side)];
  const members = comm!.members.filter((member) => member !== undefined);
  return 2 * some.length < members.length ? some : members;
}

export function isCollective({ kind, comm }: Need): boolean {
  return kind === 'collective' && comm !== undefined;
}
