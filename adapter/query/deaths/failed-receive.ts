/** Which receive has failed in a call, and how long its message was: what neither the call nor the text of the error need tell. */
import { truncatedSizes } from '../../../plugin-api/deaths/error-text';
import type { FailedReceive } from '../../../plugin-api/mpi/failed-receive';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { HandleRef, Known } from '../../../plugin-api/mpi/records';
import { isUnavailable } from '../../../plugin-api/result';
import { errorClassNamed } from './error-class';
import { handleArgument, type FailedCall } from './failed-call';
import type { PassedArgument, RankDeath } from '../../../plugin-api/deaths/rank-death';

type Found = Pick<RankDeath, 'truncated' | 'failedReceive' | 'errorClass' | 'isInStatus'>;

/** `errorClass`: MPI's own of the call, "MPI_ERR_IN_STATUS"; `text`: of the error. What cannot be known is missing. */
export async function failedReceive(
  mpi: MpiProcess,
  call: FailedCall,
  errorClass: string | undefined,
  text: string,
): Promise<Found> {
  const sizes = truncatedSizes(text);
  const found = await receiveOf(mpi, call, errorClass);
  if (found === undefined) return sizes === undefined ? {} : inElements(sizes, sizeIn(call.passed));
  const { receive, named } = found;
  const passed = await askedFor(mpi, receive);
  const isTold = passed.length === 0 || call.passed.some(({ name }) => name === 'source');
  const size = sizeIn(call.passed) || sizeIn(passed);
  const message = isUnavailable(receive.bytes) ? undefined : Number(receive.bytes);
  const known = sizes ?? (named === 'MPI_ERR_TRUNCATE' && message !== undefined ? { message } : undefined);
  return {
    ...(named !== errorClass && named !== undefined && { errorClass: named, isInStatus: true }),
    ...(known && inElements(known, size)),
    failedReceive: { source: receive.source, tag: receive.tag, passed: isTold ? [] : passed },
  };
}

/** The receive that failed; if several may be it, none is taken. */
async function receiveOf(
  mpi: MpiProcess,
  { call, passed }: FailedCall,
  errorClass: string | undefined,
): Promise<{ receive: FailedReceive; named: string | undefined } | undefined> {
  if (errorClass === undefined || !mayReceive.test(call)) return undefined;
  const listed = await mpi.failedReceives?.();
  if (listed?.ok !== true) return undefined;
  const given = (name: RegExp): number | undefined =>
    passed.find((each) => name.test(each.name) && !each.text.startsWith('MPI_'))?.number;
  const [source, tag] = [given(/^source$/), given(/^(tag|recvtag)$/)];
  const fitting: { receive: FailedReceive; named: string | undefined }[] = [];
  for (const receive of listed.value) {
    const named = await errorClassNamed(mpi, receive.errorClass);
    const isOfClass = errorClass === 'MPI_ERR_IN_STATUS' || named === errorClass;
    const isOfCall = isReceive.test(call)
      ? (source ?? receive.source) === receive.source && (tag ?? receive.tag) === receive.tag
      : true;
    if (isOfClass && isOfCall) fitting.push({ receive, named });
  }
  const [first, ...others] = fitting;
  const isSame = ({ receive: { source, tag, bytes } }: { receive: FailedReceive }): boolean =>
    source === first?.receive.source && tag === first.receive.tag && bytes === first.receive.bytes;
  return others.every(isSame) ? first : undefined;
}

const isReceive = /^MPI_(Recv|Irecv|Mrecv|Imrecv|Sendrecv|Sendrecv_replace)(_c)?$/;
const mayReceive = /^MPI_(Recv|Mrecv|Sendrecv|Sendrecv_replace|Wait\w*|Test\w*)(_c)?$/;

function sizeIn(passed: readonly PassedArgument[]): number {
  return passed.find(({ name }) => /^(datatype|recvtype)$/.test(name))?.size ?? 0;
}

function inElements(sizes: { message: number; buffer?: number }, size: number): Found {
  const { message, buffer } = sizes;
  const isWhole = size > 0 && message % size === 0 && (buffer ?? 0) % size === 0;
  if (!isWhole) return { truncated: { ...sizes, unit: 'bytes' } };
  return {
    truncated: {
      message: message / size,
      ...(buffer === undefined ? {} : { buffer: buffer / size }),
      unit: 'elements',
    },
  };
}

async function askedFor(mpi: MpiProcess, { asked }: FailedReceive): Promise<PassedArgument[]> {
  if (asked === undefined) return [];
  const { peer, tag, comm, count, datatype } = asked;
  const handle = async (name: 'comm' | 'datatype', ref: Known<HandleRef>): Promise<PassedArgument[]> => {
    const told = isUnavailable(ref) ? undefined : await handleArgument(mpi, name, BigInt(ref.handle));
    return told === undefined ? [] : [{ name, ...told }];
  };
  return [
    { name: 'count', text: String(count) },
    ...(await handle('datatype', datatype)),
    { name: 'source', text: String(peer), ...(typeof peer === 'number' && { number: peer }) },
    { name: 'tag', text: String(tag), ...(typeof tag === 'number' && { number: tag }) },
    ...(await handle('comm', comm)),
  ];
}
