/** What MPI libraries tell in the texts of their errors. */

/**
 * MPICH lists the arguments of the failed call, "MPI_Recv(buf=0x7ffe, count=4, MPI_INT, 0, 7, comm=0x84000002, status=0x1) failed". By
 * their place in the C binding; empty where the text has no such line, or one that does not fit.
 */
export function argumentsInText(text: string, call: string, count: number): readonly (string | undefined)[] {
  const start = text.indexOf(`${call}(buf`) >= 0 ? text.indexOf(`${call}(`) : text.lastIndexOf(`${call}(`);
  const end = text.indexOf(') failed', start);
  if (start < 0 || end < 0) return [];
  const listed = text.slice(start + call.length + 1, end).split(/,\s*/);
  if (listed.length !== count) return [];
  return listed.map((each) => {
    const value = each.replace(/^\w+=/, '');
    // Handles and addresses that have no name mean nothing to anybody.
    return /^(-?\d+|MPI_\w+)$/.test(value) ? value : undefined;
  });
}

/** Bytes of a message that did not fit, and of the buffer; undefined: the text does not tell. */
export function truncatedSizes(text: string): { message: number; buffer: number } | undefined {
  const [, ...sizes] = /truncated; (\d+) bytes received but buffer size is (\d+)/.exec(text) ?? [];
  if (sizes.length === 0) return undefined;
  // MPICH mixes up the two sizes of what a process sends to itself.
  const [buffer = 0, message = 0] = sizes.map(Number).sort((a, b) => a - b);
  return { message, buffer };
}

/** Characters that MPICH has room for: what is longer is cut. */
const roomOfMpich = 511;

/** The last line alone says what is wrong, unless it is cut; those before it are the functions of the library. The first tells the class. */
export function innermostReason(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = '', ...others] = lines;
  const ofClass = first.replace(/^MPI_ERR_\w+:\s*/, '').replace(/, error stack:$/, '');
  const isCut = others.length > 0 && text.length >= roomOfMpich;
  const last = isCut ? undefined : others.at(-1)?.replace(/^(\w+|\(unknown\))\(\d*\)[.\s]*:\s*/, '');
  return last ?? ofClass;
}
