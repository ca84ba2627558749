/** What a call of MPI was given, for the roles that its arguments have: by the library's code, and by the code that has called it. */
import type { ArgumentRole } from '../../../plugin-api/hang/argument-roles';
import { isUnavailable, unavailable } from '../../../plugin-api/result';
import type { Unavailable } from '../../../plugin-api/unavailable';
import { argumentsOfCaller } from './caller-arguments';
import type { EnteredCall } from './entered-function';
import { LostError, passedArguments, type Passed, type StoppedStack } from './passed-arguments';

/** By their index in the C binding. */
export type PassedArguments = ReadonlyMap<number, Passed>;

/** As far as the library keeps it. */
export async function passedOf(
  entered: EnteredCall['function'],
  stack: StoppedStack,
  roles: readonly ArgumentRole[],
): Promise<PassedArguments | Unavailable> {
  if (entered === undefined) return lost('its function is not known');
  const wanted = roles.flatMap(indicesOf);
  try {
    return await passedArguments(stack, entered.level, entered.start, wanted);
  } catch (error) {
    if (error instanceof LostError) return lost(error.message);
    throw error;
  }
}

/** What the library no longer keeps, the code that has called it tells. */
export async function passedToCall(
  entered: EnteredCall['function'],
  stack: StoppedStack,
  roles: readonly ArgumentRole[],
): Promise<PassedArguments | Unavailable> {
  const kept = await passedOf(entered, stack, roles);
  const isWhole = !isUnavailable(kept) && roles.flatMap(indicesOf).every((index) => kept.has(index));
  if (entered === undefined || isWhole) return kept;
  const told = await argumentsOfCaller(stack, entered.level, entered.start);
  if (told.size === 0) return kept;
  return new Map([...told, ...(isUnavailable(kept) ? [] : kept)]);
}

function indicesOf(role: ArgumentRole): number[] {
  if ('datatype' in role) return [role.index, role.datatype, role.buffer ?? role.index];
  return 'count' in role ? [role.index, role.count] : [role.index];
}

function lost(why: string): Unavailable {
  return unavailable('MPIDBG_ERR_UNAVAILABLE', `what the call was given is not known: ${why}`);
}
