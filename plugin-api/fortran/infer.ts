/**
 * Which INTEGER is which MPI handle, and why. MPI itself gives certainty: an argument of an MPI routine, a predefined
 * handle assigned or compared, a TYPE of mpi_f08. From there kinds flow along assignments and arguments of the
 * program's own procedures. Where two kinds meet, both are reported and neither is chosen.
 */
import type { HandleKind } from '../mpi/records';
import type { Fact, Facts, Flow } from './facts';
import type { Entity } from './program';
import type { SourceLocation } from './program-model';

/** Why: "third argument of MPI_Comm_dup" at a place; `via`: the way it came from there, the nearest step first. */
export interface Reason {
  readonly kind: HandleKind;
  readonly text: string;
  readonly location: SourceLocation;
  readonly via: readonly Step[];
}

export interface Step {
  readonly text: string;
  readonly location: SourceLocation;
}

export interface Inference {
  /** Missing where reasons contradict each other, and for an array in which only some elements are handles. */
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

/** With the numbers of its variables. */
interface NumberedFact {
  readonly number: number;
  readonly kind: HandleKind;
  readonly fact: Fact;
}

interface NumberedFlow {
  readonly from: number;
  readonly to: number;
  readonly flow: Flow;
}

interface Known {
  readonly mode: Mode;
  readonly reasons: Map<HandleKind, Reason>;
  /** Of an array: MPI takes all of it for that, not only an element. */
  isWhole: boolean;
}

/** What all files say together. */
export function inferHandles(files: Iterable<Facts>): Map<Entity, Inference> {
  const inferrer = new Inferrer();
  for (const file of files) inferrer.add(file);
  return inferrer.infer();
}

/** An array may be a heap of integers of which some elements are handles; a short one is a status, whose elements are numbers. */
function isMixed({ variable, declaredKind }: Entity, kind: HandleKind | undefined): boolean {
  const [first] = variable?.dimensions ?? [];
  return first !== undefined && declaredKind === undefined && !(kind === 'status' && /^\d{1,2}$/.test(first));
}

/** Variables are numbered in the order in which they are met; what is known of each is kept in arrays. */
class Inferrer {
  private readonly numbered = new Map<Entity, number>();
  private readonly entities: Entity[] = [];
  private readonly flows: NumberedFlow[][] = [];
  private facts: NumberedFact[] = [];
  private readonly integers: (Fact | undefined)[] = [];
  /** Variables that hold numbers, and the evidence: no kind flows here. */
  private readonly number: (Step | undefined)[] = [];
  private readonly known: (Known | undefined)[] = [];
  /** Of what is known, in the order in which it became so. */
  private readonly order: number[] = [];

  add({ facts, flows, numbers }: Facts): void {
    for (const fact of facts) {
      const entity = this.numberOf(fact.entity);
      if (fact.kind === undefined) this.integers[entity] ??= fact;
      else this.facts.push({ number: entity, kind: fact.kind, fact });
    }
    for (const flow of flows) {
      const numbered = { from: this.numberOf(flow.from), to: this.numberOf(flow.to), flow };
      this.flows[numbered.from]?.push(numbered);
      if (numbered.to !== numbered.from) this.flows[numbered.to]?.push(numbered);
    }
    for (const [entity, location] of numbers)
      this.number[this.numberOf(entity)] ??= { text: 'the program uses it for numbers too', location };
  }

  infer(): Map<Entity, Inference> {
    this.findNumbers();
    const isUsable = ({ number, kind, fact }: NumberedFact): boolean =>
      this.number[number] === undefined || !isMixed(fact.entity, kind);
    const usable = this.facts.filter(isUsable);
    const ofCallers = usable.filter(({ fact }) => fact.ofCaller);
    this.begin(
      'used',
      usable.filter(({ fact }) => !fact.ofCaller),
    );
    this.spread('used');
    this.spread('value');
    this.begin(
      'argument',
      ofCallers.filter(({ number }) => this.known[number] === undefined && this.number[number] === undefined),
    );
    this.spread('argument');
    this.agreeOnArrays();
    this.spread('argument');
    const inferences = new Map(this.order.map((number) => [this.entities[number] as Entity, this.inference(number)]));
    for (const each of this.facts) {
      if (!each.fact.ofCaller && !isUsable(each)) inferences.set(each.fact.entity, this.mixture(each));
    }
    return inferences;
  }

  private inference(number: number): Inference {
    const reasons = [...(this.known[number] as Known).reasons.values()];
    const kind = reasons.length === 1 ? reasons[0]?.kind : undefined;
    return { kind, reasons, integer: this.integers[number] };
  }

  /** Some elements are handles: reported, with the reason why others are not. */
  private mixture({ number, kind, fact: { text, location } }: NumberedFact): Inference {
    const numbers = this.number[number];
    const via = numbers === undefined ? [] : [{ ...numbers, text: `but not all of it: ${numbers.text}` }];
    return { kind: undefined, reasons: [{ kind, text, location, via }], integer: this.integers[number] };
  }

  private numberOf(entity: Entity): number {
    let number = this.numbered.get(entity);
    if (number !== undefined) return number;
    number = this.entities.length;
    this.numbered.set(entity, number);
    this.entities.push(entity);
    this.flows.push([]);
    this.integers.push(undefined);
    this.number.push(undefined);
    this.known.push(undefined);
    return number;
  }

  /**
   * What holds numbers: what the program calculates with, what MPI takes for a plain INTEGER, and all that these are assigned
   * to or from, or passed as. A variable that MPI itself takes for a handle is none, and nothing goes through it. Of an array
   * that a procedure calculates with, the caller may know better: there it may be requests.
   */
  private findNumbers(): void {
    const isHandle: boolean[] = [];
    const isArrayOfHandles: boolean[] = [];
    for (const { number, kind, fact } of this.facts) {
      if (!isMixed(fact.entity, kind)) isHandle[number] = true;
      else if (!fact.ofCaller) isArrayOfHandles[number] = true;
    }
    const found: number[] = [];
    for (const number of this.entities.keys()) {
      const integer = this.integers[number];
      if (integer !== undefined) this.number[number] ??= integer;
      if (isHandle[number]) this.number[number] = undefined;
      if (this.number[number] !== undefined) found.push(number);
    }
    // The list grows meanwhile.
    for (const number of found) {
      for (const { from, to, flow } of this.flows[number] ?? []) {
        const other = from === number ? to : from;
        const isHere = flow.what === 'assignment' || !isArrayOfHandles[other];
        if (!isHere || isHandle[other] || this.number[other] !== undefined || !this.entities[other]?.isInteger)
          continue;
        this.number[other] = stepOf(flow, other === to);
        found.push(other);
      }
    }
    for (const [number, integer] of this.integers.entries()) this.number[number] ??= integer;
  }

  private begin(mode: Mode, facts: readonly NumberedFact[]): void {
    for (const { number, kind, fact } of facts) {
      const known = this.known[number] ?? this.learn(number, { mode, reasons: new Map(), isWhole: false });
      if (fact.isWhole) known.isWhole = true;
      const { reasons } = known;
      if (!reasons.has(kind)) reasons.set(kind, { kind, text: fact.text, location: fact.location, via: [] });
    }
  }

  private learn(number: number, known: Known): Known {
    this.known[number] = known;
    this.order.push(number);
    return known;
  }

  /** Carries kinds to variables that have none yet, breadth first, so that the nearest reason is reported. */
  private spread(arriving: Mode): void {
    let frontier: readonly number[] = this.order.slice();
    while (frontier.length > 0) {
      const reached = new Map<number, Known>();
      for (const number of frontier) {
        for (const flow of this.flows[number] ?? []) this.follow(flow, number, arriving, reached);
      }
      for (const [number, known] of reached) this.learn(number, known);
      frontier = [...reached.keys()];
    }
  }

  /** An array of which elements are taken or given: of the kind that all of these variables have, else nothing is known. */
  private agreeOnArrays(): void {
    for (const [number, entity] of this.entities.entries()) {
      if (!isArray(entity) || !entity.isInteger) continue;
      if (this.known[number] !== undefined || this.number[number] !== undefined) continue;
      const reason = this.agreedReason(number);
      if (reason !== undefined)
        this.learn(number, { mode: 'value', reasons: new Map([[reason.kind, reason]]), isWhole: false });
    }
  }

  private agreedReason(number: number): Reason | undefined {
    let agreed: Reason | undefined;
    let kind: HandleKind | undefined;
    for (const { flow, from, to } of this.flows[number] ?? []) {
      if (!isOfElement(flow)) continue;
      const forwards = to === number;
      const { mode, reasons } = this.known[forwards ? from : to] ?? {};
      const [reason, another] = reasons?.values() ?? [];
      if (mode === undefined || reason === undefined || another !== undefined) return undefined;
      kind ??= reason.kind;
      if (reason.kind !== kind) return undefined;
      if (arrival(mode, flow, forwards) !== undefined)
        agreed ??= { ...reason, via: [stepOf(flow, forwards), ...reason.via] };
    }
    return agreed;
  }

  private follow({ flow, from, to }: NumberedFlow, number: number, arriving: Mode, reached: Map<number, Known>): void {
    const forwards = from === number;
    const next = forwards ? to : from;
    if (this.known[next] !== undefined || this.number[next] !== undefined) return;
    const { mode, reasons, isWhole } = this.known[number] as Known;
    const [reason] = reasons.values();
    const { isInteger, variable } = forwards ? flow.to : flow.from;
    // One element says nothing about the others.
    if (isOfElement(flow) && !isWhole) return;
    if (reason === undefined || reasons.size > 1 || !isInteger || arrival(mode, flow, forwards) !== arriving) return;
    // `tag = status(MPI_TAG)`: what is no array is an element.
    if (reason.kind === 'status' && variable?.dimensions.length === 0) return;
    let own = reached.get(next);
    if (own === undefined) reached.set(next, (own = { mode: arriving, reasons: new Map(), isWhole }));
    if (own.reasons.has(reason.kind)) return;
    own.reasons.set(reason.kind, { ...reason, via: [stepOf(flow, forwards), ...reason.via] });
  }
}

const isArray = ({ variable }: Entity): boolean => (variable?.dimensions.length ?? 0) > 0;

/** Between an array's element and a variable that is no array. */
const isOfElement = ({ from, to }: Flow): boolean => isArray(from) !== isArray(to);

/** The mode in which a kind arrives along a flow; undefined: it does not flow this way. */
function arrival(mode: Mode, flow: Flow, forwards: boolean): Mode | undefined {
  if (flow.what === 'assignment') {
    if (forwards) return mode === 'argument' ? 'argument' : 'value';
    return mode === 'used' ? 'used' : undefined;
  }
  // An argument: forwards is from the caller's variable to the dummy argument.
  if (forwards) return flow.intent === 'out' ? undefined : 'argument';
  return mode === 'argument' ? undefined : mode;
}

function stepOf({ what, from, to, location, procedure }: Flow, forwards: boolean): Step {
  if (what === 'assignment')
    return { text: forwards ? `assigned from ${from.name}` : `assigned to ${to.name}`, location };
  return {
    text: forwards ? `${from.name} is passed to ${procedure} as it` : `passed to ${procedure} as ${to.name}`,
    location,
  };
}

/** In one line: "third argument of MPI_Comm_dup, halo.f90:31 (passed to exchange as comm, main.f90:12)". */
export function describeReason({ text, location, via }: Reason): string {
  const at = ({ file, line }: SourceLocation): string => `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
  const way = via.map((step) => `${step.text}, ${at(step.location)}`).join('; ');
  return `${text}, ${at(location)}${way === '' ? '' : ` (${way})`}`;
}
