/** What the user should know of the libraries of core files that are not here as the processes had them: for all cores together. */
import { whyAbsent } from '../../images/core/absent-files';
import { isDeleted, type FoundFile } from '../../images/core/core-files';
import type { Notice } from '../../job/advice';
import type { FoundCore } from './core-identity';

const maxLibraries = 5;

export function libraryFindings(cores: readonly FoundCore[]): Notice[] {
  const lost = [...new Map(cores.flatMap((core) => core.lost).map((file) => [whyAbsent(file), file])).values()];
  const absentMpis = new Set(cores.map(({ absentMpi }) => absentMpi?.path));
  const isOfOtherVersion = (file: FoundFile): boolean => file.unlike?.kind === 'build' && !isDeleted(file);
  const others = lost.filter((file) => {
    // A missing MPI library is named with what that means.
    return !isOfOtherVersion(file) && !(file.unlike === undefined && absentMpis.has(file.path));
  });
  const withoutMpi = cores.some(({ absentMpi }) => absentMpi?.unlike !== undefined);
  return [
    ...otherVersions(lost.filter(isOfOtherVersion), withoutMpi),
    ...others.map((file) => ({
      text: `${whyAbsent(file)}: its functions and variables are unknown, and stacks may end there`,
      ...(!isDeleted(file) && { advice: { kind: 'libraryFolder' } as const }),
    })),
    ...unproven(cores),
  ];
}

function otherVersions(files: readonly FoundFile[], withoutMpi: boolean): Notice[] {
  if (files.length === 0) return [];
  const libraries = files.map(({ path, buildId, unlike }) => {
    const own = unlike?.kind === 'build' ? unlike.buildId : undefined;
    return `${path} (build-id ${own ?? 'none'} here, ${buildId ?? 'unknown'} in the core)`;
  });
  const right = withoutMpi
    ? 'memory and the variables of the frames that are shown are right, MPI handles cannot be decoded'
    : 'memory, the variables of the frames that are shown and MPI handles are right';
  const verb = libraries.length === 1 ? 'is another version' : 'are other versions';
  const text =
    `${first(libraries)} ${verb} than the process had: its functions are unknown, and` +
    ` stacks may end there; ${right}`;
  return [{ text, advice: { kind: 'libraryFolder' } }];
}

/** Files that are used, although they may be of another build. */
function unproven(cores: readonly FoundCore[]): Notice[] {
  const files = cores.flatMap(({ identity: { image } }) => image.mappedFiles());
  if (!files.some(({ here, isVerified }) => here !== undefined && !isVerified)) return [];
  const text =
    'the core file holds neither build-ids nor the first pages of files (see coredump_filter in core(5)), so nothing proves that' +
    ' the program and the libraries here are those that the process had: functions, lines and constants may be of another build';
  return [{ text }];
}

function first(names: readonly string[]): string {
  const more = names.length > maxLibraries ? ` and ${names.length - maxLibraries} more` : '';
  return `${names.slice(0, maxLibraries).join(', ')}${more}`;
}
