/** Which floating point operations trap in the threads of a process: the mask bits of MXCSR, x86-64 only. */
import type { FloatTrap } from '../../plugin-api/deaths/float-trap';
import { floatKinds, type FloatKind } from '../../plugin-api/deaths/death';
import type { LibraryCode } from '../../plugin-api/mpi/library-code';
import type { GdbThread } from './mi/context';
import { dropSignal } from './mi/signals';
import { decoded } from './python/float-places';
import { floatOperationScript } from './python/float-operation-script';
import { floatTrapScript } from './python/float-trap-script';
import { runPythonOnce } from './python/run-python';
import { printedAnswer } from './python/printed-answer';
import { savedFloatsScript } from './python/saved-floats-script';

/** A set bit: the operation does not trap. */
const maskBits: Readonly<Record<FloatKind, number>> = { invalid: 0x80, zero: 0x200, overflow: 0x400 };

/** siginfo.h: FPE_FLTINV, FPE_FLTDIV, FPE_FLTOVF. */
const signalCodes: Readonly<Record<number, FloatKind>> = { 7: 'invalid', 3: 'zero', 4: 'overflow' };

/**
 * The kind of error behind the code of a SIGFPE; undefined: it is about integers, or a process sent it. The kernel makes the
 * code from all flags that are set, also by earlier operations: the instruction may be of another kind.
 */
export function kindOfCode(code: number): FloatKind | undefined {
  return signalCodes[code];
}

const bitsOf = (kinds: readonly FloatKind[]): number => kinds.reduce((bits, kind) => bits | maskBits[kind], 0);

/**
 * Traps these kinds in all threads of this one's process, which is held; threads that these start have the same. Answers which
 * of all kinds trapped before in one of them. Rejects with NoPythonError, GdbError.
 */
export function trapFloats(thread: GdbThread, kinds: readonly FloatKind[]): Promise<FloatKind[]> {
  return change(thread, `${bitsOf(kinds)}, 0, False`);
}

/** Masks these kinds in all threads of the process, where the program has not opened them itself. Flags of what has happened stay as they are. */
export function maskFloats(thread: GdbThread, kinds: readonly FloatKind[]): Promise<FloatKind[]> {
  return change(thread, `0, ${bitsOf(kinds)}, False`);
}

/**
 * For this thread alone, which stopped for such a SIGFPE: when it goes on it gets no signal, and its instruction computes what
 * it does without traps.
 */
export async function passOverTrap(thread: GdbThread, kinds: readonly FloatKind[]): Promise<void> {
  await change(thread, `0, ${bitsOf(kinds)}, True`);
  await dropSignal(thread);
}

async function change(thread: GdbThread, changes: string): Promise<FloatKind[]> {
  await runPythonOnce(thread.gdb, savedFloatsScript);
  await runPythonOnce(thread.gdb, floatTrapScript);
  const printed = await thread.gdb.console(`python _mpidbg_traps.change(${changes})`, thread, 0);
  const clear = Number(printedAnswer(printed));
  return floatKinds.filter((kind) => (clear & maskBits[kind]) !== 0);
}

interface Told {
  /** The masks that the program has opened itself. */
  own: number;
  operation?: string;
  kind?: FloatKind;
  scalar?: boolean;
  library?: string;
  function?: string | null;
  file?: string;
  line?: number;
  text?: string;
  values?: string;
}

const unknownOperations: Readonly<Record<FloatKind, string>> = {
  invalid: 'an invalid operation',
  zero: 'a division by zero',
  overflow: 'an overflow',
};

/** What this thread trapped. `kind`: as the signal tells it; the place is not in `libraries`. Rejects with NoPythonError, GdbError. */
export async function describeTrap(thread: GdbThread, kind: FloatKind, libraries: LibraryCode): Promise<FloatTrap> {
  await runPythonOnce(thread.gdb, floatOperationScript);
  await runPythonOnce(thread.gdb, floatTrapScript);
  const rules = decoded(libraries.asData.map(([source, isLibrary]) => `${isLibrary ? '+' : '-'}${source}`));
  const call = `python import json, base64; _mpidbg_traps.tell(${rules})`;
  const told = printedAnswer(await thread.gdb.console(call, thread, 0)) as Told;
  const { operation, library, function: name, file, line, text = '', values = '' } = told;
  return {
    ...{ kind: told.kind ?? kind, operation, isExact: told.scalar === true },
    isOfProgram: (told.own & maskBits[told.kind ?? kind]) !== 0,
    statement: `${text}${values === '' ? '' : ` (${values})`}`,
    within: library === undefined ? undefined : [name, library].filter(Boolean).join(' of ') || 'code without a name',
    place: file === undefined ? undefined : `${file}:${line}`,
  };
}

/** `0.0/0.0 at relax.c:41 in residual = r / norm (r = 0, norm = 0)` */
export function trapText({ kind, operation, statement, within, place }: FloatTrap): string {
  const where = within === undefined ? '' : ` in ${within}`;
  const at = place === undefined ? '' : `${where === '' ? '' : ', called'} at ${place}`;
  return `${operation ?? unknownOperations[kind]}${where}${at}${statement === '' ? '' : ` in ${statement}`}`;
}
