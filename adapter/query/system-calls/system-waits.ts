/** What a thread of the program waits for in the kernel, by the system call that it is in and what its arguments mean. */
import type { SystemWait } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import { guard } from '../../../plugin-api/result';
import { describeDescriptor } from '../../hosts/described-descriptor';
import { fileLockHolder } from '../../hosts/file-locks';
import type { HostProcess } from '../../hosts/host-process';

interface CallOf {
  process: HostProcess;
  image: ProcessImage;
  args: readonly bigint[];
}

/** What follows "waits"; undefined: nothing is known beyond the call. */
type Meaning = (of: CallOf) => Promise<Omit<SystemWait, 'call'> | undefined>;

const nothing: Meaning = async () => undefined;

/** Its first argument is a descriptor. */
function on(preposition: string): Meaning {
  return async ({ process, args: [descriptor = 0n] }) => ({
    what: `${preposition} ${await describeDescriptor(process, Number(BigInt.asIntN(32, descriptor)))}`,
  });
}

const lockOf: Meaning = async ({ process, args: [argument = 0n] }) => {
  const descriptor = Number(BigInt.asIntN(32, argument));
  const file = await describeDescriptor(process, descriptor);
  const holder = await fileLockHolder(process, descriptor);
  return { what: `for a lock of ${file}`, ...(holder === undefined ? {} : { holder }) };
};

/** F_SETLKW and F_OFD_SETLKW; other operations do not wait. */
const waitingCommands = [7n, 38n];
/** Bytes: as much of a path is read at once. */
const maxPath = 256;

/** By x86-64's numbers: calls in which a thread may wait for as long as somebody else likes. */
const calls: Readonly<Record<number, readonly [name: string, meaning: Meaning]>> = {
  0: ['read', on('for data from')],
  17: ['pread64', on('for data from')],
  19: ['readv', on('for data from')],
  1: ['write', on('until it can write to')],
  18: ['pwrite64', on('until it can write to')],
  20: ['writev', on('until it can write to')],
  7: ['poll', nothing],
  23: ['select', nothing],
  270: ['pselect6', nothing],
  271: ['ppoll', nothing],
  232: ['epoll_wait', nothing],
  281: ['epoll_pwait', nothing],
  16: ['ioctl', on('for')],
  42: ['connect', on('for')],
  43: ['accept', on('for a connection to')],
  288: ['accept4', on('for a connection to')],
  44: ['sendto', on('until it can send on')],
  46: ['sendmsg', on('until it can send on')],
  45: ['recvfrom', on('for data from')],
  47: ['recvmsg', on('for data from')],
  73: ['flock', lockOf],
  72: ['fcntl', async (of) => (waitingCommands.includes(of.args[1] ?? 0n) ? lockOf(of) : undefined)],
  74: ['fsync', on('until all is written to')],
  75: ['fdatasync', on('until all is written to')],
  2: ['open', ({ image, args: [path = 0n] }) => openedPath(image, path)],
  257: ['openat', ({ image, args: [, path = 0n] }) => openedPath(image, path)],
  61: ['wait4', ({ process, args: [pid = 0n] }) => ofChild(process, pid)],
  247: ['waitid', ({ process, args: [kind = 0n, pid = 0n] }) => ofChild(process, kind === 1n ? pid : -1n)],
  65: ['semop', async () => ({ what: 'for a semaphore of System V' })],
  220: ['semtimedop', async () => ({ what: 'for a semaphore of System V' })],
  70: ['msgrcv', async () => ({ what: 'for a message of a queue of System V' })],
  69: ['msgsnd', async () => ({ what: 'until a queue of System V has room' })],
  243: ['mq_timedreceive', on('for a message of')],
  242: ['mq_timedsend', on('until there is room in')],
  34: ['pause', async () => ({ what: 'for a signal' })],
  130: ['sigsuspend', async () => ({ what: 'for a signal' })],
  128: ['sigtimedwait', async () => ({ what: 'for a signal' })],
};

/**
 * What a thread waits for that stands still after the instruction of a system call. undefined: the kernel does not tell, or the
 * call is not one in which a thread waits for somebody else.
 */
export async function systemWaitOf(
  process: HostProcess,
  tid: number,
  image: ProcessImage,
): Promise<SystemWait | undefined> {
  const made = await process.systemCall(tid);
  const [call, meaning] = (made && calls[made.number]) ?? [];
  if (made === undefined || call === undefined || meaning === undefined) return undefined;
  const known = await meaning({ process, image, args: made.args });
  return { call, ...known };
}

/** It waits where that is a FIFO whose other end nobody has opened. */
async function openedPath(image: ProcessImage, address: bigint): Promise<Omit<SystemWait, 'call'> | undefined> {
  const read = await guard(() => image.readMemory(address, maxPath));
  const end = read.ok ? read.value.indexOf(0) : -1;
  if (!read.ok || end <= 0) return undefined;
  return { what: `to open ${Buffer.from(read.value.subarray(0, end)).toString()}` };
}

async function ofChild(process: HostProcess, pid: bigint): Promise<Omit<SystemWait, 'call'>> {
  const number = Number(BigInt.asIntN(32, pid));
  const children = number > 0 ? [number] : await process.children();
  const [only] = children;
  if (only === undefined || children.length > 1) return { what: 'for a process that it has started to end' };
  return { what: `for process ${only}, which it has started, to end` };
}
