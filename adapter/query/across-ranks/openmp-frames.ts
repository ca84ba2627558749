/** One stack of an OpenMP program as its source has it: without the runtime, and with what the compiler's functions are made of. */
import { functionName } from '../../../plugin-api/mpi/callback';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { openmpFrame, type Frame } from '../../stacks/frame';
import { plainName } from './mpi-calls';
import { isOwnCode } from './program-frames';

export interface SourceFrame {
  frame: Frame;
  /** Set for a function that the compiler made of the code of a region or a task. */
  outlined?: Outlined;
}

export interface Outlined {
  /** Equal in all threads that are in it. */
  key: string;
  /** The function whose code it is, as far as the compiler's name says so. */
  source: string | undefined;
  /** Undefined: the runtime's functions have no names here that would tell. */
  kind: 'region' | 'task' | 'target region' | undefined;
  /** Where the construct is, as far as the stack of the thread alone tells. */
  construct: Place | undefined;
}

export interface Place {
  file: string;
  line: number;
}

/** In place of a function that nothing names. */
export const withoutName = 'a function without a name';

/** Functions that compilers call for what the source has, and variants that check lengths. */
const wordsOf: Readonly<Record<string, string>> = {
  __cxa_throw: 'throw',
  __cxa_rethrow: 'throw',
  __assert_fail: 'assert',
};

/** The function of the program that the compiler has made this one of; undefined: it is none of those, or its name does not say so. */
export function outlinedSource(frame: Frame): string | undefined {
  return outlinedOf(frame, [], false)?.source;
}

/** As it is called in the source. */
export function nameInSource(frame: Frame, code: ProcessCode): string {
  const { function: name = '??' } = frame;
  if (name === '??') return isRuntime(frame, code) ? 'OpenMP runtime' : withoutName;
  const written = wordsOf[name] ?? /^__(\w+)_chk$/.exec(name)?.[1];
  if (written !== undefined) return written;
  const outlined = outlinedOf(frame, [], false);
  return outlined === undefined ? plainName(name) : (outlined.source ?? `OpenMP ${outlined.kind ?? anyKind}`);
}

/** Where nothing tells the kind. */
export const anyKind = 'region or task';

export interface SourceStack {
  /** Outermost first. */
  frames: readonly SourceFrame[];
  /** It begins further outside. */
  isCut: boolean;
  /** The runtime has started the thread: the first frame is what it runs. */
  isWorker: boolean;
  /** The function of the runtime that the innermost frame has called. */
  called: Frame | undefined;
}

const runtimeLibrary = /\/lib(gomp|i?omp5?|omptarget[\w.]*)(-[\d.]+)?\.so/;
const runtimeFunction = /^(GOMP_|gomp_|__kmpc?_|__tgt_)/;
const targets = /^(GOMP_target|__tgt_)/;
const forks = /^(GOMP_(parallel|teams)|__kmpc_fork|__kmp_fork_call|__kmp_invoke_microtask)/;

/** `frames`: outermost first. */
export function sourceStack(frames: readonly Frame[], isCut: boolean, code: ProcessCode): SourceStack {
  const first = frames.findIndex((frame) => isRuntime(frame, code));
  const own = frames.findLastIndex((frame) => isOwnCode(frame, code));
  const isWorker = !isCut && first >= 0 && !frames.slice(0, first).some((frame) => isOwnCode(frame, code));
  if (isWorker && own < 0) return { frames: idle(frames.slice(first), code), isCut, isWorker, called: undefined };
  const found: SourceFrame[] = [];
  let runtime: Frame[] = [];
  for (const [i, frame] of frames.entries()) {
    if (isWorker && i < first) continue;
    if (isRuntime(frame, code)) {
      // What it calls in turn is not the program's business.
      if (i > own) return { frames: found, isCut, isWorker, called: frame };
      runtime.push(frame);
      continue;
    }
    const caller = runtime.length === 0 ? found.at(-1) : undefined;
    const outlined = outlinedOf(frame, runtime, found.length > 0);
    // LLVM's function for debugging, called by the one that the runtime calls.
    if (outlined !== undefined && caller?.outlined !== undefined) {
      found.splice(-1, 1, { frame, outlined: { ...caller.outlined, construct: placeOf(caller.frame) } });
    } else found.push({ frame, ...(outlined === undefined ? {} : { outlined }) });
    runtime = [];
  }
  return { frames: found, isCut, isWorker, called: undefined };
}

/** The frames of a thread with no function of the program: what the runtime has called. */
function idle(frames: readonly Frame[], code: ProcessCode): SourceFrame[] {
  const called = frames.filter((frame) => !isRuntime(frame, code)).slice(0, 1);
  return [openmpFrame(frames[0]!, 'OpenMP thread'), ...called].map((frame) => ({ frame }));
}

function isRuntime(frame: Frame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  return module === undefined ? runtimeFunction.test(frame.function ?? '') : runtimeLibrary.test(module.path);
}

/** Whether this function of the runtime begins regions; undefined: it has no name that would tell. */
export function isFork({ function: name = '' }: Frame): boolean | undefined {
  return forks.test(name) ? true : runtimeFunction.test(name) || name.startsWith('omp_') ? false : undefined;
}

export function placeOf({ file, fullName = file, line }: Frame): Place | undefined {
  return fullName === undefined || line === undefined ? undefined : { file: fullName, line };
}

/**
 * GCC: solve._omp_fn.0, _ZN4Grid4stepEi._omp_fn.1. LLVM: .omp_outlined..2, since release 17 solve.omp_outlined; .omp_task_entry.;
 * __omp_offloading_fe00_5c03a1_solve_l12. Of functions without debug information gdb writes solve._omp_fn, omp_outlined., omp_task_entry[].
 */
function outlinedOf(frame: Frame, runtime: readonly Frame[], hasCaller: boolean): Outlined | undefined {
  const { function: name = '', file = '', fullName = file } = frame;
  const key = `${name} ${file}`;
  const [, target, line] = /^__omp_offloading_[0-9a-f]+_[0-9a-f]+_(.+)_l(\d+)/.exec(name) ?? [];
  if (target !== undefined)
    return {
      key,
      source: sourceName(target),
      kind: 'target region',
      construct: { file: fullName, line: Number(line) },
    };
  const [, gcc] = /^(.+)\._omp_fn(?:\.\d+|$)/.exec(name) ?? [];
  const llvm = /^(?:(.*)\.)??omp_(?:outlined|task_entry)(?![a-z])/.exec(name);
  if (gcc === undefined && llvm === null) return undefined;
  const kind = name.includes('omp_task_entry') ? 'task' : kindBy(runtime, hasCaller);
  return { key, source: sourceName(gcc ?? llvm?.[1] ?? ''), kind, construct: undefined };
}

/** `runtime`: what has called it, with such a caller or as a worker. */
function kindBy(runtime: readonly Frame[], hasCaller: boolean): Outlined['kind'] {
  if (runtime.some((frame) => targets.test(frame.function ?? ''))) return 'target region';
  const answers = runtime.map(isFork);
  // A region of one thread may be called without the runtime.
  if (answers.includes(true) || (hasCaller && runtime.length === 0)) return 'region';
  return hasCaller && answers.includes(false) ? 'task' : undefined;
}

/** In the source, of a name of the compiler's; undefined: it does not say. gdb writes those of Fortran as step::__ocean_MOD_step. */
function sourceName(name: string): string | undefined {
  const [, inModule, procedure] = /^(?:\w+::)?__(\w+)_MOD_(\w+)$/.exec(name) ?? [];
  if (procedure !== undefined) return `${inModule}::${procedure}`;
  const [, outside] = /^(\w+)::(?:MAIN__|\1_)$/.exec(name) ?? [];
  if (outside !== undefined) return outside;
  if (name === '' || !name.startsWith('_Z')) return name || undefined;
  const demangled = functionName(name, 'c');
  return demangled === name ? undefined : demangled;
}
