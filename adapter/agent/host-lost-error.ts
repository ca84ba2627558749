import { QueryError } from '../../plugin-api/result';

/** The host does not answer any more. */
export class HostLostError extends QueryError {
  constructor(
    readonly host: string,
    why: string,
  ) {
    super('MPIDBG_ERR_UNAVAILABLE', `the host ${host} is out of reach (${why})`);
  }
}
