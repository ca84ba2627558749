/** GDB/MI Stack Manipulation Commands. */
import { valueOf, type GdbValue } from './value';
import { select, type GdbThread } from './context';
import { GdbError, GdbLostError } from './mi-connection';
import { withoutLibraryRoot } from './library-root';
import { integer, optionalAddress, optionalInteger, optionalText, text, tuples, type MiTuple } from './mi-values';

export interface GdbFrame {
  /** 0 is the innermost. */
  level: number;
  address: bigint | undefined;
  /** As gdb names it: C++ functions with their arguments, Fortran ones with their module ("ocean::step"). */
  function: string | undefined;
  /** As the debug information writes it. */
  file: string | undefined;
  /** Absolute. */
  fullName: string | undefined;
  line: number | undefined;
  /** The library, where there is no source. */
  from: string | undefined;
}

export interface GdbVariable {
  name: string;
  isArgument: boolean;
  /** Undefined where gdb would crash while printing it. */
  type: string | undefined;
  /** Undefined for structs and arrays: gdb gives values of simple types only. */
  value: GdbValue | undefined;
}

/** How deep the stack is, counted up to `most`. */
async function stackInfoDepth(thread: GdbThread, most: number): Promise<number> {
  return integer(await thread.gdb.command(`-stack-info-depth ${select(thread)} ${most}`), 'depth');
}

/**
 * The existing frames from `first` to `last`, inclusive. There is no way to ask for all: of a deep recursion gdb would take
 * minutes and gigabytes.
 */
export async function stackListFrames(thread: GdbThread, first: number, last: number): Promise<GdbFrame[]> {
  // gdb refuses a range that begins beyond the outermost frame.
  if (first > 0 && (await stackInfoDepth(thread, first + 1)) <= first) return [];
  const answer = await thread.gdb.command(`-stack-list-frames ${select(thread)} ${first} ${last}`);
  return tuples(answer, 'stack').map(frameOf);
}

/** Whether the function's code is in that of its caller. */
export async function isInlined(thread: GdbThread, frame: number): Promise<boolean> {
  return / inlined into frame \d/.test(await thread.gdb.console(`info frame level ${frame}`, thread));
}

/** Arguments and locals of the frame, inner blocks first, as gdb lists them. */
export async function stackListNames(thread: GdbThread, frame: number): Promise<string[]> {
  const answer = await thread.gdb.command(`-stack-list-variables ${select(thread, frame)} --no-values`);
  return tuples(answer, 'variables').map((variable) => text(variable, 'name'));
}

/** Arguments and locals of the frame with their types, inner blocks first; simple values are included. */
export async function stackListVariables(
  thread: GdbThread,
  frame: number,
  language: 'c' | 'fortran',
): Promise<GdbVariable[]> {
  const list = async (options: string): Promise<GdbVariable[]> => {
    const answer = await thread.gdb.command(`-stack-list-variables ${select(thread, frame)} ${options}--simple-values`);
    return tuples(answer, 'variables').map((variable) => {
      const value = whyNoValues === undefined ? optionalText(variable, 'value') : `<${whyNoValues}>`;
      const type = optionalText(variable, 'type');
      return {
        name: text(variable, 'name'),
        isArgument: variable.arg !== undefined,
        type,
        value: value === undefined ? undefined : valueOf(value, type),
      };
    });
  };
  const { whyNoValues } = thread;
  if (language === 'c') {
    try {
      return await list('');
    } catch (error) {
      if (!(error instanceof GdbError && error.failure.reason === 'tookTooLong')) throw error;
      // For gdb a reference to a container is simple, too.
      const answer = await thread.gdb.command(`-stack-list-variables ${select(thread, frame)} --no-values`);
      return tuples(answer, 'variables').map((variable) => ({
        name: text(variable, 'name'),
        isArgument: variable.arg !== undefined,
        type: undefined,
        value: undefined,
      }));
    }
  }
  // gdb 13 crashes when it prints a type without a name in Fortran; in C it is "struct {...}".
  const inC = await list('--language c ');
  const names = inC.map(({ name, isArgument }) => ({ name, isArgument, type: undefined, value: undefined }));
  if (inC.some(({ type }) => type === 'struct {...}')) return names;
  try {
    return await list('');
  } catch (error) {
    // gdb refuses the whole list for one type that it cannot write, such as that of a dummy u(0:n-1,-m:m).
    if (error instanceof GdbLostError || !(error instanceof GdbError)) throw error;
    return names;
  }
}

/** gdb adds the version to some names of libraries: MPI_Send@MPIDBG. `name@plt` is something else. */
function withoutVersion(name: string | undefined): string | undefined {
  return name?.replace(/@+(?!plt$)\w[\w.]*$/, '');
}

/** A `frame` tuple, of a stack or of a *stopped. */
function frameOf(frame: MiTuple): GdbFrame {
  const from = optionalText(frame, 'from');
  return {
    level: optionalInteger(frame, 'level') ?? 0,
    address: optionalAddress(frame, 'addr'),
    function: withoutVersion(optionalText(frame, 'func')),
    file: optionalText(frame, 'file'),
    fullName: optionalText(frame, 'fullname'),
    line: optionalInteger(frame, 'line'),
    from: from === undefined ? undefined : withoutLibraryRoot(from),
  };
}
