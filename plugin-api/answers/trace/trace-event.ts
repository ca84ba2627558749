/** An event of Chrome's Trace Event Format. */

/** Phases: "M" metadata, "i" an instant, of thread scope, "X" what lasts, "B" what has begun. */
export type TraceEvent =
  | { ph: 'M'; name: 'process_name' | 'process_sort_index'; pid: number; args: Record<string, string | number> }
  | {
      ph: 'X';
      name: string;
      cat: string;
      ts: number;
      dur: number;
      pid: number;
      tid: number;
      args: Record<string, unknown>;
    }
  | { ph: 'B'; name: string; cat: string; ts: number; pid: number; tid: number; args: Record<string, unknown> }
  | { ph: 'i'; s: 't'; name: string; cat: string; ts: number; pid: number; tid: number; args: Record<string, unknown> };
