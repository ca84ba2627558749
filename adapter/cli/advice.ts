/** Advice in the words of the command line: with the names of its options. */
import type { Advice } from '../job/advice';

export function adviceText({ kind }: Advice): string {
  switch (kind) {
    case 'libraryFolder':
      return 'name the folder of the right one with --search-path';
    case 'rightProgram':
      return 'name the right one with --program, or its folder with --search-path';
    case 'correctProgram':
      return 'correct --program';
    case 'debugInformation':
      return 'if it was stripped, give the folder of its debug information by build-id with --search-path, else compile with -g for the next time';
    case 'sourceFolder':
      return 'map its folder with --source-map';
  }
}
