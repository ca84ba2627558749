/** The integer constants of an MPI, by the name that C and Fortran share. */
import type { MpiConstant } from './plugin';

/** `inFortran`: those that Fortran has alone, or with another value than C. */
export function* integerConstants(
  inC: Readonly<Record<string, number>>,
  inFortran: Readonly<Record<string, number>>,
): Generator<[string, MpiConstant]> {
  for (const [name, value] of Object.entries(inC)) {
    const fortran = inFortran[name];
    yield [name, { kind: 'integer', value, ...(fortran !== undefined && { fortran }) }];
  }
  for (const [name, value] of Object.entries(inFortran))
    if (inC[name] === undefined) yield [name, { kind: 'fortranInteger', value }];
}
