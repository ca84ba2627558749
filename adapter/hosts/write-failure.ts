/** Why something could not be written, and what the user can do. */

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there: free some, or write elsewhere',
  EDQUOT: 'your quota there is used up: free some space, or write elsewhere',
  EFBIG: 'the file would exceed the size limit: raise it (ulimit -f), or write elsewhere',
};

/** The end of a sentence. */
export function whyNotWritten(error: NodeJS.ErrnoException): string {
  return words[error.code ?? ''] ?? error.message;
}

/** The reader of our output has closed its end; a stream is destroyed when it has told that once. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}
