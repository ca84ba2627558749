/** Which INTEGERs of a frame are handles: by the user's annotation, else from the sources. */
import { kindInWords } from '../../plugin-api/fortran/diagnostics';
import { describeReason, type Inference } from '../../plugin-api/fortran/infer';
import { numberNames } from '../../plugin-api/fortran/number-names';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { GdbThread } from '../gdb/mi/context';
import { dimensionCount, firstExtent, isInteger, isPointerToInteger } from '../gdb/integer-type';
import { listSourceFiles } from '../gdb/mi/file-commands';
import type { Frame } from '../stacks/frame';
import { noticeText, type AdviceWords } from '../job/advice';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { TypeMeaning } from '../expressions/handle-types';
import type { KindOfVariable, KnownInteger } from '../expressions/known-integer';
import { Annotations, type Annotation } from './annotations';
import { ProgramSources } from './program-sources';

/** What the sources of a job's programs say about handles, each read once, and what the user's annotations say. */
export class IntegerHandles {
  private readonly programs = new Map<string, ProgramSources>();

  constructor(
    private readonly adviceWords: AdviceWords,
    readonly annotations = new Annotations(),
  ) {}

  /**
   * The known INTEGERs of a frame. `program`: the path of the executable, asked for only when a source must be read.
   */
  in(
    thread: GdbThread,
    { function: fn, fullName: file, line }: Pick<Frame, 'function' | 'fullName' | 'line'>,
    program: () => Promise<string>,
  ): KindOfVariable {
    return async (path) => {
      const designator = designatorOf(path, fn);
      if (designator === undefined) return undefined;
      const { variable, scope } = designator;
      const lookedAt = scope === undefined ? { function: fn, file } : { function: scope, file: undefined };
      const said = this.annotations.kindOf(variable, lookedAt);
      if (said !== undefined) return { kind: said, because: 'your annotation' };
      if (file === undefined || line === undefined) return undefined;
      const sources = this.sourcesOf(thread, await program());
      const inference = await sources.inferenceAt(file, line, variable, { scope, fn });
      if (inference !== undefined) return knownFrom(inference);
      return sources.isMissing(file) ? { kind: null, because: this.sourceMissing(file), isUntold: true } : undefined;
    };
  }

  /**
   * What MPI calls values of a variable of a frame, by the MPI routines that its function gives it to; empty where nothing
   * tells. Elements of a Fortran array may be anything: only scalars count there. `program`: as for `in`.
   */
  async numberNames(
    thread: GdbThread,
    { function: fn, fullName: file, line }: Pick<Frame, 'function' | 'fullName' | 'line'>,
    path: string,
    program: () => Promise<string>,
  ): Promise<readonly string[]> {
    const [, named, variable = ''] = /^(?:(?:\w+::)*(\w+)::)?([\w.%*&[\] >-]+)$/.exec(path.trim()) ?? [];
    if (file === undefined || line === undefined || variable === '') return [];
    const scope = scopeBeside(named, fn);
    return numberNames(await this.sourcesOf(thread, await program()).usesAt(file, line, variable, { scope, fn }));
  }

  private sourceMissing(file: string): string {
    const text = `${file}, which would tell, was not found`;
    return noticeText({ text, advice: { kind: 'sourceFolder' } }, this.adviceWords);
  }

  /** As ProgramSources.isDeclared. */
  isDeclared(thread: GdbThread, program: string, annotation: Annotation): Promise<boolean | undefined> {
    return this.sourcesOf(thread, program).isDeclared(annotation);
  }

  private sourcesOf(thread: GdbThread, program: string): ProgramSources {
    let sources = this.programs.get(program);
    if (sources === undefined) {
      sources = new ProgramSources(
        async () => (await listSourceFiles(thread)).map(({ path }) => path),
        this.annotations,
      );
      this.programs.set(program, sources);
    }
    return sources;
  }
}

function knownFrom({ kind, reasons }: Inference): KnownInteger {
  if (kind !== undefined) return { kind, because: reasons.map(describeReason).join('; ') };
  const because = reasons.map((reason) => `${kindInWords(reason.kind)}: ${describeReason(reason)}`).join('; ');
  return { kind: null, because, isContradicted: true };
}

/** What a variable means in its frame: what is known of it as an INTEGER, else its declared type. */
export async function meaningIn(
  evalFrame: Pick<EvaluationFrame, 'kindOfVariable' | 'statusLength'>,
  type: string,
  path: string | undefined,
  declared: TypeMeaning,
): Promise<TypeMeaning> {
  if (evalFrame.kindOfVariable === undefined || path === undefined || declared.form !== 'other' || !isInteger(type)) {
    return declared;
  }
  const known = await evalFrame.kindOfVariable(path);
  if (known?.isContradicted) return { form: 'other', conflict: known.because };
  if (known?.isUntold) return { form: 'other', untold: known.because };
  const kind = known?.kind;
  if (!kind) return declared;
  const meaning =
    kind === 'status' ? meaningOfStatus(type, path, await evalFrame.statusLength?.()) : meaningOfInteger(type, kind);
  return meaning ? { ...meaning, because: known.because } : declared;
}

/** What an INTEGER variable means, by its type as gdb prints it and its kind, which is no status. */
function meaningOfInteger(type: string, kind: HandleKind): IntegerMeaning {
  if (isPointerToInteger(type)) return { form: 'pointer', kind };
  return { form: dimensionCount(type) === 0 ? 'integer' : 'array', kind };
}

/**
 * A status is as many INTEGERs as MPI writes there: an array of just this length, and one of two dimensions has a status
 * in each column. Whatever else is named of it are numbers. `length`: undefined where the MPI is not known.
 */
function meaningOfStatus(type: string, path: string, length: number | undefined): IntegerMeaning | undefined {
  if (length === undefined || firstExtent(type) !== length || cutsColumns(path)) return undefined;
  return { form: dimensionCount(type) === 1 ? 'handle' : 'array', kind: 'status' };
}

/** True for `stat(1,:)` and `stat(3:8,2)`: the columns of stat are not taken from their first element on. */
function cutsColumns(path: string): boolean {
  const [, first] = /\(\s*([^(),]*?)\s*(?:,[^()]*)?\)\s*$/.exec(path) ?? [];
  return first !== undefined && !/^1?\s*:[^:]*$/.test(first);
}

type IntegerMeaning = Extract<TypeMeaning, { because?: string }>;

interface VariableName {
  /** Without subscripts. */
  variable: string;
  /** What it is named with, where that is not the function of the frame. */
  scope: string | undefined;
}

/** "step::reqs(2)" → reqs of step; undefined for what is no designator. */
function designatorOf(path: string, inFunction: string | undefined): VariableName | undefined {
  const bare = path.replace(/^\*/, '').replace(/\([^()]*\)|\[[^\]]*\]|\s+/g, '');
  const [, scope, variable] = /^(?:(?:\w+::)*(\w+)::)?([A-Za-z_]\w*(?:%\w+)*)$/.exec(bare) ?? [];
  return variable === undefined ? undefined : { variable, scope: scopeBeside(scope, inFunction) };
}

/** undefined: it is the function itself. */
function scopeBeside(scope: string | undefined, inFunction: string | undefined): string | undefined {
  return scope?.toLowerCase() === inFunction?.toLowerCase().split('::').at(-1) ? undefined : scope;
}
