/** The Fortran sources of a program and what is inferred from them, for both the debugger and the language server. */
import type { HandleKind } from '../mpi/records';
import { inferFile, type FileInference } from './file-inference';
import { GlobalNames } from './global-names';
import { inferHandles, type Inference } from './infer';
import type { NumberUse } from './number-names';
import { Program, type Entity, type LinkedFile } from './program';
import { scanSource, type ReadInclude } from './scan';
import { sourceFormIn } from './source-form';
import type { SourceForm } from './source-lines';

/** Valid until the next edit; ask again after that. */
export interface InferredProgram {
  readonly program: Program;
  readonly inferences: ReadonlyMap<Entity, Inference>;
}

/** The user's annotation of a variable, which overrides what is inferred. */
export interface SaidOfVariable {
  /** A designator without subscripts, in lower case. */
  readonly variable: string;
  /** null: no handle. */
  readonly kind: HandleKind | null;
  /** Whether it applies to this procedure (or program, or module) of this file. */
  readonly isFor: (procedure: string, file: string) => boolean;
}

export class FortranSources {
  private readonly names = new GlobalNames();
  private readonly program = new Program(this.names);
  /** What each file says; analysed again only where an edit may have changed it. */
  private readonly inferredOf = new Map<LinkedFile, FileInference>();
  private inferred: InferredProgram | undefined;
  private said: readonly SaidOfVariable[] = [];

  /** `readInclude` gives the text of an included file, if it can be found. */
  constructor(private readonly readInclude?: ReadInclude) {}

  /** Takes a file's text, new or changed. */
  set(file: string, text: string, form: SourceForm = sourceFormIn(file, text)): void {
    this.names.set(scanSource(file, text, form, this.readInclude));
    this.inferred = undefined;
  }

  delete(file: string): void {
    this.names.delete(file);
    this.inferred = undefined;
  }

  /** Replaces the user's annotations. */
  setOverrides(said: readonly SaidOfVariable[]): void {
    this.said = said;
    this.inferred = undefined;
  }

  has(file: string): boolean {
    return this.names.files.has(file);
  }

  /** Everything together; computed on first use after a change. */
  infer(): InferredProgram {
    if (this.inferred === undefined) {
      const files = this.currentFiles();
      const inferences = inferHandles(files.map(({ open }) => open));
      for (const { closed } of files) for (const [entity, inference] of closed) inferences.set(entity, inference);
      for (const said of this.said) applySaid(this.program, inferences, said);
      this.inferred = { program: this.program, inferences };
    }
    return this.inferred;
  }

  private currentFiles(): FileInference[] {
    for (const file of this.names.update()) this.inferredOf.set(file, inferFile(this.program, file));
    const files = new Set(this.names.files.values());
    for (const file of this.inferredOf.keys()) if (!files.has(file)) this.inferredOf.delete(file);
    return [...files].flatMap((file) => this.inferredOf.get(file) ?? []);
  }

  /**
   * What a designator is (`comm`, `grid%comm`, subscripts left out) at a line of a file; undefined: nothing is known.
   * `inProcedure`: where the line is said to be; it counts when the text has changed since.
   */
  inferenceAt(file: string, line: number, path: string, inProcedure?: string): Inference | undefined {
    const { inferences } = this.infer();
    const entity = this.entityAt(file, line, path, inProcedure);
    return entity && inferences.get(entity);
  }

  /** What MPI's routines are given a designator's variable as; see inferenceAt. */
  usesAt(file: string, line: number, path: string, inProcedure?: string): NumberUse[] {
    this.infer();
    const entity = this.entityAt(file, line, path, inProcedure);
    return entity === undefined ? [] : [...this.inferredOf.values()].flatMap(({ uses }) => uses.get(entity) ?? []);
  }

  private entityAt(file: string, line: number, path: string, inProcedure?: string): Entity | undefined {
    const scope = this.program.scopeAt(file, line, inProcedure);
    return scope && this.program.resolve(scope, path.toLowerCase(), { file, line, column: 1 });
  }

  kindAt(file: string, line: number, path: string): HandleKind | undefined {
    return this.inferenceAt(file, line, path)?.kind;
  }
}

function applySaid(
  program: Program,
  inferences: Map<Entity, Inference>,
  { variable, kind, isFor }: SaidOfVariable,
): void {
  for (const scope of program.scopes.flat()) {
    const { name, location } = scope.scope;
    const entity = isFor(name, location.file) ? program.resolve(scope, variable, location) : undefined;
    if (entity?.variable === undefined) continue;
    if (kind === null) inferences.delete(entity);
    else {
      const reasons = [{ kind, text: 'your setting mpidbg.handles', location: entity.location, via: [] }];
      inferences.set(entity, { kind, reasons, integer: undefined });
    }
  }
}
