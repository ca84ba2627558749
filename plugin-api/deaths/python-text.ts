/** What Python prints of its frames: words of the process, cut to fit. */

/** source: as the program was started, "melt.py". */
export interface PythonFrame {
  name: string;
  source: string;
  line: number;
}

/** How faulthandler prints a stack, the innermost frame first. */
export function pythonStack(text: string): PythonFrame[] {
  return text.split('\n').flatMap((line) => frameIn(/^ {2}File "(.+)", line (\d{1,9}) in (.+)$/, line));
}

/** How an exception is printed, from which the innermost frame comes first here. exception: "ValueError: no ice", its first line alone. */
export function pythonTraceback(text: string): { frames: PythonFrame[]; exception?: string } {
  const lines = text.split('\n');
  const frames = lines.flatMap((line) => frameIn(/^ {2}File "(.+)", line (\d{1,9}), in (.+)$/, line)).reverse();
  const last = lines.findLastIndex((line) => /^ {2}File "/.test(line));
  const exception = lines.slice(last + 1).find((line) => /^\S/.test(line));
  return last < 0 || exception === undefined ? { frames: [] } : { frames, exception };
}

/** An exception that has left a function which MPI calls. callback: "user-defined reduction operation". */
export interface CallbackException {
  callback?: string;
  frames: readonly PythonFrame[];
  exception: string;
}

/** How mpi4py prints it before it calls MPI_Abort; the beginning may be cut. undefined: it is something else. */
export function fatalException(text: string): CallbackException | undefined {
  const { frames, exception } = pythonTraceback(text);
  const [, callback] = /^Fatal Python error: exception in (.+)$/m.exec(text) ?? [];
  return exception === undefined ? undefined : { ...(callback !== undefined && { callback }), frames, exception };
}

function frameIn(pattern: RegExp, line: string): PythonFrame[] {
  const [, source, number, name] = pattern.exec(line) ?? [];
  return source === undefined || name === undefined ? [] : [{ name, source, line: Number(number) }];
}
