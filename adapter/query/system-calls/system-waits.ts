/** What a thread of the program waits for in the kernel, by the system call that it is in and what its arguments mean. */
import type { SystemWait } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import { guard } from '../../../plugin-api/result';
import { describeChild, describeDescriptor } from '../../hosts/described-descriptor';
import { fileLockHolder } from '../../hosts/file-locks';
import { HostProcess } from '../../hosts/host-process';
import { usualProcessor } from '../../../plugin-api/processor/known/processors';
import { cLibraryName } from './c-library-name';
import { timeAt } from './time-at';

interface CallOf {
  process: HostProcess;
  image: ProcessImage;
  args: readonly bigint[];
}

/** What follows "waits"; undefined: nothing is known beyond the call; goesOn: it is soon over, whatever others do. */
type Meaning = (of: CallOf) => Promise<Omit<SystemWait, 'call'> | 'goesOn' | undefined>;

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

/** In seconds; a shorter sleep is a pause between two steps of the program. */
const longSleep = 2;

/** From the argument with the address of its time on. */
function sleepsFor(at: number): Meaning {
  return async ({ image, args }) => {
    const seconds = await timeAt(image, args[at]);
    return seconds === undefined || seconds < longSleep ? 'goesOn' : { what: `for ${Math.round(seconds)} s to pass` };
  };
}

/** F_SETLKW and F_OFD_SETLKW; other operations do not wait. */
const waitingCommands = [7n, 38n];
/** Bytes: as much of a path is read at once. */
const maxPath = 256;

/** By the name of the system call: those in which a thread may wait for as long as somebody else likes. */
const calls: Readonly<Record<string, Meaning>> = {
  read: on('for data from'),
  pread64: on('for data from'),
  readv: on('for data from'),
  write: on('until it can write to'),
  pwrite64: on('until it can write to'),
  writev: on('until it can write to'),
  poll: nothing,
  select: nothing,
  pselect6: nothing,
  ppoll: nothing,
  epoll_wait: nothing,
  epoll_pwait: nothing,
  ioctl: on('for'),
  connect: on('for'),
  accept: on('for a connection to'),
  accept4: on('for a connection to'),
  sendto: on('until it can send on'),
  sendmsg: on('until it can send on'),
  recvfrom: on('for data from'),
  recvmsg: on('for data from'),
  flock: lockOf,
  fcntl: async (of) => (waitingCommands.includes(of.args[1] ?? 0n) ? lockOf(of) : 'goesOn'),
  fsync: on('until all is written to'),
  fdatasync: on('until all is written to'),
  open: ({ image, args: [path = 0n] }) => openedPath(image, path),
  openat: ({ image, args: [, path = 0n] }) => openedPath(image, path),
  wait4: ({ process, args: [pid = 0n] }) => ofChild(process, pid),
  waitid: ({ process, args: [kind = 0n, pid = 0n] }) => ofChild(process, kind === 1n ? pid : -1n),
  semop: async () => ({ what: 'for a semaphore of System V' }),
  semtimedop: async () => ({ what: 'for a semaphore of System V' }),
  msgrcv: async () => ({ what: 'for a message of a queue of System V' }),
  msgsnd: async () => ({ what: 'until a queue of System V has room' }),
  mq_timedreceive: on('for a message of'),
  mq_timedsend: on('until there is room in'),
  nanosleep: sleepsFor(0),
  // With flags the time is a moment, of a clock.
  clock_nanosleep: (of) => (of.args[1] === 0n ? sleepsFor(2)(of) : Promise.resolve('goesOn')),
  pause: async () => ({ what: 'for a signal' }),
  sigsuspend: async () => ({ what: 'for a signal' }),
  sigtimedwait: async () => ({ what: 'for a signal' }),
};

/** Those that the kernel goes on with as another one, with the same arguments, after it has stopped their thread for a debugger. */
const resumed = ['nanosleep', 'clock_nanosleep', 'poll'];

/**
 * What a thread waits for that stands still after the instruction of a system call. `makes`: the function that makes the call, as far as
 * its name is known. undefined: the kernel does not tell, or the call is not one in which a thread waits for somebody else.
 */
export async function systemWaitOf(
  process: HostProcess,
  tid: number,
  image: ProcessImage,
  makes: string | undefined,
): Promise<SystemWait | undefined> {
  const made = await process.systemCall(tid);
  const named = made && usualProcessor.systemCalls.get(made.number);
  const own = cLibraryName(makes ?? '');
  const call = named !== 'restart_syscall' ? named : resumed.includes(own) ? own : undefined;
  const meaning = call === undefined ? undefined : calls[call];
  if (made === undefined || call === undefined || meaning === undefined) return undefined;
  const known = await meaning({ process, image, args: made.args });
  return known === 'goesOn' ? undefined : { call, ...known };
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
  return { what: `for ${await describeChild(new HostProcess(process.host, only))}, to end` };
}
