/** How long the message was that did not fit into the buffer of its receive. */
import { truncatedSizes } from '../../../plugin-api/deaths/error-text';
import type { FailedCall } from './failed-call';
import type { RankDeath } from './rank-death';

/** `text`: MPI's own of the error. Nothing: the library does not tell. */
export function truncatedMessage({ passed }: FailedCall, text: string): Pick<RankDeath, 'truncated'> {
  const sizes = truncatedSizes(text);
  if (sizes === undefined) return {};
  const size = passed.find(({ name }) => /^(datatype|recvtype)$/.test(name))?.size ?? 0;
  const isWhole = size > 0 && sizes.message % size === 0 && sizes.buffer % size === 0;
  if (!isWhole) return { truncated: { ...sizes, unit: 'bytes' } };
  return { truncated: { message: sizes.message / size, buffer: sizes.buffer / size, unit: 'elements' } };
}
