/**
 * `npm run test:thorough`: tests do all that they can. In an ordinary run what does not depend on the MPI is tried with one of the two, and
 * what is random with a twentieth of the numbers.
 */
export const isThorough = process.env.MPIDBG_TEST_THOROUGH === '1';

/** How many random cases are tried now, of those of a thorough run. */
export function randomCases(whenThorough: number): number {
  return isThorough ? whenThorough : Math.ceil(whenThorough / 20);
}
