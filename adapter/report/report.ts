/** The content of a report: everything is read before the page is made. */
import type { Document, RankId, StacksDocument } from '../../plugin-api/mpi/records';
import type { MergedText } from '../../plugin-api/answers/merge';
import type { LocalValue } from '../query/across-ranks/local-values';

export interface Report {
  /** The command's target: "launcher 4711". */
  target: string;
  made: Date;
  /** The version of mpidbg. */
  version: string;
  /** How long the ranks were held, in milliseconds; undefined for core files. */
  held: number | undefined;
  processes: readonly ReportedProcess[];
  /** Which ranks died of what, one sentence each; empty for a job that runs. */
  crash: readonly string[];
  /** Why the job hangs, the deaths of ranks included; undefined: no deadlock was seen. */
  hang: string | undefined;
  /** How a job ended that mpidbg has run; undefined for others. */
  ended: string | undefined;
  /** Other notes for the user, one sentence each. */
  notes: readonly string[];
  /** The handles of all kinds, with the library's own objects. */
  handles: Document;
  stacks: StacksDocument;
  /** Collected from MPI_T, OpenMP and MPI calls; undefined: not asked for. */
  overlays:
    | {
        variables: readonly ReportedVariable[];
        notes: readonly MergedText[];
        events: string;
        openmp: string;
        calls: string;
      }
    | undefined;
  /** The stacks go below MPI calls, and the MPI library's own threads are among them. */
  full: boolean;
}

/** The value of a performance variable in some ranks. */
export interface ReportedVariable extends MergedText {
  category: string;
  title: string;
}

export interface ReportedProcess extends RankId {
  /** The executable's path; undefined where it cannot be told. */
  program: string | undefined;
  /** Where it is, in a few words: "MPI_Barrier"; undefined where that cannot be told. */
  whereabouts: string | undefined;
  threads: number;
  /** The variables of the user's frames, innermost first. */
  variables: readonly LocalValue[];
}
