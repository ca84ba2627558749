/** Errors that are certain, and contradictions, in a program's MPI calls. */
import type { HandleKind } from '../mpi/records';
import { mpiConstantKind, mpiRoutine, type MpiArgument } from './bindings';
import { largestStatusSize } from './array-part';
import { mpiArgumentOf } from './clues';
import { describeReason, type Inference } from './infer';
import type { Entity, LinkedScope } from './program';
import type { Call, Designator, SourceLocation, Variable } from './program-model';
import type { FortranSources } from './sources';

export interface Diagnostic {
  readonly location: SourceLocation;
  /** The number of characters from `location`. */
  readonly length: number;
  readonly message: string;
}

export function diagnose(sources: FortranSources, file: string): Diagnostic[] {
  const { program, inferences } = sources.infer();
  const { model, scopes = [] } = program.file(file) ?? {};
  const found: Diagnostic[] = [];
  for (const call of model?.calls ?? []) {
    const routine = mpiRoutine(call.callee.path);
    for (const { argument, designator } of routine === undefined ? [] : mpiArguments(routine, call)) {
      const message = diagnoseArgument(argument, designator, () => {
        const entity = program.resolve(scopes[call.scope] as LinkedScope, designator.path, designator.location);
        return { entity, inference: entity && inferences.get(entity) };
      });
      if (message !== undefined) found.push({ location: designator.location, length: designator.path.length, message });
    }
  }
  return found.filter(({ location }) => location.file === file);
}

function* mpiArguments(
  routine: readonly MpiArgument[],
  call: Call,
): Generator<{ argument: MpiArgument; designator: Designator }> {
  for (const [position, actual] of call.arguments.entries()) {
    const argument = mpiArgumentOf(routine, actual, position);
    if (argument !== undefined && actual.designator !== undefined) yield { argument, designator: actual.designator };
  }
}

function diagnoseArgument(
  argument: MpiArgument,
  { path }: Designator,
  resolve: () => { entity: Entity | undefined; inference: Inference | undefined },
): string | undefined {
  const { kind, isInteger, description } = argument;
  if (kind === undefined && !isInteger) return undefined;
  const wanted = kind === undefined ? 'a plain INTEGER' : kindInWords(kind);
  const constant = mpiConstantKind(path);
  if (constant !== undefined) {
    return constant === kind
      ? undefined
      : `${path.toUpperCase()} is ${kindInWords(constant)}; the ${description} is ${wanted}.`;
  }
  const { entity, inference } = resolve();
  if (kind === 'status' && entity?.variable !== undefined) {
    const short = shortStatus(entity.variable, argument);
    if (short !== undefined) return short;
  }
  const other = inference?.reasons.find((reason) => reason.kind !== kind && reason.via.length === 0);
  if (other === undefined) return undefined;
  return `${path} is ${wanted} here (the ${description}) and ${kindInWords(other.kind)} elsewhere: ${describeReason(other)}.`;
}

function shortStatus({ name, type, dimensions }: Variable, { isArray }: MpiArgument): string | undefined {
  if (type !== 'integer') return undefined;
  const [first] = dimensions;
  const isShort = first === undefined || (/^\d+$/.test(first) && Number(first) < largestStatusSize);
  if (!isShort) return undefined;
  const declaration = `INTEGER ${name}(MPI_STATUS_SIZE${isArray ? ', count' : ''})`;
  return `${name} is too short for a status, or will be with another MPI: MPI writes MPI_STATUS_SIZE INTEGERs. Declare it as ${declaration}.`;
}

/** "a communicator". */
export function kindInWords(kind: HandleKind): string {
  const words: Record<HandleKind, string> = {
    comm: 'a communicator',
    datatype: 'a datatype',
    errhandler: 'an error handler',
    file: 'a file',
    group: 'a group',
    info: 'an info object',
    message: 'a message',
    op: 'an operation',
    request: 'a request',
    session: 'a session',
    status: 'a status',
    win: 'a window',
  };
  return words[kind];
}
