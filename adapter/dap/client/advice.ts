/** Advice in the words of launch.json: with the names of its attributes. */
import type { Advice, LaunchAdvice } from '../../job/advice';

export function adviceText({ kind }: Advice): string {
  switch (kind) {
    case 'libraryFolder':
      return 'name the folder of the right one with "searchPath"';
    case 'rightProgram':
      return 'name the right one with "program", or its folder with "searchPath"';
    case 'correctProgram':
      return 'correct "program"';
    case 'debugInformation':
      return 'if it was stripped, give the folder of its debug information by build-id with "searchPath", else compile with -g for the next time';
    case 'sourceFolder':
      return 'map its folder with "sourceFileMap"';
  }
}

export function launchAdviceText(advice: LaunchAdvice): string {
  switch (advice.kind) {
    case 'nameProgram':
      return 'name one with "program"';
    case 'buildProgram':
      return 'build it, or correct "program"';
    case 'programInFolder':
      return 'name the program in it with "program"';
    case 'executableProgram':
      return 'name the built program with "program", or run chmod +x on it';
    case 'openCores':
      return 'use "request": "attach" with "cores"';
    case 'nameLauncher':
      return `set ${advice.lacksLibrary ? 'LD_LIBRARY_PATH in "env", or ' : ''}"launcher" to the mpirun or mpiexec of the MPI that it uses`;
    case 'otherLauncher':
      return `leave "launcher" out, or name that of ${advice.title}`;
    case 'correctLauncher': {
      const what = advice.package === undefined ? 'MPI of the program' : `package ${advice.package}`;
      return `install the ${what}, or correct "launcher"`;
    }
    case 'installLauncher': {
      const from = advice.package === undefined ? '' : ` (package ${advice.package} on Debian and Ubuntu)`;
      return `install it${from}, or name it with "launcher"`;
    }
    case 'libraryPath':
      return 'set LD_LIBRARY_PATH in "env"';
    case 'workingFolder':
      return 'correct "cwd"';
    case 'standardInput':
      return 'correct "stdin"';
    case 'numberOfRanks':
      return `set "ranks" to a number from 1 to ${advice.max}`;
  }
}
