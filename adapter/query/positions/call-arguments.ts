/** The arguments of the call of MPI that a thread is in. A value that cannot be one is not believed. */
import {
  argumentRoles,
  type ArgumentRole,
  type BlocksRole,
  type ObjectRole,
} from '../../../plugin-api/hang/argument-roles';
import type { Block, CallArguments } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import { boundedCount, readI32, readPointer } from '../../../plugin-api/memory';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type {
  CommInfo,
  FileInfo,
  GroupInfo,
  HandleKind,
  HandleRef,
  Known,
  Unavailable,
  WinInfo,
} from '../../../plugin-api/mpi/records';
import { CorruptError, isUnavailable, known, QueryError } from '../../../plugin-api/result';
import type { EnteredCall } from './entered-function';
import { exchangedBlocks } from './exchanged-blocks';
import { waitedTransfer } from './waited-transfer';
import type { StoppedStack } from './passed-arguments';
import { passedOf, passedToCall, type PassedArguments } from './passed-to-call';

/** More than a program waits for at once. */
const maxRequests = 100_000;

export async function callArguments(
  { call, function: entered }: EnteredCall,
  stack: StoppedStack,
  process: MpiProcess,
): Promise<CallArguments> {
  const roles = argumentRoles(call);
  if (roles.length === 0) return {};
  const passed = await passedToCall(entered, stack, roles);
  if (isUnavailable(passed)) return Object.fromEntries(roles.map(({ field }) => [field, passed]));
  const own = await new ArgumentReader(call, roles, passed, stack.image, process).all();
  const found =
    entered === undefined ? own : { ...own, ...(await rootInside(call, own, roles, entered, stack, process)) };
  return entered === undefined
    ? found
    : { ...found, ...(await fromRequest(call, found, passed, entered, stack, process)) };
}

/** The root of a collective operation, where the functions that carry it out still keep what they were given. */
async function rootInside(
  call: string,
  { comm, root }: CallArguments,
  roles: readonly ArgumentRole[],
  { level: outer }: NonNullable<EnteredCall['function']>,
  stack: StoppedStack,
  process: MpiProcess,
): Promise<CallArguments> {
  if (process.carriesOut === undefined || comm === undefined || isUnavailable(comm) || !isUnavailable(root)) return {};
  const operation = call.replace(/_c$/, '');
  const needed = roles.filter(({ field }) => field === 'root' || field === 'comm');
  for (const { level, address } of stack.frames.slice(0, outer).reverse()) {
    const symbol = address === undefined ? undefined : await stack.image.symbolAt(address);
    if (symbol === undefined || !process.carriesOut(symbol.name, operation)) continue;
    const passed = await passedOf({ start: symbol.address, level }, stack, needed);
    if (isUnavailable(passed)) continue;
    const inside = await new ArgumentReader(call, needed, passed, stack.image, process).all();
    // Where it goes over a part of the communicator, the root is another one's.
    const isSame = inside.comm !== undefined && !isUnavailable(inside.comm) && inside.comm.handle === comm.handle;
    if (isSame && inside.root !== undefined && !isUnavailable(inside.root)) return { root: inside.root };
  }
  return {};
}

/** What is lost of the calls that send or receive one message. */
async function fromRequest(
  call: string,
  { comm, peer, tag }: CallArguments,
  passed: PassedArguments,
  { level }: NonNullable<EnteredCall['function']>,
  stack: StoppedStack,
  process: MpiProcess,
): Promise<CallArguments> {
  const buffer = passed.get(0);
  const isTransfer = /^MPI_([SR]?send|Recv)(_c)?$/.test(call);
  const isLost = isUnavailable(peer) || isUnavailable(tag);
  if (!isTransfer || !isLost || comm === undefined || isUnavailable(comm) || buffer?.bits !== 64) return {};
  const isReceive = call.startsWith('MPI_Recv');
  const waited = await waitedTransfer(process, stack, { isReceive, comm: comm.handle, buffer: buffer.value, level });
  if (waited === undefined) return {};
  return {
    ...(isUnavailable(peer) ? { peer: waited.peer } : {}),
    ...(isUnavailable(tag) ? { tag: waited.tag } : {}),
  };
}

class ArgumentReader {
  constructor(
    private readonly call: string,
    private readonly roles: readonly ArgumentRole[],
    private readonly passed: PassedArguments,
    private readonly image: ProcessImage,
    private readonly process: MpiProcess,
  ) {}

  async all(): Promise<CallArguments> {
    const found: CallArguments = {};
    for (const role of this.roles) {
      switch (role.field) {
        case 'comm':
        case 'peerComm':
        case 'win':
        case 'file':
          found[role.field] = await known(() => this.object(role));
          break;
        case 'requests':
          found.requests = await known(() => ('count' in role ? this.requestArray(role) : this.request(role)));
          break;
        case 'peer':
        case 'source':
          found[role.field] = await known(() => this.peer(role));
          break;
        case 'tag':
        case 'receiveTag':
          found[role.field] = await known(() => this.tag(role));
          break;
        case 'members':
          found.members = await known(() => this.groupMembers(role));
          break;
        case 'leader':
          found.leader = await known(() => this.leader(role));
          break;
        case 'root':
          found.root = await known(() => this.root(role));
          break;
        case 'gives':
        case 'takes':
        case 'amount':
          found[role.field] = await known(() => this.blocks(role));
          break;
      }
    }
    return found;
  }

  private bits(index: number, bits: 32 | 64): bigint {
    const passed = this.passed.get(index);
    if (passed === undefined || passed.bits < bits)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the library no longer keeps what the call was given');
    return BigInt.asUintN(bits, passed.value);
  }

  private integer(index: number): number {
    return Number(BigInt.asIntN(32, this.bits(index, 32)));
  }

  private async handleAt(kind: HandleKind, address: bigint): Promise<bigint> {
    if (this.process.handleSize(kind) === 8) return readPointer(this.image, address);
    return BigInt.asUintN(32, BigInt(await readI32(this.image, address)));
  }

  private async handle({ index, kind, isPointer }: { index: number; kind: HandleKind; isPointer: boolean }) {
    if (isPointer) return this.handleAt(kind, this.bits(index, 64));
    return this.bits(index, this.process.handleSize(kind) === 8 ? 64 : 32);
  }

  private async object(role: { index: number; kind: HandleKind; isPointer: boolean }): Promise<HandleRef> {
    return (await this.live(role.kind, await this.handle(role))).ref;
  }

  /** Throws QueryError for what is not a live object, nor a file that this call is closing. */
  private async live(kind: HandleKind, handle: bigint): Promise<{ ref: HandleRef; info: object }> {
    const isClosed = kind === 'file' && this.call === 'MPI_File_close';
    const live = await this.process.query(kind, handle);
    const answer = live.ok || !isClosed ? live : ((await this.process.closingFile?.(handle)) ?? live);
    if (!answer.ok) throw unanswered(answer);
    const { handle: text, flags, ...info } = answer.value as CommInfo | FileInfo;
    const stored = 'filename' in info ? info.filename : info.name;
    // Without a layout, only which predefined object it is.
    const name = isUnavailable(stored) ? info.constant : stored;
    if (flags.some((flag: string) => /Null$/.test(flag))) throw implausible('it is a null handle');
    return {
      ref: { kind, handle: text, ...(typeof name !== 'string' || name === '' ? {} : { name }) },
      info: answer.value,
    };
  }

  private async request(role: { index: number; kind: HandleKind; isPointer: boolean }): Promise<HandleRef[]> {
    return this.listed([await this.handle(role)]);
  }

  private async requestArray({ index, count }: { index: number; count: number }): Promise<HandleRef[]> {
    const address = this.bits(index, 64);
    const length = boundedCount(this.integer(count), maxRequests, 'the number of requests');
    const size = BigInt(this.process.handleSize('request'));
    const handles: bigint[] = [];
    for (let i = 0n; i < length; i++) handles.push(await this.handleAt('request', address + i * size));
    return this.listed(handles);
  }

  /** Calls set the requests that are complete to null, one after the other. */
  private async listed(handles: readonly bigint[]): Promise<HandleRef[]> {
    const found: HandleRef[] = [];
    for (const handle of handles) {
      const answer = await this.process.query('request', handle);
      if (!answer.ok) throw unanswered(answer);
      if (answer.value.operation !== 'null') found.push({ kind: 'request', handle: answer.value.handle });
    }
    return found;
  }

  private async peer({ index, isReceive }: { index: number; isReceive: boolean }) {
    const rank = this.integer(index);
    if (await this.is(rank, 'MPI_PROC_NULL')) return 'MPI_PROC_NULL' as const;
    if (isReceive && (await this.is(rank, 'MPI_ANY_SOURCE'))) return 'MPI_ANY_SOURCE' as const;
    return this.rankIn(rank, await this.peers());
  }

  private async root({ index }: { index: number }) {
    const rank = this.integer(index);
    const { isInter, count } = await this.members();
    if (isInter && (await this.is(rank, 'MPI_ROOT'))) return 'MPI_ROOT' as const;
    if (isInter && (await this.is(rank, 'MPI_PROC_NULL'))) return 'MPI_PROC_NULL' as const;
    return this.rankIn(rank, count);
  }

  private async leader({ index }: { index: number }): Promise<number> {
    const comm = this.roleOf('comm');
    if (comm === undefined) throw new CorruptError('the call has no communicator');
    const { size } = (await this.live('comm', await this.handle(comm))).info as CommInfo;
    return this.rankIn(this.integer(index), sizeOf(size));
  }

  private async groupMembers(role: { index: number; kind: 'group'; isPointer: boolean }): Promise<number[]> {
    const { procs } = (await this.live('group', await this.handle(role))).info as GroupInfo;
    if (isUnavailable(procs)) throw new QueryError(procs.code, procs.reason);
    return procs.map((rank) => {
      if (rank === null) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'a member of the group is of another job');
      return rank;
    });
  }

  private async tag({ index, isReceive }: { index: number; isReceive: boolean }) {
    const tag = this.integer(index);
    if (isReceive && (await this.is(tag, 'MPI_ANY_TAG'))) return 'MPI_ANY_TAG' as const;
    if (tag < 0) throw implausible(`${tag} is not a tag`);
    return tag;
  }

  private async blocks(role: BlocksRole): Promise<Block[]> {
    const comm = this.roleOf('comm');
    if (comm === undefined) throw new CorruptError('the call has no communicator');
    const info = (await this.live('comm', await this.handle(comm))).info as CommInfo;
    const { call, image, process } = this;
    const root = async () => {
      const named = this.roles.find((each) => each.field === 'root');
      if (named === undefined) throw new CorruptError('the call has no root');
      return this.root(named);
    };
    const bits = (index: number, size: 32 | 64): bigint => this.bits(index, size);
    return exchangedBlocks(role, { call, comm: info, root, bits, image, process });
  }

  private rankIn(rank: number, size: number): number {
    if (rank < 0 || rank >= size) throw implausible(`there is no rank ${rank}`);
    return rank;
  }

  private async is(value: number, name: string): Promise<boolean> {
    const constant = (await this.process.constants()).get(name);
    return constant?.kind === 'integer' && constant.value === value;
  }

  private roleOf(field: ObjectRole['field']): ObjectRole | undefined {
    return this.roles.find((role): role is ObjectRole => role.field === field);
  }

  /** How many ranks a peer may be one of. */
  private async peers(): Promise<number> {
    const win = this.roleOf('win');
    if (win === undefined) return (await this.members()).count;
    const { size } = (await this.live('win', await this.handle(win))).info as WinInfo;
    return sizeOf(size);
  }

  private async members(): Promise<{ isInter: boolean; count: number }> {
    const role = this.roleOf('peerComm') ?? this.roleOf('comm');
    if (role === undefined) throw new CorruptError('the call has no communicator');
    const { size, remoteSize } = (await this.live(role.kind, await this.handle(role))).info as CommInfo;
    return { isInter: remoteSize !== undefined, count: sizeOf(remoteSize ?? size) };
  }
}

function sizeOf(size: Known<number>): number {
  if (isUnavailable(size)) throw new QueryError(size.code, size.reason);
  return size;
}

/** What no layout decodes may be right all the same. */
function unanswered({ code, reason }: Unavailable): QueryError {
  return code === 'MPIDBG_ERR_NOT_SUPPORTED' ? new QueryError(code, reason) : implausible(reason);
}

function implausible(why: string): QueryError {
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', `what was found of the call cannot be right: ${why}`);
}
