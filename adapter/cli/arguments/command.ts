/** What a command line asks for. */
import type { BreakpointLocation } from '../../gdb/mi/breakpoint-commands';
import type { RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import type { FloatKind } from '../../../plugin-api/deaths/death';
import type { HandleKind } from '../../../plugin-api/mpi/records';
import type { FrameChoice } from '../../expressions/frames';
import type { JobTarget } from '../../job-sources/open-job';
import type { OverlayPart } from '../../../plugin-api/overlays/read-overlay';
import type { CollectorOptions } from '../../collector/preload';
import type { CommandName, Shell } from './command-table';
import type { TableOwner } from '../../../plugin-api/plugins/table-owners';

export interface QueryOptions {
  target: JobTarget;
  ranks: readonly RanksOfWorld[] | undefined;
  /** One of several MPI_COMM_WORLDs, also where `ranks` names none; undefined: all, and of `ranks` the launcher's own. */
  world: string | undefined;
  json: boolean;
  /** A function's name or a depth, 0 the innermost. */
  frame: FrameChoice | undefined;
  /** Which thread of each rank, 1 the first. */
  thread: number;
  gdb: string | undefined;
  plugins: readonly string[];
  /** Globs over sources and libraries, see LibraryCode. */
  libraryCode: readonly string[];
  /** Folders of sources, as the debug information names them and where they are now. */
  sourceMap: readonly (readonly [from: string, to: string])[];
  /** Seconds. */
  timeout: number;
}

export type Command =
  | { name: 'show' | 'print'; expressions: readonly string[]; full: boolean; options: QueryOptions }
  /** Without expressions: all variables. */
  | { name: 'nan'; expressions: readonly string[]; full: boolean; options: QueryOptions }
  | { name: 'handles'; kinds: readonly HandleKind[]; internal: boolean; full: boolean; options: QueryOptions }
  | { name: 'queues'; internal: boolean; full: boolean; options: QueryOptions }
  /** lookAgain: seconds between the looks; dot: the file to write. */
  | { name: 'hang'; lookAgain: number; dot: string | undefined; options: QueryOptions }
  | { name: 'stacks'; full: boolean; options: QueryOptions }
  /** Without `collect` the ranks have no collector; without `hangAfter` (seconds) mpidbg does not check for a hang. */
  | {
      name: 'run';
      launcher: readonly string[];
      collect: CollectorOptions | undefined;
      hangAfter: number | undefined;
      hangAfterAny: boolean;
      requireWatch: boolean;
      /** Seconds. */
      holdDying: number;
      /** Seconds that a job is kept for a debugger before it ends; undefined: it is not. */
      hold: number | undefined;
      /** Where ranks wait for a debugger; undefined: nowhere. */
      stopAt: BreakpointLocation | undefined;
      trapFloats: readonly FloatKind[];
      /** To write. */
      files: { report: string | undefined; sarif: string | undefined; junit: string | undefined };
      gdb: string | undefined;
      plugins: readonly string[];
      /** As in QueryOptions. */
      libraryCode: readonly string[];
    }
  /** job: as the user names it; undefined: the only one that runs. */
  | { name: 'wait'; job: string | undefined }
  | { name: 'info'; full: boolean; options: QueryOptions }
  /** `file`: the file to write. */
  | { name: 'report'; file: string; full: boolean; options: QueryOptions }
  | {
      name: 'layout';
      libraries: readonly string[];
      /** The implementation whose table to make; undefined: the one whose structs the files describe. */
      implementation: TableOwner['name'] | undefined;
      gdb: string | undefined;
      /** Seconds. */
      timeout: number;
    }
  /** patterns: globs over the names of variables and types of events; none: all. */
  | {
      name: OverlayPart;
      patterns: readonly string[];
      full: boolean;
      /** Prints what is new until it is interrupted. */
      follow: boolean;
      /** The file to write; "-": standard output. */
      csv: string | undefined;
      /** The file to write. */
      trace: string | undefined;
      /** So many events, the newest; undefined: the default, or all that a file is made of. */
      last: number | undefined;
      options: QueryOptions;
    }
  | { name: 'collector'; options: CollectorOptions }
  | { name: 'completion'; shell: Shell }
  | { name: 'man' }
  /** `about`: of one command; undefined: of all. */
  | { name: 'help'; about: CommandName | undefined }
  | { name: 'version' };
