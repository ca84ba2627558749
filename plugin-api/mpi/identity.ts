/** Which object a handle is and what it is called, read from few bytes: while these are the same, so is the answer. */

/** Bytes of the process. */
export interface Evidence {
  address: bigint;
  length: number;
  /** A signed number of 4 bytes that may change as long as it stays positive: how often the object is referred to. */
  isCount?: true;
}

export interface HandleIdentity {
  /** As a C variable has it. */
  handle: bigint;
  /** As MPI_Comm_get_name and its like tell it; "" for none. */
  name: string;
  /** The size of a datatype, in bytes. */
  size?: bigint;
  isPredefined: boolean;
  /** All that the rest follows from, and that the object is live. */
  evidence: readonly Evidence[];
}
