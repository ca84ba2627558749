/**
 * C variables that hold Fortran handles, since they are passed to MPI_Comm_f2c or returned by MPI_Comm_c2f, and
 * variables passed to MPI routines as numbers. For handles, only plain names count, each within its function, which
 * ends at a brace in the first column.
 */
import type { HandleKind } from '../mpi/records';
import { CUses } from './c-uses';
import type { Inference, Reason } from './infer';
import type { SourceLocation } from './program-model';

const kinds = 'Comm|Type|Errhandler|File|Group|Info|Message|Op|Request|Session|Win';
const cast = String.raw`(?:\(\s*(?:const\s+)?(?:MPI_Fint|int|int32_t)\s*\*?\s*\)\s*)?`;
const f2c = new RegExp(
  String.raw`\bMPI_(${kinds})_f2c\s*\(\s*\*?\s*${cast}\*?\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?\)`,
  'g',
);
const c2f = new RegExp(String.raw`\b([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?=\s*${cast}MPI_(${kinds})_c2f\s*\(`, 'g');

const kindOf = (word: string): HandleKind => (word === 'Type' ? 'datatype' : (word.toLowerCase() as HandleKind));

interface Found extends Reason {
  readonly name: string;
}

/** The handles and numbers of one C or C++ source, queried by line. */
export class CSource {
  private readonly found: Found[];
  /** The line of each brace that ends a function. */
  private readonly ends: number[];
  readonly uses: CUses;

  constructor(file: string, text: string) {
    const code = withoutComments(text);
    const lineStarts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.ends = [...code.matchAll(/^\}/gm)].map(({ index }) => lineAt(lineStarts, index));
    const locate = (index: number): SourceLocation => {
      const line = lineAt(lineStarts, index);
      return { file, line, column: index - (lineStarts[line - 1] ?? 0) + 1 };
    };
    this.uses = new CUses(code, locate);
    const reason = (index: number, name: string, word: string, text: string): Found => ({
      ...{ name, kind: kindOf(word), text, location: locate(index), via: [] },
    });
    this.found = [
      ...[...code.matchAll(f2c)].map(({ index, 1: word = '', 2: name = '' }) =>
        reason(index, name, word, `passed to MPI_${word}_f2c`),
      ),
      ...[...code.matchAll(c2f)].map(({ index, 1: name = '', 2: word = '' }) =>
        reason(index, name, word, `returned by MPI_${word}_c2f`),
      ),
    ];
  }

  /** The kind of a variable in the function at a line. */
  inferenceAt(line: number, name: string): Inference | undefined {
    const first = (this.ends.findLast((end) => end < line) ?? 0) + 1;
    const last = this.ends.find((end) => end >= line) ?? Infinity;
    const here = this.found.filter(
      (found) => found.name === name && found.location.line >= first && found.location.line <= last,
    );
    const kinds = new Set(here.map(({ kind }) => kind));
    const reasons = [...kinds].flatMap((kind) => here.find((found) => found.kind === kind) ?? []);
    if (reasons.length === 0) return undefined;
    return { kind: reasons.length === 1 ? reasons[0]?.kind : undefined, reasons, integer: undefined };
  }
}

/** Blanks out comments and string literals; positions do not change. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"/g, (whole) => whole.replace(/[^\n]/g, ' '));
}

function lineAt(lineStarts: readonly number[], index: number): number {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= index) low = middle;
    else high = middle;
  }
  return low + 1;
}
