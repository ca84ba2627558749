/** The source files of a program as its debug information names them, and what is inferred about their INTEGERs. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CSource } from '../../plugin-api/fortran/c-sources';
import type { Inference } from '../../plugin-api/fortran/infer';
import type { NumberUse } from '../../plugin-api/fortran/number-names';
import { includeFolders, type ReadInclude } from '../../plugin-api/fortran/scan';
import { isFortranFile } from '../../plugin-api/fortran/file-names';
import { entityIn, inferenceIn, isDeclared } from '../../plugin-api/fortran/declarations';
import { FortranSources } from '../../plugin-api/fortran/sources';
import { readRegularFile } from '../elf/byte-source';
import { unlessShort } from '../elf/shortage-error';
import { saidOf, type Annotation, type Annotations } from './annotations';

/** The most characters of all sources together; more are left out. A large application has a tenth of this. */
const maxText = 256 * 1024 * 1024;

/** Lists the absolute paths of a program's sources. */
export type ListSources = () => Promise<readonly string[]>;

/** What a variable is named with, and the function of the frame. */
interface NamedFrom {
  scope: string | undefined;
  fn: string | undefined;
}

/** The sources of one program. They are read when they are first asked for; missing files are skipped. */
export class ProgramSources {
  private readonly fortran = new FortranSources(readInclude);
  private reading: Promise<void> | undefined;
  private annotated: readonly Annotation[] = [];
  private readonly c = new Map<string, CSource | undefined>();

  constructor(
    private readonly list: ListSources,
    private readonly annotations: Annotations,
  ) {}

  /**
   * `path`: a designator of the file's language without subscripts; in Fortran `scope` is the module, program or
   * procedure that it is named with. `fn`: the function that the line is of, as the debug information has it.
   */
  async inferenceAt(
    file: string,
    line: number,
    path: string,
    { scope, fn }: NamedFrom,
  ): Promise<Inference | undefined> {
    if (isFortranFile(file)) {
      const sources = await this.fortranSources();
      return scope === undefined
        ? sources.inferenceAt(file, line, path, procedureIn(fn))
        : inferenceIn(sources.infer(), scope, path);
    }
    return this.cSource(file)?.inferenceAt(line, path);
  }

  /** What MPI's routines are given a variable as, in C in the function around the line; else as inferenceAt. */
  async usesAt(file: string, line: number, path: string, { scope, fn }: NamedFrom): Promise<NumberUse[]> {
    if (isFortranFile(file)) {
      const sources = await this.fortranSources();
      return scope === undefined
        ? sources.usesAt(file, line, path, procedureIn(fn))
        : sources.usesOf(entityIn(sources.infer(), scope, path));
    }
    return scope === undefined ? (this.cSource(file)?.uses.at(line, path) ?? []) : [];
  }

  private cSource(file: string): CSource | undefined {
    if (!this.c.has(file)) {
      const text = readText(file);
      this.c.set(file, text === undefined ? undefined : new CSource(file, text));
    }
    return this.c.get(file);
  }

  /** Whether a Fortran source can be read that the debug information names. */
  isMissing(file: string): boolean {
    return isFortranFile(file) && !existsSync(file);
  }

  /** Whether there is such a variable in such a scope; undefined: there is no such scope in the Fortran sources. */
  async isDeclared(annotation: Annotation): Promise<boolean | undefined> {
    const { variable, isFor } = saidOf(annotation);
    return isDeclared((await this.fortranSources()).infer(), variable, isFor);
  }

  /** With the user's current annotations. */
  private async fortranSources(): Promise<FortranSources> {
    await (this.reading ??= this.readFortran());
    const { all } = this.annotations;
    if (all !== this.annotated) this.fortran.setOverrides(all.map(saidOf));
    this.annotated = all;
    return this.fortran;
  }

  private async readFortran(): Promise<void> {
    let left = maxText;
    for (const file of new Set(await this.list())) {
      if (!isFortranFile(file)) continue;
      const text = readText(file);
      if (text === undefined || text.length > left) continue;
      left -= text.length;
      this.fortran.set(file, text);
    }
  }
}

/** "halo::exchange.0": exchange. */
function procedureIn(fn: string | undefined): string | undefined {
  return fn?.split('::').at(-1)?.replace(/\..*/, '');
}

/** Editors of Windows begin a file with the mark of UTF-8. */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

export const readInclude: ReadInclude = (name, from) => {
  for (const folder of includeFolders) {
    const file = join(dirname(from), folder, name);
    const text = readText(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
};

function readText(file: string): string | undefined {
  try {
    return withoutMark(readRegularFile(file, maxText).toString('utf8'));
  } catch (error) {
    return unlessShort(undefined)(error);
  }
}
