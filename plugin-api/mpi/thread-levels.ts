/** How many threads of a process may call MPI. Both implementations number the levels alike. */

/** In MPI's order: each one allows what those before it do. */
export const threadLevels = [
  'MPI_THREAD_SINGLE',
  'MPI_THREAD_FUNNELED',
  'MPI_THREAD_SERIALIZED',
  'MPI_THREAD_MULTIPLE',
] as const;

export type ThreadLevel = (typeof threadLevels)[number];
