/** The Fortran sources of a program and the kinds inferred from them, for the debugger and the language server. */
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

/** The user's annotation of a variable, which overrides the inference. */
export interface SaidOfVariable {
  /** A designator without subscripts, in lower case. */
  readonly variable: string;
  /** null: not a handle. */
  readonly kind: HandleKind | null;
  /** Whether it applies to this procedure, program or module of this file. */
  readonly isFor: (procedure: string, file: string) => boolean;
}

export class FortranSources {
  private readonly names = new GlobalNames();
  private readonly program = new Program(this.names);
  /** The results for each file; a file is analysed again only if an edit may have changed them. */
  private readonly inferredOf = new Map<LinkedFile, FileInference>();
  private inferred: InferredProgram | undefined;
  private annotations: readonly SaidOfVariable[] = [];

  /** `readInclude`: returns the text of an included file, if it can be found. */
  constructor(private readonly readInclude?: ReadInclude) {}

  /** Adds a file, or replaces its text. */
  set(file: string, text: string, form: SourceForm = sourceFormIn(file, text)): void {
    this.names.set(scanSource(file, text, form, this.readInclude));
    this.inferred = undefined;
  }

  delete(file: string): void {
    this.names.delete(file);
    this.inferred = undefined;
  }

  /** Replaces the user's annotations. */
  setOverrides(annotations: readonly SaidOfVariable[]): void {
    this.annotations = annotations;
    this.inferred = undefined;
  }

  has(file: string): boolean {
    return this.names.files.has(file);
  }

  /** The inference for all files, computed on first use after a change. */
  infer(): InferredProgram {
    if (this.inferred === undefined) {
      const files = this.currentFiles();
      const inferences = inferHandles(files.map(({ open }) => open));
      for (const { closed } of files) for (const [entity, inference] of closed) inferences.set(entity, inference);
      for (const annotation of this.annotations) applyAnnotation(this.program, inferences, annotation);
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
   * The inference for a designator without subscripts (`comm`, `grid%comm`) at a line of a file; undefined: none.
   * `inProcedure`: the procedure that the line belongs to according to debug information; it decides if the text has
   * changed since.
   */
  inferenceAt(file: string, line: number, path: string, inProcedure?: string): Inference | undefined {
    const { inferences } = this.infer();
    const entity = this.entityAt(file, line, path, inProcedure);
    return entity && inferences.get(entity);
  }

  /**
   * The plain INTEGER arguments of MPI routines that a designator's variable is passed as; parameters as in
   * inferenceAt.
   */
  usesAt(file: string, line: number, path: string, inProcedure?: string): NumberUse[] {
    this.infer();
    return this.usesOf(this.entityAt(file, line, path, inProcedure));
  }

  /** The plain INTEGER arguments of MPI routines that this variable is passed as. */
  usesOf(entity: Entity | undefined): NumberUse[] {
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

function applyAnnotation(
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
