/** The Fortran sources of a program, and what is inferred of them; both the debugger and the language server ask here. */
import type { HandleKind } from '../mpi/records';
import { inferHandles, type Inference } from './infer';
import { Program, type Entity } from './program';
import type { SourceModel } from './program-model';
import { scanSource, type ReadInclude } from './scan';
import { sourceFormOf, type SourceForm } from './source-lines';

/** A program as it was when it was asked for; a later edit makes another one. */
export interface InferredProgram {
  readonly program: Program;
  readonly inferences: ReadonlyMap<Entity, Inference>;
}

export class FortranSources {
  private readonly models = new Map<string, SourceModel>();
  private inferred: InferredProgram | undefined;

  /** `readInclude` gives the text of an included file, where it is to be had. */
  constructor(private readonly readInclude?: ReadInclude) {}

  /** Takes a file's text, new or changed. The form follows from the name where it is not given. */
  set(file: string, text: string, form: SourceForm = sourceFormOf(file)): void {
    this.models.set(file, scanSource(file, text, form, this.readInclude));
    this.inferred = undefined;
  }

  delete(file: string): void {
    if (this.models.delete(file)) this.inferred = undefined;
  }

  has(file: string): boolean {
    return this.models.has(file);
  }

  /** Everything together; worked out when it is first asked for after a change. */
  infer(): InferredProgram {
    if (this.inferred === undefined) {
      const program = new Program([...this.models.values()]);
      this.inferred = { program, inferences: inferHandles(program) };
    }
    return this.inferred;
  }

  /** What a designator is (`comm`, `grid%comm`, subscripts left out) at a line of a file; undefined: nothing is known. */
  inferenceAt(file: string, line: number, path: string): Inference | undefined {
    const { program, inferences } = this.infer();
    const scope = program.scopeAt(file, line);
    const entity = scope && program.resolve(scope, path.toLowerCase(), { file, line, column: 1 });
    return entity && inferences.get(entity);
  }

  kindAt(file: string, line: number, path: string): HandleKind | undefined {
    return this.inferenceAt(file, line, path)?.kind;
  }
}
