/**
 * Which INTEGER is which MPI handle, and why. Certain is what MPI itself says: an argument of an MPI routine, a predefined
 * handle assigned or compared, a TYPE of mpi_f08. From there kinds flow along assignments and arguments of the program's
 * own procedures. Where two kinds meet, both are told and none is chosen.
 */
import type { HandleKind } from '../mpi/records';
import { collectFacts, type Fact, type Facts, type Flow } from './facts';
import type { Entity, Program } from './program';
import type { Place } from './program-model';

/** Why: "third argument of MPI_Comm_dup" at a place; `via`: the way it came from there, the nearest step first. */
export interface Reason {
  readonly kind: HandleKind;
  readonly text: string;
  readonly place: Place;
  readonly via: readonly Step[];
}

export interface Step {
  readonly text: string;
  readonly place: Place;
}

export interface Inference {
  /** Missing where reasons contradict each other. */
  readonly kind: HandleKind | undefined;
  /** One for each kind that was found, the nearest first. */
  readonly reasons: readonly Reason[];
  /** Where MPI takes it for a plain INTEGER (a count, a tag, ierror), if it does. */
  readonly integer: Fact | undefined;
}

/**
 * How a kind came to a variable. `used`: MPI takes it for that; it holds for whatever is put into the variable. `value`: such a
 * value was put there; it holds from there on. `argument`: a caller passed such a value; other callers may pass others.
 */
type Mode = 'used' | 'value' | 'argument';

interface Known {
  mode: Mode;
  reasons: Map<HandleKind, Reason>;
}

export function inferHandles(program: Program): Map<Entity, Inference> {
  const found = collectFacts(program);
  const { flows } = found;
  const integers = new Map<Entity, Fact>();
  for (const fact of found.facts) {
    if (fact.kind === undefined && !integers.has(fact.entity)) integers.set(fact.entity, fact);
  }
  const numbers = numbersOf(found, integers);
  const facts = found.facts.filter(({ entity, kind }) => !(isMixed(entity, kind) && numbers.has(entity)));
  const known = new Map<Entity, Known>();
  begin(
    known,
    'used',
    facts.filter(({ ofCaller }) => !ofCaller),
  );
  spread(known, numbers, flows, 'used');
  spread(known, numbers, flows, 'value');
  begin(
    known,
    'argument',
    facts.filter(({ ofCaller, entity }) => ofCaller && !known.has(entity) && !numbers.has(entity)),
  );
  spread(known, numbers, flows, 'argument');
  return new Map(
    [...known].map(([entity, { reasons }]) => {
      const all = [...reasons.values()];
      return [
        entity,
        { kind: all.length === 1 ? all[0]?.kind : undefined, reasons: all, integer: integers.get(entity) },
      ];
    }),
  );
}

/** An array may be a heap of integers of which some elements are handles; a short one is a status, whose elements are numbers. */
function isMixed({ variable, declaredKind }: Entity, kind: HandleKind | undefined): boolean {
  const [first] = variable?.dimensions ?? [];
  return first !== undefined && declaredKind === undefined && !(kind === 'status' && /^\d{1,2}$/.test(first));
}

/**
 * What holds numbers: what the program calculates with, what MPI takes for a plain INTEGER, and all that these are assigned
 * to or from, or passed as. A variable that MPI itself takes for a handle is none, and nothing goes through it.
 */
function numbersOf({ facts, flows, numbers }: Facts, integers: ReadonlyMap<Entity, Fact>): ReadonlySet<Entity> {
  const handles = new Set(
    facts.flatMap(({ entity, kind }) => (kind === undefined || isMixed(entity, kind) ? [] : [entity])),
  );
  const found = new Set([...numbers, ...integers.keys()].filter((entity) => !handles.has(entity)));
  for (const entity of found) {
    for (const { from, to } of flows.get(entity) ?? []) {
      const other = from === entity ? to : from;
      // A set visits what is added meanwhile.
      if (other.isInteger && !handles.has(other)) found.add(other);
    }
  }
  return new Set([...found, ...integers.keys()]);
}

function begin(known: Map<Entity, Known>, mode: Mode, facts: readonly Fact[]): void {
  for (const { entity, kind, text, place } of facts) {
    if (kind === undefined) continue;
    let own = known.get(entity);
    if (own === undefined) known.set(entity, (own = { mode, reasons: new Map() }));
    if (!own.reasons.has(kind)) own.reasons.set(kind, { kind, text, place, via: [] });
  }
}

/** The mode in which a kind arrives along a flow; undefined: it does not go this way. */
function arrival(mode: Mode, flow: Flow, forwards: boolean): Mode | undefined {
  if (flow.what === 'assignment') {
    if (forwards) return mode === 'argument' ? 'argument' : 'value';
    return mode === 'used' ? 'used' : undefined;
  }
  // An argument: forwards is from the caller's variable to the dummy argument.
  if (forwards) return flow.intent === 'out' ? undefined : 'argument';
  return mode === 'argument' ? undefined : mode;
}

/** Carries kinds to variables that have none yet, breadth first, so that the nearest reason is the one told. */
function spread(
  known: Map<Entity, Known>,
  numbers: ReadonlySet<Entity>,
  flows: ReadonlyMap<Entity, readonly Flow[]>,
  arriving: Mode,
): void {
  let frontier = [...known.keys()].filter((entity) => flows.has(entity));
  while (frontier.length > 0) {
    const reached = new Map<Entity, Known>();
    for (const entity of frontier) {
      const { mode, reasons } = known.get(entity) as Known;
      const [reason, another] = reasons.values();
      if (reason === undefined || another !== undefined) continue;
      for (const flow of flows.get(entity) ?? []) {
        const forwards = flow.from === entity;
        const next = forwards ? flow.to : flow.from;
        if (arrival(mode, flow, forwards) !== arriving || known.has(next) || numbers.has(next) || !next.isInteger)
          continue;
        // `tag = status(MPI_TAG)`: what is no array is an element.
        if (reason.kind === 'status' && next.variable?.dimensions.length === 0) continue;
        let own = reached.get(next);
        if (own === undefined) reached.set(next, (own = { mode: arriving, reasons: new Map() }));
        if (own.reasons.has(reason.kind)) continue;
        own.reasons.set(reason.kind, { ...reason, via: [stepOf(flow, forwards), ...reason.via] });
      }
    }
    for (const [entity, own] of reached) known.set(entity, own);
    frontier = [...reached.keys()].filter((entity) => flows.has(entity));
  }
}

function stepOf({ what, from, to, place, procedure }: Flow, forwards: boolean): Step {
  if (what === 'assignment') return { text: forwards ? `assigned from ${from.name}` : `assigned to ${to.name}`, place };
  return {
    text: forwards ? `${from.name} is passed to ${procedure} as it` : `passed to ${procedure} as ${to.name}`,
    place,
  };
}

/** In one line: "third argument of MPI_Comm_dup, halo.f90:31 (passed to exchange as comm, main.f90:12)". */
export function describeReason({ text, place, via }: Reason): string {
  const at = ({ file, line }: Place): string => `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
  const way = via.map((step) => `${step.text}, ${at(step.place)}`).join('; ');
  return `${text}, ${at(place)}${way === '' ? '' : ` (${way})`}`;
}
