/** Holds processes of this machine for a moment without a debugger (holder.pl), and knows the registers of their threads. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { environmentOfPerl } from '../hosts/own-environment';
import { holderScript } from './agent-text';

export interface HeldThread {
  tid: number;
  /** Of the instruction that it goes on with. */
  address: bigint;
  /** The general-purpose ones, by x86-64's numbers. */
  registers: readonly bigint[];
}

/** Where the kernel's user_regs_struct has them, in x86-64's order; each has 8 bytes. */
const places = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];
const instructionPointer = 16;
const codeSegment = 17;
/** Of a process of 64 bits. */
const code64 = 0x33n;

/** Milliseconds; it takes some of them for a hundred threads. */
const maxRelease = 5000;

/** False where holder.pl cannot run. */
export const canHold = process.platform === 'linux' && process.arch === 'x64';

export class Holder {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.child = spawn('perl', [holderScript], { env: environmentOfPerl(process.env) });
    this.ended = new Promise((resolve) => this.child.once('close', resolve).once('error', resolve));
    // One that has ended cannot be written to: its silence is noticed.
    this.child.stdin.on('error', () => undefined);
  }

  /**
   * Stops all threads of these processes. By process, the first thread first; undefined: one of them cannot be held, or is not of this
   * machine's own kind; those that are held are until end(), or until `signal` is aborted.
   */
  async hold(
    pids: readonly number[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, readonly HeldThread[]> | undefined> {
    if (signal?.aborted === true) return undefined;
    signal?.addEventListener('abort', this.kill, { once: true });
    const held = new Map<number, HeldThread[]>(pids.map((pid) => [pid, []]));
    this.child.stdin.write(`hold ${pids.join(' ')}\n`);
    for await (const line of createInterface({ input: this.child.stdout })) {
      if (line === 'held') return [...held.values()].some(({ length }) => length === 0) ? undefined : held;
      const [kind, pid, tid, registers = ''] = line.split(' ');
      const thread = kind === 'thread' ? threadOf(Number(tid), Buffer.from(registers, 'hex')) : undefined;
      if (thread === undefined) return undefined;
      held.get(Number(pid))?.push(thread);
    }
    return undefined;
  }

  /** Lets all of them go on; resolves when they do. False: they went on before, because this process was stopped. */
  async end(): Promise<boolean> {
    this.child.stdin.end();
    this.child.stdout.resume();
    const late = setTimeout(this.kill, maxRelease);
    await this.ended;
    clearTimeout(late);
    return this.child.exitCode === 0;
  }

  /** The kernel lets go what it held. */
  private readonly kill = (): void => void this.child.kill('SIGKILL');
}

function threadOf(tid: number, registers: Buffer): HeldThread | undefined {
  const at = (place: number): bigint => registers.readBigUInt64LE(8 * place);
  if (registers.length < 27 * 8 || at(codeSegment) !== code64) return undefined;
  return { tid, address: at(instructionPointer), registers: places.map(at) };
}
