/** What the user says of INTEGERs that the program does not explain. It beats what is inferred. */
import { basename } from 'node:path';
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
export interface AnnotatedPlace {
  function: string | undefined;
  file: string | undefined;
}

/** A variable or component as Annotation.variable names it. */
export function isDesignator(text: string): boolean {
  return /^[a-z_]\w*(::[a-z_]\w*)?((%|\.)[a-z_]\w*)*$/i.test(text);
}

export class Annotations {
  private list: Annotation[] = [];

  /** The last word on a variable in its scope counts. */
  add(annotation: Annotation): void {
    const key = keyOf(annotation);
    this.list = [...this.list.filter((other) => keyOf(other) !== key), annotation];
  }

  /** null: not a handle; undefined: nothing is said of it. The narrower scope counts. */
  kindOf(variable: string, place: AnnotatedPlace): HandleKind | null | undefined {
    const wanted = variable.toLowerCase();
    const fitting = this.list.filter(
      (annotation) => annotation.variable.toLowerCase() === wanted && fits(annotation, place),
    );
    const breadth = ({ function: fn, file }: Annotation): number =>
      (fn === undefined ? 2 : 0) + (file === undefined ? 1 : 0);
    return fitting.sort((a, b) => breadth(a) - breadth(b))[0]?.kind;
  }
}

function keyOf({ variable, function: fn, file }: Annotation): string {
  return JSON.stringify([variable.toLowerCase(), fn?.toLowerCase(), file]);
}

/** Whether it is meant for this place. */
export function fits(annotation: Annotation, place: AnnotatedPlace): boolean {
  return (
    (annotation.function === undefined || sameFunction(annotation.function, place.function)) &&
    (annotation.file === undefined || sameFile(annotation.file, place.file))
  );
}

function sameFunction(wanted: string, actual: string | undefined): boolean {
  const own = actual?.toLowerCase();
  return own === wanted.toLowerCase() || own?.split('::').at(-1) === wanted.toLowerCase();
}

function sameFile(wanted: string, actual: string | undefined): boolean {
  return actual !== undefined && (actual === wanted || actual.endsWith(`/${wanted}`) || basename(actual) === wanted);
}
