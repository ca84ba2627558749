/** A receive that has ended with an error. */
import type { HandleRef, Integer, Known } from './records';

export interface FailedReceive {
  errorClass: number;
  /** The rank that has sent the message in the communicator, and its tag. */
  source: number;
  tag: number;
  /** The size of the message, all that was sent. */
  bytes: Known<Integer>;
  /** What the receive was given; undefined: the library no longer keeps it. */
  asked?: {
    peer: number | 'MPI_ANY_SOURCE';
    tag: number | 'MPI_ANY_TAG';
    comm: Known<HandleRef>;
    count: Integer;
    datatype: Known<HandleRef>;
  };
}
