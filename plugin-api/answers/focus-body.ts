/** What continue, step and pause act on: the thread, its rank, the focus, or all ranks. */
export const scopes = ['thread', 'rank', 'focus', 'all'] as const;
export type Scope = (typeof scopes)[number];

/** The focus as mpidbg/focus and mpidbg/focusChanged report it. */
export interface FocusBody {
  /** "0-3,7" */
  ranks: string;
  /** The focus is the whole job, even when the job gets more ranks. */
  all: boolean;
  scope: Scope;
}
