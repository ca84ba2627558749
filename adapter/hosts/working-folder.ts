/** The folder that this process works in may be gone: then nothing that needs it has an answer. */

/** Throws where it is gone: an error that whyNoFolder knows. */
export function workingFolder(): string {
  return process.cwd();
}

/** One sentence for the user; undefined for any other error. Node asks for the folder whenever a relative path is made absolute. */
export function whyNoFolder(error: unknown): string | undefined {
  const isGone = error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
  return isGone ? 'the working directory is gone: change to one that exists, and start mpidbg again' : undefined;
}
