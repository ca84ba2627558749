/** Where a rank's call is that has carried a NaN, and with which ranks it was: read from the rank's memory while it waits a moment. */
import type { Carried, CarriedRecord } from '../../../plugin-api/deaths/carried-record';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { CommInfo, WinInfo } from '../../../plugin-api/mpi/records';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { guard, isUnavailable } from '../../../plugin-api/result';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import type { EpochImage } from '../../images/epoch-image';
import { foundPlaces, linesOf } from '../history/code-places';
import { imageOfProcess } from '../rank-images';

export interface CarriedLookOptions {
  plugins: PluginRegistry;
  gdb: string;
  /** On which it runs. */
  host: Host;
  /** What a rank of this job has in its environment. */
  socket: string;
}

/** Runs this when it is its turn. */
export type Turn = <T>(act: () => Promise<T>) => Promise<T>;

/** `letGo`: called once the process is not needed any more. undefined: it is no rank of this job. */
export async function lookAtCarried(
  record: CarriedRecord,
  { plugins, gdb, host, socket }: CarriedLookOptions,
  turn: Turn,
  letGo: () => void,
): Promise<Carried | undefined> {
  const { rank, caller, completer } = record;
  const process = new HostProcess(host, record.pid);
  const image = imageOfProcess(process, plugins.known);
  try {
    // Whoever connects may have another view of processes than we have.
    const environment = await process.environment().catch(() => new Map<string, string>());
    // One that has ended meanwhile has none.
    const isOther = environment.size > 0 && environment.get('MPIDBG_DEATHS') !== socket;
    if (rank === undefined || isOther) return undefined;
    const hex = (address: bigint): CodeRef['address'] => `0x${address.toString(16)}`;
    const places = await foundPlaces(image, [hex(caller), ...(completer === undefined ? [] : [hex(completer)])]);
    const peerInWorld = isOfWorld(record) ? record.peer : await turn(() => worldRank(image, plugins, record));
    letGo();
    const lines = await linesOf(places, { gdb, libraries: plugins.libraryCode, process });
    const completedAt = completer === undefined ? undefined : lines.get(hex(completer));
    return { ...record, rank, place: lines.get(hex(caller)), completedAt, peerInWorld };
  } finally {
    letGo();
    image.invalidate();
  }
}

/** Its numbers are those of MPI_COMM_WORLD, or it has none. */
function isOfWorld(record: CarriedRecord): record is CarriedRecord & { peer: number | undefined } {
  const { rank, comm, peer } = record;
  return peer === undefined || (typeof peer === 'number' && comm?.name === 'MPI_COMM_WORLD' && comm.rank === rank);
}

/** The rank in MPI_COMM_WORLD of the call's other rank. */
async function worldRank(
  image: EpochImage,
  plugins: PluginRegistry,
  { comm, peer, isOnWindow }: CarriedRecord,
): Promise<number | undefined> {
  if (comm === undefined || typeof peer !== 'number') return undefined;
  const found = await guard(async () => {
    const mpi = await plugins.open(image);
    if (mpi === undefined) return undefined;
    const kind = isOnWindow ? 'win' : 'comm';
    const handle = BigInt.asUintN(8 * mpi.handleSize(kind), comm.handle);
    const own = await mpi.query(kind, handle);
    if (!own.ok) return undefined;
    const members = 'localProcs' in own.value ? others(own.value) : await membersOfWindow(mpi, handle, own.value);
    return members === undefined || isUnavailable(members) ? undefined : (members[peer] ?? undefined);
  });
  return found.ok ? found.value : undefined;
}

type Members = CommInfo['localProcs'];

/** In a communicator between two groups, the other rank is in the other group. */
function others({ localProcs, remoteProcs }: CommInfo): Members {
  return remoteProcs ?? localProcs;
}

async function membersOfWindow(mpi: MpiProcess, handle: bigint, { comm }: WinInfo): Promise<Members | undefined> {
  if (isUnavailable(comm)) {
    const groups = await mpi.epochGroups?.(handle);
    return groups?.ok === true ? groups.value.members : undefined;
  }
  const found = await mpi.query('comm', BigInt(comm.handle));
  return found.ok ? others(found.value) : undefined;
}
