/** The blocks that a process gives to others in a collective operation and takes from them, by the counts that it has passed. */
import type { BlocksRole } from '../../../plugin-api/hang/argument-roles';
import { isNeighborhood, isRooted, operationOf } from '../../../plugin-api/hang/calls';
import { neighborRanks } from '../../../plugin-api/hang/edges';
import type { Block } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import { boundedCount, readI32Array, readPointerArray } from '../../../plugin-api/memory';
import { nameOf } from '../../../plugin-api/mpi/describe-ref';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { CommInfo } from '../../../plugin-api/mpi/records';
import { isUnavailable, QueryError } from '../../../plugin-api/result';

/** More than a job has ranks. */
const maxBlocks = 1_000_000;

/** What the call was given. Its functions throw QueryError for what is not known. */
export interface BlocksCall {
  call: string;
  comm: CommInfo;
  root: () => Promise<number | 'MPI_ROOT' | 'MPI_PROC_NULL'>;
  bits: (index: number, bits: 32 | 64) => bigint;
  image: ProcessImage;
  process: MpiProcess;
}

/** Throws QueryError for arguments that do not count in this process, and FaultError. */
export async function exchangedBlocks(role: BlocksRole, passed: BlocksCall): Promise<Block[]> {
  const { call, comm, bits, process } = passed;
  if (role.buffer !== undefined) {
    const inPlace = (await process.constants()).get('MPI_IN_PLACE');
    if (inPlace?.kind !== 'pointer' || bits(role.buffer, 64) === inPlace.address)
      throw unknown('what is exchanged in place is not known');
  }
  if (isRooted(call) && isOfRoot(role, call) && !(await isRoot(passed))) throw unknown('the root alone says it');
  const length = role.isList || role.areListed ? lengthIn(comm, call, role.field) : 1;
  const counts = await countsAt(role, length, passed);
  const types = await datatypesAt(role, length, passed);
  return counts.map((count, each) => {
    const { name, size } = types[role.areListed ? each : 0]!;
    return { count, datatype: name, bytes: isUnavailable(size) ? size : count * Number(size) };
  });
}

function unknown(why: string): QueryError {
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', why);
}

/** Whether the other members' arguments of the same name mean nothing. */
function isOfRoot({ field }: BlocksRole, call: string): boolean {
  return field === (/^MPI_Gatherv?$/.test(operationOf(call)) ? 'takes' : 'gives');
}

async function isRoot({ comm, root }: BlocksCall): Promise<boolean> {
  const named = await root();
  return comm.remoteSize === undefined ? named === comm.rank : named === 'MPI_ROOT';
}

function lengthIn(comm: CommInfo, call: string, field: BlocksRole['field']): number {
  if (isNeighborhood(call)) {
    const neighbors = neighborRanks(comm);
    if (neighbors === undefined) throw unknown('its neighbors are not known');
    return (field === 'gives' ? neighbors.destinations : neighbors.sources).length;
  }
  const size = comm.remoteSize ?? comm.size;
  if (isUnavailable(size)) throw new QueryError(size.code, size.reason);
  return boundedCount(size, maxBlocks, 'the number of blocks');
}

async function countsAt({ index, isList }: BlocksRole, length: number, passed: BlocksCall): Promise<number[]> {
  const { call, bits, image } = passed;
  // Large counts have 8 bytes each.
  const isLarge = call.endsWith('_c');
  const what = 'the number of blocks';
  const counts = !isList
    ? Array.from({ length }, () => Number(isLarge ? bits(index, 64) : BigInt.asIntN(32, bits(index, 32))))
    : isLarge
      ? (await readPointerArray(image, bits(index, 64), length, maxBlocks, what)).map(Number)
      : await readI32Array(image, bits(index, 64), length, maxBlocks, what);
  if (counts.some((count) => count < 0 || !Number.isSafeInteger(count)))
    throw unknown('what was found of its counts cannot be right');
  return counts;
}

type Datatype = { name: string; size: Block['bytes'] };

async function datatypesAt(role: BlocksRole, length: number, passed: BlocksCall): Promise<Datatype[]> {
  const { bits, image, process } = passed;
  const isWide = process.handleSize('datatype') === 8;
  const what = 'the number of datatypes';
  const { datatype: index } = role;
  if (!role.areListed) return [await datatypeOf(bits(index, isWide ? 64 : 32), process)];
  const handles = isWide
    ? await readPointerArray(image, bits(index, 64), length, maxBlocks, what)
    : (await readI32Array(image, bits(index, 64), length, maxBlocks, what)).map((handle) =>
        BigInt.asUintN(32, BigInt(handle)),
      );
  const known = new Map<bigint, Datatype>();
  for (const handle of new Set(handles)) known.set(handle, await datatypeOf(handle, process));
  return handles.map((handle) => known.get(handle)!);
}

async function datatypeOf(handle: bigint, process: MpiProcess): Promise<Datatype> {
  const answer = await process.query('datatype', handle);
  if (!answer.ok) throw unknown(`what was found of its datatypes cannot be right: ${answer.reason}`);
  const { name, size, handle: text } = answer.value;
  if (answer.value.flags.includes('datatypeNull')) throw unknown('its datatype is null');
  const isNamed = typeof name === 'string' && name !== '';
  return {
    name: isNamed ? nameOf('datatype', name) : `MPI_Datatype ${text}`,
    size: isUnavailable(size) ? size : Number(size),
  };
}
