/** The user's annotations of INTEGERs, which override what is inferred. */
import { basename } from 'node:path';
import type { SaidOfVariable } from '../../plugin-api/fortran/sources';
import type { HandleKind } from '../../plugin-api/mpi/records';

export interface Annotation {
  /** A designator without subscripts: "comm", "grid%comm", "halo_types::world". */
  variable: string;
  /** null: it is no handle. */
  kind: HandleKind | null;
  /** Missing: in every function. A procedure of a module is named with or without it. */
  function?: string;
  /** Missing: in every file. A path's last parts are enough. */
  file?: string;
}

/** Where a variable is looked at. */
export interface LookedAt {
  function: string | undefined;
  file: string | undefined;
}

/** A variable or component as Annotation.variable names it. */
export function isDesignator(text: string): boolean {
  return /^[a-z_]\w*(::[a-z_]\w*)?((%|\.)[a-z_]\w*)*$/i.test(text);
}

export class Annotations {
  private list: readonly Annotation[] = [];

  /** The last annotation of a variable in its scope counts. */
  add(annotation: Annotation): void {
    this.remove(annotation);
    this.list = [...this.list, annotation];
  }

  /** Removes the annotations of this variable in this scope. */
  remove(annotation: Omit<Annotation, 'kind'>): void {
    const key = keyOf(annotation);
    this.list = this.list.filter((other) => keyOf(other) !== key);
  }

  /** The annotations for the sources; the same list until something changes. */
  get all(): readonly Annotation[] {
    return this.list;
  }

  /** null: not a handle; undefined: no annotation. The narrower scope counts. */
  kindOf(variable: string, lookedAt: LookedAt): HandleKind | null | undefined {
    const wanted = variable.toLowerCase();
    const fitting = this.list.filter((annotation) => nameOf(annotation) === wanted && fits(annotation, lookedAt));
    const breadth = (annotation: Annotation): number =>
      (functionOf(annotation) === undefined ? 2 : 0) + (annotation.file === undefined ? 1 : 0);
    return fitting.sort((a, b) => breadth(a) - breadth(b))[0]?.kind;
  }
}

/** "halo_types::grid%comm" → "grid%comm". */
function nameOf({ variable }: Pick<Annotation, 'variable'>): string {
  return variable
    .toLowerCase()
    .replaceAll('.', '%')
    .replace(/^\w+::/, '');
}

/** What is said of "halo_types::world" holds in that module. */
function functionOf({ variable, function: fn }: Omit<Annotation, 'kind'>): string | undefined {
  return fn ?? /^(\w+)::/.exec(variable)?.[1];
}

function keyOf({ variable, function: fn, file }: Omit<Annotation, 'kind'>): string {
  return JSON.stringify([variable.toLowerCase(), fn?.toLowerCase(), file]);
}

/** An annotation as the inference on sources takes it. */
export function saidOf(annotation: Annotation): SaidOfVariable {
  return {
    variable: nameOf(annotation),
    kind: annotation.kind,
    isFor: (procedure, file) => fits(annotation, { function: procedure, file }),
  };
}

/** Whether it applies to this place. */
function fits(annotation: Annotation, lookedAt: LookedAt): boolean {
  const fn = functionOf(annotation);
  return (
    (fn === undefined || sameFunction(fn, lookedAt.function)) &&
    (annotation.file === undefined || sameFile(annotation.file, lookedAt.file))
  );
}

function sameFunction(wanted: string, actual: string | undefined): boolean {
  const own = actual?.toLowerCase();
  return own === wanted.toLowerCase() || own?.split('::').at(-1) === wanted.toLowerCase();
}

function sameFile(wanted: string, actual: string | undefined): boolean {
  return actual !== undefined && (actual === wanted || actual.endsWith(`/${wanted}`) || basename(actual) === wanted);
}
