/** Sessions. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

export const sessionSpec = struct('MPIR_Session', {
  handle: u32('handle'),
  errhandler: pointer('errhandler'),
  threadLevel: optional(i32('thread_level')), // until 4.3
});
