import type { FloatKind } from './death';

/** A floating point operation that has trapped. */
export interface FloatTrap {
  kind: FloatKind;
  /** "0.0/0.0": what was about to be computed; undefined: the instruction is not known. */
  operation: string | undefined;
  /** "residual = r / norm (r = 0, norm = 0)": the program's statement, with what it reads; "" where it has none. */
  statement: string;
  /** "log of libm.so.6": where the instruction is not in a line of the program. */
  within: string | undefined;
  /** "relax.c:41"; undefined: no line of the program is known. */
  place: string | undefined;
  /** The instruction computes one number, which traps for nothing else. */
  isExact: boolean;
  /** The program has asked for it to trap. */
  isOfProgram: boolean;
}
