/** The buffers that a program attaches for MPI_Bsend, and the messages in them. */
import { i32, i64, optional, pointer, struct } from '../../../struct';

/** Since 4.2; before, the library has one of the next kind among its data. */
export const anyBufferSpec = struct('MPII_BsendBuffer', {
  isAutomatic: i32('is_automatic'),
  active: pointer('u.user.active'),
  firstAutomatic: pointer('u.automatic.active_list'),
});

export const onlyBufferSpec = struct('BsendBuffer', {
  buffer: pointer('buffer'),
  size: i64('buffer_size'),
  attached: pointer('origbuffer'),
  attachedSize: i64('origbuffer_size'),
  available: pointer('avail'),
  active: pointer('active'),
});

/** A message. */
export const bufferedSpec = struct('MPII_Bsend_data_t', {
  next: pointer('next'),
  previous: pointer('prev'),
  request: pointer('request'),
});

/** A message in memory that the library allocates itself. */
export const automaticSpec = struct('bsend_auto_elem', { request: pointer('req'), next: pointer('next') });

/** Who may have a buffer. Not read with the rest: of most communicators it is never asked for. */
export const commBufferSpec = struct('MPIR_Comm', { buffer: optional(pointer('bsendbuffer')) });
export const sessionBufferSpec = struct('MPIR_Session', { buffer: optional(pointer('bsendbuffer')) });
