/** Evidence in the program about its variables: clues from MPI routines and constants, and flows between variables. */
import type { HandleKind } from '../mpi/records';
import { mpiCallback, mpiConstantKind, mpiRoutine, mpiSpelling, type MpiArgument } from './bindings';
import type { Callable, Entity, LinkedFile, LinkedScope, Program } from './program';
import { hasWholeColumns, mayBeOfStatuses } from './array-part';
import type { Alias, Argument, Assignment, Call, Designator, SourceLocation, Variable } from './program-model';

/** `kind` undefined: MPI takes it for a plain INTEGER. `ofCaller`: one caller passes such a value; others may not. */
export interface Clue {
  readonly entity: Entity;
  readonly kind: HandleKind | undefined;
  readonly text: string;
  readonly location: SourceLocation;
  readonly ofCaller?: true;
  /** For a plain INTEGER: MPI's name of the argument. */
  readonly argument?: string;
  /** For an array: it holds for all elements, because MPI takes the whole array or because of the declared type. */
  readonly isWhole?: true;
  /** A status that begins somewhere in the array, which is more than statuses. */
  readonly isInside?: true;
}

/** A value flows from one variable to another. `location`: of the assignment or the call. */
export interface Flow {
  readonly what: 'assignment' | 'argument';
  readonly from: Entity;
  readonly to: Entity;
  readonly location: SourceLocation;
  /** For an argument: the called procedure, and the dummy argument's intent. */
  readonly procedure?: string;
  readonly intent?: 'in' | 'out' | 'inout';
  /** Only elements of an array or parts of its columns flow: what a status consists of, not a status. */
  readonly cutsColumns?: true;
}

/** The evidence in one file. */
export interface FileClues {
  /** For each variable, the first clue for each kind and each MPI argument. */
  readonly clues: readonly Clue[];
  readonly flows: readonly Flow[];
  /** Variables that the program uses as numbers: not handles, although an array may hold both. */
  readonly numbers: ReadonlyMap<Entity, SourceLocation>;
}

export function collectClues(program: Program, { model, scopes }: LinkedFile): FileClues {
  const collector = new ClueCollector(program);
  for (const call of model.calls) collector.call(scopes[call.scope] as LinkedScope, call);
  for (const assignment of model.assignments) collector.assignment(scopes[assignment.scope] as LinkedScope, assignment);
  for (const { scope, name } of model.numbers) collector.number(scopes[scope] as LinkedScope, name);
  for (const scope of scopes) collector.declarations(scope);
  return collector;
}

/** The MPI argument that an actual argument is associated with, by keyword or position. */
export function mpiArgumentOf(
  routine: readonly MpiArgument[],
  actual: Argument,
  position: number,
): MpiArgument | undefined {
  return actual.keyword === undefined ? routine[position] : routine.find(({ name }) => name === actual.keyword);
}

/** Whether a procedure can be called with these arguments, judging by their number and keywords. */
function argumentsMatch({ procedure, dummies }: Callable, actual: readonly Argument[]): boolean {
  const isGiven = (position: number): boolean => position < actual.length && actual[position]?.keyword === undefined;
  return (
    dummies.length >= actual.length &&
    actual.every(({ keyword }) => keyword === undefined || dummies.includes(keyword)) &&
    dummies.every(
      (dummy, position) =>
        isGiven(position) ||
        procedure.scope.variables.get(dummy)?.isOptional === true ||
        actual.some(({ keyword }) => keyword === dummy),
    )
  );
}

/**
 * Whether a variable may be passed for a dummy argument, judging by type and rank. An array may stand for an element.
 */
function mayCorrespond(dummy: Entity | undefined, actual: Entity | undefined): boolean {
  if (dummy?.variable === undefined || actual?.variable === undefined) return true;
  const isArray = ({ dimensions }: Variable): boolean => dimensions.length > 0;
  return dummy.variable.type === actual.variable.type && (isArray(actual.variable) || !isArray(dummy.variable));
}

/** Whether an argument that MPI takes for a status is only a part of an array that holds more. */
function isInsideOf({ variable, declaredKind }: Entity, { part }: Designator): boolean {
  if (declaredKind !== undefined || variable?.dimensions[0] === undefined) return false;
  return !mayBeOfStatuses(variable) || !(hasWholeColumns(part) || part === 'start');
}

function namesIn({ designator, elements }: Argument): readonly Designator[] {
  return designator === undefined ? (elements ?? []) : [designator];
}

class ClueCollector {
  readonly clues: Clue[] = [];
  readonly flows: Flow[] = [];
  readonly numbers = new Map<Entity, SourceLocation>();
  private readonly known = new Map<Entity, Set<string>>();

  constructor(private readonly program: Program) {}

  declarations(scope: LinkedScope): void {
    this.wrapper(scope);
    for (const name of scope.scope.aliases.keys()) this.alias(scope, name);
    for (const { name, location, type, dimensions } of scope.scope.variables.values()) {
      if (type !== 'derived' && dimensions[0] !== 'mpi_status_size') continue;
      const entity = this.program.resolve(scope, name, location);
      if (entity !== undefined) this.declared(entity);
    }
  }

  /** The name of a part of an array is a variable of its own, which shares memory with the array. */
  private alias(scope: LinkedScope, name: string): void {
    const { target, location } = scope.scope.aliases.get(name) as Alias;
    const own = this.program.resolve(scope, name, location);
    const array = scope.parent && this.program.resolve(scope.parent, target.path, target.location);
    if (own === undefined || array === undefined || own === array) return;
    for (const [from, to] of [
      [array, own],
      [own, array],
    ] as const)
      this.flows.push({ what: 'assignment', from, to, location, cutsColumns: true });
  }

  /** Adds the clue in the variable's own declaration. */
  private declared(entity: Entity): void {
    const { declaredKind: kind, variable, location } = entity;
    if (kind === undefined || variable === undefined) return;
    const { type, typeName } = variable;
    const text = type === 'derived' ? `declared TYPE(${mpiSpelling(typeName ?? '')})` : 'declared with MPI_STATUS_SIZE';
    this.add({ entity, kind, text, location, ...(type === 'derived' && { isWhole: true }) });
  }

  call(scope: LinkedScope, { callee, arguments: actual }: Call): void {
    const routine = mpiRoutine(callee.path);
    if (routine !== undefined) return this.mpiCall(scope, routine, callee, actual);
    if (this.structure(scope, callee, actual)) return;
    const candidates = this.program.procedures(scope, callee.path, callee.location);
    const [callable, another] =
      candidates.length === 1 ? candidates : candidates.filter((candidate) => this.mayAccept(candidate, scope, actual));
    if (callable === undefined || another !== undefined) return;
    const { procedure, dummies } = callable;
    for (const [position, argument] of actual.entries()) {
      const dummy = argument.keyword ?? dummies[position];
      if (dummy === undefined || !dummies.includes(dummy)) continue;
      for (const actual of namesIn(argument)) this.argument(scope, procedure, actual, dummy);
    }
  }

  /** Whether this specific procedure of a generic name may accept the arguments. */
  private mayAccept(callable: Callable, scope: LinkedScope, actual: readonly Argument[]): boolean {
    const { procedure, dummies } = callable;
    return (
      argumentsMatch(callable, actual) &&
      actual.every(({ keyword, designator }, position) => {
        const dummy = keyword ?? dummies[position];
        if (designator === undefined || dummy === undefined) return true;
        return mayCorrespond(
          this.program.resolve(procedure, dummy, procedure.scope.location),
          this.program.resolve(scope, designator.path, designator.location),
        );
      })
    );
  }

  /**
   * A program may define MPI routines itself, to count calls or to run without MPI: their dummy arguments are MPI's.
   */
  private wrapper(scope: LinkedScope): void {
    const { name, dummies, location, kind } = scope.scope;
    const routine = kind === 'subroutine' ? mpiRoutine(name) : undefined;
    for (const [index, { kind, isInteger, description }] of (routine ?? []).entries()) {
      const dummy = dummies[index];
      if (dummy === undefined || (kind === undefined && !isInteger)) continue;
      const entity = this.program.resolve(scope, dummy, location);
      if (entity?.isInteger) this.add({ entity, kind, text: `declared as the ${description}`, location });
    }
  }

  number(scope: LinkedScope, { path, location }: Designator): void {
    const entity = this.program.resolve(scope, path, location);
    if (entity?.isInteger && !this.numbers.has(entity)) this.numbers.set(entity, location);
  }

  assignment(scope: LinkedScope, { to, from, isComparison }: Assignment): void {
    const target = this.program.resolve(scope, to.path, to.location);
    const kind = mpiConstantKind(from.path);
    if (kind !== undefined && target !== undefined) {
      const verb = isComparison ? 'compared with' : 'assigned';
      this.constant(target, kind, `${verb} ${from.path.toUpperCase()}`, to.location);
      return;
    }
    const toKind = isComparison ? mpiConstantKind(to.path) : undefined;
    const source = this.program.resolve(scope, from.path, from.location);
    if (toKind !== undefined && source !== undefined) {
      this.constant(source, toKind, `compared with ${to.path.toUpperCase()}`, from.location);
    } else if (!isComparison && target !== undefined && source !== undefined) {
      this.declared(source);
      const cuts = hasWholeColumns(from.part) && hasWholeColumns(to.part) ? {} : { cutsColumns: true as const };
      this.flows.push({ what: 'assignment', from: source, to: target, location: to.location, ...cuts });
    }
  }

  /** `grid_type(comm=world, halo=[left, right])`; false: not a structure constructor. */
  private structure(scope: LinkedScope, { path }: Designator, actual: readonly Argument[]): boolean {
    let isType = false;
    for (const [position, argument] of actual.entries()) {
      const component = this.program.constructed(scope, path, argument.keyword, position);
      if (component === undefined) continue;
      isType = true;
      for (const { path, part, location } of namesIn(argument)) {
        const kind = mpiConstantKind(path);
        const from = kind === undefined ? this.program.resolve(scope, path, location) : undefined;
        const cuts = hasWholeColumns(part) ? {} : { cutsColumns: true as const };
        if (kind !== undefined) this.constant(component, kind, `assigned ${path.toUpperCase()}`, location);
        else if (from !== undefined) this.flows.push({ what: 'assignment', from, to: component, location, ...cuts });
      }
    }
    return isType;
  }

  private mpiCall(
    scope: LinkedScope,
    routine: readonly MpiArgument[],
    callee: Designator,
    actual: readonly Argument[],
  ): void {
    for (const [position, argument] of actual.entries()) {
      const wanted = mpiArgumentOf(routine, argument, position);
      if (wanted === undefined || argument.designator === undefined) continue;
      const { kind, isInteger, isArray, callback } = wanted;
      const { designator } = argument;
      if (callback !== undefined) this.callback(scope, callee, callback, designator);
      if (kind === undefined && !isInteger) continue;
      const entity = this.program.resolve(scope, designator.path, designator.location);
      if (entity === undefined || !(entity.isInteger || entity.declaredKind !== undefined)) continue;
      const isWhole = isArray ? { isWhole: true as const } : {};
      const named = kind === undefined ? { argument: wanted.name } : {};
      const isInside = kind === 'status' && isInsideOf(entity, designator) ? { isInside: true as const } : {};
      const { location } = designator;
      this.add({ entity, kind, text: wanted.description, location, ...named, ...isWhole, ...isInside });
    }
  }

  /** A procedure that MPI calls back: the interface determines what its dummy arguments are. */
  private callback(scope: LinkedScope, callee: Designator, name: string, designator: Designator): void {
    const [callable] = this.program.procedures(scope, designator.path, designator.location);
    if (callable === undefined) return;
    const { procedure } = callable;
    for (const [index, { kind, description }] of (mpiCallback(name) ?? []).entries()) {
      const dummy = procedure.scope.dummies[index];
      const entity = dummy && kind && this.program.resolve(procedure, dummy, procedure.scope.location);
      if (!entity) continue;
      const text = `${description}, callback of ${mpiSpelling(callee.path)}`;
      this.add({ entity, kind, text, location: designator.location });
    }
  }

  private argument(scope: LinkedScope, procedure: LinkedScope, actual: Designator, name: string): void {
    const dummy = this.program.resolve(procedure, name, procedure.scope.location);
    if (dummy === undefined) return;
    const kind = mpiConstantKind(actual.path);
    if (kind !== undefined) {
      const text = `receives ${actual.path.toUpperCase()}`;
      if (dummy.isInteger) this.add({ entity: dummy, kind, text, location: actual.location, ofCaller: true });
      return;
    }
    const from = this.program.resolve(scope, actual.path, actual.location);
    if (from === undefined) return;
    this.declared(from);
    const intent = dummy.variable?.intent;
    const cuts = hasWholeColumns(actual.part) || actual.part === 'start' ? {} : { cutsColumns: true as const };
    this.flows.push({
      what: 'argument',
      from,
      to: dummy,
      location: actual.location,
      procedure: procedure.scope.name,
      ...(intent !== undefined && { intent }),
      ...cuts,
    });
  }

  private constant(entity: Entity, kind: HandleKind, text: string, location: SourceLocation): void {
    if (entity.isInteger) this.add({ entity, kind, text, location });
  }

  private add(clue: Clue): void {
    const key = `${clue.kind ?? clue.argument} ${clue.ofCaller} ${clue.isWhole} ${clue.isInside}`;
    const known = this.known.get(clue.entity);
    if (known === undefined) this.known.set(clue.entity, new Set([key]));
    else if (known.has(key)) return;
    else known.add(key);
    this.clues.push(clue);
  }
}
