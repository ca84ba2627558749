/** The libraries that have shipped layout tables; plugins/<name>/layouts are their folders. */
export const tableNames = ['openmpi', 'mpich', 'ucx'] as const;
export type TableName = (typeof tableNames)[number];
