/** Files that a process had mapped to be run, and of which nothing is here: why not, in words for the user. */
import { isDeleted, whyUnlike, type FoundFile } from './core-files';

/** A library of a core file without symbols. */
export interface AbsentFile extends Pick<FoundFile, 'file' | 'path' | 'buildId' | 'unlike'> {
  readonly kind: 'absent';
}

/** "/home/me/libsolver.so is not here". */
export function whyAbsent(absent: Omit<AbsentFile, 'kind'>): string {
  const { path, buildId, unlike } = absent;
  if (path.startsWith('/memfd:')) return `${path} was only in the memory of the process`;
  if (isDeleted(absent)) return `${path} had been deleted or replaced before the core file was written`;
  return unlike === undefined ? `${path} is not here` : `${path} here ${whyUnlike(unlike, buildId)}`;
}
