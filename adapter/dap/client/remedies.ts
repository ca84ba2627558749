/** What VS Code offers beside an error, in place of launch.json: commands of our extension. */
import { LaunchError } from '../../job/start-error';
import type { LaunchAdvice } from '../../job/advice';

export interface Remedy {
  /** The text of the button. */
  label: string;
  command: string;
}

export const remedies = {
  chooseProgram: { label: 'Choose Program…', command: 'mpidbg.startProgram' },
  openCores: { label: 'Open Core Files…', command: 'mpidbg.openCores' },
  showSteps: { label: 'Show the First Steps', command: 'mpidbg.showSteps' },
} as const satisfies Record<string, Remedy>;

const remedyOf: Partial<Record<LaunchAdvice['kind'], keyof typeof remedies>> = {
  nameProgram: 'chooseProgram',
  buildProgram: 'chooseProgram',
  programInFolder: 'chooseProgram',
  executableProgram: 'chooseProgram',
  openCores: 'openCores',
  installLauncher: 'showSteps',
  correctLauncher: 'showSteps',
};

/** Undefined: launch.json is where it is mended, or nothing helps. */
export function remedyFor(error: unknown): Remedy | undefined {
  const advice = error instanceof LaunchError ? error.launchNotice.advice : undefined;
  const name = advice === undefined ? undefined : remedyOf[advice.kind];
  return name === undefined ? undefined : remedies[name];
}
