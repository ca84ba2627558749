/** This process, or its machine, has used up what it may: that tells nothing of the file or process that was asked about. */
const meanings: Readonly<Record<string, string>> = {
  EMFILE: 'no more files may be opened here: raise the limit, for example with "ulimit -n 1024"',
  ENFILE: 'this machine cannot open more files: end programs that have many open, or raise fs.file-max',
  ENOMEM: 'this machine has no memory left for mpidbg',
  EAGAIN: 'no more processes may be started here: raise the limit "ulimit -u", or end some',
};

/** The message is one sentence for the user. It has no `code`: nobody takes it for a file that is not there. */
export class ShortageError extends Error {
  override name = 'ShortageError';
}

/** A ShortageError for an error of the system that is one; any other error unchanged. */
export function orShortage(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return Object.hasOwn(meanings, code) ? new ShortageError(meanings[code]) : error;
}

/** What an error of fork means, where only its words are known. */
export function noMoreProcesses(): ShortageError {
  return new ShortageError(meanings.EAGAIN);
}

/** Handles every other rejection: what could not be read is this instead. */
export function unlessShort<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof ShortageError) throw error;
    return value;
  };
}
