/** A receive that has ended with an error. */
import type { HandleRef, Integer, Known } from './records';

export interface FailedReceive {
  errorClass: number;
  /** Of the message: the rank that has sent it in the communicator, and its tag. */
  source: number;
  tag: number;
  /** Of the message, all that was sent. */
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
