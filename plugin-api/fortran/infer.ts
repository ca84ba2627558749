/**
 * Infers which INTEGERs are MPI handles, and why. Certain evidence comes from MPI: arguments of its routines,
 * assignments of or comparisons with predefined handles, the types of mpi_f08. From there kinds flow along assignments
 * and arguments of the program's own procedures. If two kinds meet in a variable, both are reported and neither is
 * chosen.
 */
import type { HandleKind } from '../mpi/records';
import { hasRoomForStatuses, mayBeOfStatuses } from './array-part';
import type { Clue, FileClues, Flow } from './clues';
import type { Entity } from './program';
import type { SourceLocation } from './program-model';

/** `text`: "third argument of MPI_Comm_dup"; `via`: the steps from there to the variable, the nearest first. */
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
  /** undefined if reasons contradict each other, and for an array in which only some elements are handles. */
  readonly kind: HandleKind | undefined;
  /** One for each kind that was found, the nearest first. */
  readonly reasons: readonly Reason[];
  /** The call in which MPI takes it for a plain INTEGER (a count, a tag, ierror), if there is one. */
  readonly integer: Clue | undefined;
}

/**
 * How a variable got its kind. `used`: MPI takes it for that kind, so every value stored in it has the kind. `value`:
 * such a value was stored in it. `argument`: one caller passed such a value; other callers may pass other values.
 */
type Mode = 'used' | 'value' | 'argument';

interface NumberedClue {
  readonly number: number;
  readonly kind: HandleKind;
  readonly clue: Clue;
}

interface NumberedFlow {
  readonly from: number;
  readonly to: number;
  readonly flow: Flow;
}

interface Known {
  readonly mode: Mode;
  readonly reasons: Map<HandleKind, Reason>;
  /** For an array: MPI takes the whole array for that kind, not only an element. */
  isWhole: boolean;
}

/** Infers kinds from the evidence of all files. */
export function inferHandles(files: Iterable<FileClues>): Map<Entity, Inference> {
  const inferrer = new Inferrer();
  for (const file of files) inferrer.add(file);
  return inferrer.infer();
}

/** Whether only some elements may be handles, as in an array used as a heap. The elements of a status are numbers. */
function isMixed({ variable, declaredKind }: Entity, kind: HandleKind | undefined): boolean {
  return isArray({ variable }) && declaredKind === undefined && !(kind === 'status' && mayBeOfStatuses(variable));
}

/** Numbers variables in order of appearance; arrays hold what is known about each. */
class Inferrer {
  private readonly numbered = new Map<Entity, number>();
  private readonly entities: Entity[] = [];
  private readonly flows: NumberedFlow[][] = [];
  private clues: NumberedClue[] = [];
  private readonly integers: (Clue | undefined)[] = [];
  /** Variables that hold numbers, with the evidence: no kind flows to them. */
  private readonly number: (Step | undefined)[] = [];
  private readonly known: (Known | undefined)[] = [];
  /** The variables whose kind is known, in the order in which it was found. */
  private readonly order: number[] = [];

  add({ clues, flows, numbers }: FileClues): void {
    for (const clue of clues) {
      const entity = this.numberOf(clue.entity);
      if (clue.kind === undefined) this.integers[entity] ??= clue;
      else this.clues.push({ number: entity, kind: clue.kind, clue });
    }
    for (const flow of flows) {
      const numbered = { from: this.numberOf(flow.from), to: this.numberOf(flow.to), flow };
      this.flows[numbered.from]?.push(numbered);
      if (numbered.to !== numbered.from) this.flows[numbered.to]?.push(numbered);
    }
    for (const [entity, location] of numbers)
      this.number[this.numberOf(entity)] ??= { text: 'the program uses it as a number', location };
  }

  infer(): Map<Entity, Inference> {
    this.findNumbers();
    const isUsable = ({ number, kind, clue }: NumberedClue): boolean =>
      clue.isInside === undefined && (this.number[number] === undefined || !isMixed(clue.entity, kind));
    const usable = this.clues.filter(isUsable);
    const ofCallers = usable.filter(({ clue }) => clue.ofCaller);
    this.seed(
      'used',
      usable.filter(({ clue }) => !clue.ofCaller),
    );
    this.propagate('used');
    this.propagate('value');
    this.seed(
      'argument',
      ofCallers.filter(({ number }) => this.known[number] === undefined && this.number[number] === undefined),
    );
    this.propagate('argument');
    this.agreeOnArrays();
    this.propagate('argument');
    const inferences = new Map(this.order.map((number) => [this.entities[number] as Entity, this.inference(number)]));
    for (const each of this.clues) {
      if (!each.clue.ofCaller && !isUsable(each)) inferences.set(each.clue.entity, this.mixedInference(each));
    }
    return inferences;
  }

  private inference(number: number): Inference {
    const reasons = [...(this.known[number] as Known).reasons.values()];
    const kind = reasons.length === 1 ? reasons[0]?.kind : undefined;
    return { kind, reasons, integer: this.integers[number] };
  }

  /** An array in which only some elements are handles: no kind, but the reasons for handles and for numbers. */
  private mixedInference({ number, kind, clue: { text, location } }: NumberedClue): Inference {
    const numbers = this.number[number];
    const via = numbers === undefined ? [] : [{ ...numbers, text: `but some elements are numbers: ${numbers.text}` }];
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
   * Finds variables that hold numbers: those that the program uses as numbers, those that MPI takes for plain INTEGERs,
   * and all that these are assigned to or from, or passed as. A variable that MPI takes for a handle is not one of them
   * and stops the flow. An array may be numbers in a procedure and yet hold handles in its caller.
   */
  private findNumbers(): void {
    const isHandle: boolean[] = [];
    const isArrayOfHandles: boolean[] = [];
    for (const { number, kind, clue } of this.clues) {
      if (!isMixed(clue.entity, kind)) isHandle[number] = true;
      else if (!clue.ofCaller) isArrayOfHandles[number] = true;
    }
    const found: number[] = [];
    for (const number of this.entities.keys()) {
      const integer = this.integers[number];
      if (integer !== undefined) this.number[number] ??= integer;
      if (isHandle[number]) this.number[number] = undefined;
      if (this.number[number] !== undefined) found.push(number);
    }
    // The loop also visits elements that are appended meanwhile.
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

  private seed(mode: Mode, clues: readonly NumberedClue[]): void {
    for (const { number, kind, clue } of clues) {
      const known = this.known[number] ?? this.learn(number, { mode, reasons: new Map(), isWhole: false });
      if (clue.isWhole) known.isWhole = true;
      const { reasons } = known;
      if (!reasons.has(kind)) reasons.set(kind, { kind, text: clue.text, location: clue.location, via: [] });
    }
  }

  private learn(number: number, known: Known): Known {
    this.known[number] = known;
    this.order.push(number);
    return known;
  }

  /** Propagates kinds to variables that have none yet, breadth first, so that the nearest reason is reported. */
  private propagate(arriving: Mode): void {
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

  /** Gives an array a kind if all variables that exchange values with its elements have that kind. */
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
      if (modeAfter(mode, flow, forwards) !== undefined)
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
    if (reason === undefined || reasons.size > 1 || !isInteger || modeAfter(mode, flow, forwards) !== arriving) return;
    // `from(k) = status(MPI_SOURCE)`: elements of a status, not a status.
    if (reason.kind === 'status' && (flow.cutsColumns || !hasRoomForStatuses(variable))) return;
    let own = reached.get(next);
    if (own === undefined) reached.set(next, (own = { mode: arriving, reasons: new Map(), isWhole }));
    if (own.reasons.has(reason.kind)) return;
    own.reasons.set(reason.kind, { ...reason, via: [stepOf(flow, forwards), ...reason.via] });
  }
}

const isArray = ({ variable }: Pick<Entity, 'variable'>): boolean => (variable?.dimensions.length ?? 0) > 0;

/** Whether a value flows between an array's element and a scalar. */
const isOfElement = ({ from, to }: Flow): boolean => isArray(from) !== isArray(to);

/** The mode in which a kind arrives along a flow; undefined: it does not flow this way. */
function modeAfter(mode: Mode, flow: Flow, forwards: boolean): Mode | undefined {
  if (flow.what === 'assignment') {
    if (forwards) return mode === 'argument' ? 'argument' : 'value';
    return mode === 'used' ? 'used' : undefined;
  }
  // For an argument, forwards is from the caller's variable to the dummy argument.
  if (forwards) return flow.intent === 'out' ? undefined : 'argument';
  return mode === 'argument' ? undefined : mode;
}

function stepOf({ what, from, to, location, procedure }: Flow, forwards: boolean): Step {
  if (what === 'assignment')
    return { text: forwards ? `assigned from ${from.name}` : `assigned to ${to.name}`, location };
  return {
    text: forwards ? `receives ${from.name} in a call to ${procedure}` : `passed to ${procedure} as ${to.name}`,
    location,
  };
}

/** The reason on one line: "third argument of MPI_Comm_dup, halo.f90:31 (passed to exchange as comm, main.f90:12)". */
export function describeReason({ text, location, via }: Reason): string {
  const at = ({ file, line }: SourceLocation): string => `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
  const way = via.map((step) => `${step.text}, ${at(step.location)}`).join('; ');
  return `${text}, ${at(location)}${way === '' ? '' : ` (${way})`}`;
}
