/**
 * What the user can do about a problem, as data. What helps is known where the problem is found; what the option is
 * called, the front ends know: each words it in one place.
 */
export type Advice =
  /** Say where the right build of a library is. */
  | { kind: 'libraryFolder' }
  /** Say which program wrote the core files, or where it is. */
  | { kind: 'rightProgram' }
  /** The program that was named for core files is not there. */
  | { kind: 'correctProgram' }
  /** Say where the debug information of a stripped program is, by build-id. */
  | { kind: 'debugInformation' }
  /** Say where a source is now. */
  | { kind: 'sourceFolder' };

/** What can be done about a launch that cannot be. `package`: of Debian, that has what is missing. */
export type LaunchAdvice =
  | { kind: 'nameProgram' }
  | { kind: 'buildProgram' }
  | { kind: 'programInFolder' }
  | { kind: 'executableProgram' }
  /** The program is a core file. */
  | { kind: 'openCores' }
  /** Nothing shows which launcher is right. `lacksLibrary`: a library of the program, which may show it, is not found. */
  | { kind: 'nameLauncher'; lacksLibrary: boolean }
  /** The MPI called `title` needs its own. */
  | { kind: 'otherLauncher'; title: string }
  /** The one that was named is not there. */
  | { kind: 'correctLauncher'; package: string | undefined }
  /** None was named, and none is found. */
  | { kind: 'installLauncher'; package: string | undefined }
  | { kind: 'libraryPath' }
  | { kind: 'workingFolder' }
  | { kind: 'standardInput' }
  | { kind: 'numberOfRanks'; max: number };

export type AdviceWords<Kind = Advice> = (advice: Kind) => string;

/** One sentence for the user, and what to do about it. */
export interface Notice<Kind = Advice> {
  text: string;
  advice?: Kind;
}

/** "there is no program /a/b: correct --program". */
export function noticeText<Kind>({ text, advice }: Notice<Kind>, words: AdviceWords<Kind>): string {
  if (advice === undefined) return text;
  return `${text}${text.includes(': ') ? ';' : ':'} ${words(advice)}`;
}
