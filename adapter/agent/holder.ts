/** Holds processes of a host for a moment without a debugger (holder.pl), and knows the registers of their threads. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { usualProcessor } from '../../plugin-api/processor/known/processors';
import { Registers } from '../../plugin-api/processor/registers';
import type { Host } from '../hosts/host';
import { environmentOfPerl } from '../hosts/own-environment';
import { whyPerlIsNotRun } from './agent-script';
import { holderScript } from './agent-text';
import { LineReader } from './line-reader';

export interface HeldThread {
  tid: number;
  /** The instruction that it goes on with. */
  address: bigint;
  registers: Registers;
  /** Where its own variables are. */
  threadPointer?: bigint;
}

/** Milliseconds; it takes some of them for a hundred threads. */
const maxRelease = 5000;

/** False where holder.pl cannot run. */
export const canHold = process.platform === 'linux' && process.arch === 'x64';

/** Bytes; a thread's registers have less. */
const maxLine = 2000;

/** The most threads of one host: what its agent says is bounded, too. */
const maxThreads = 1 << 16;

/** holder.pl, wherever it runs. */
interface HolderProcess {
  stdin: Writable;
  stdout: Readable;
  /** When it holds nothing any more. Never rejects. */
  ended: Promise<unknown>;
  /** It is to let go of all as soon as it can. */
  giveUp: () => void;
  /** Nothing more is awaited of it. */
  kill: () => void;
  /** It could not be started: for the user. */
  whyNotStarted?: () => string | undefined;
}

export class Holder {
  private readonly lines: LineReader;

  /** Holds processes of this machine. */
  constructor(private readonly holder: HolderProcess = holderHere()) {
    this.lines = new LineReader(holder.stdout, maxLine);
    holder.stdout.resume();
  }

  /** Holds processes of any machine. Rejects where its agent cannot start a holder. */
  static async on(host: Host): Promise<Holder> {
    return new Holder(await holderBeside(host));
  }

  /**
   * Stops all threads of these processes. By process, the first thread first, of one that cannot be held or is not of this machine's own
   * kind none; undefined: nothing is known. Those that are held are until end(), or until `signal` is aborted. Rejects, with words for
   * the user, where nothing can be started to hold them.
   */
  async hold(
    pids: readonly number[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, readonly HeldThread[]> | undefined> {
    if (signal?.aborted === true) return undefined;
    signal?.addEventListener('abort', () => this.holder.giveUp(), { once: true });
    const held = new Map<number, HeldThread[]>(pids.map((pid) => [pid, []]));
    this.holder.stdin.write(`hold ${pids.join(' ')}\n`);
    const refused = new Set<number>();
    for (let count = 0; count <= maxThreads; count++) {
      const line = await this.lines.next().catch(() => undefined);
      if (line === undefined) {
        const reason = this.holder.whyNotStarted?.();
        if (reason !== undefined) throw new Error(reason);
        return undefined;
      }
      if (line === 'held') return new Map([...held].map(([pid, threads]) => [pid, refused.has(pid) ? [] : threads]));
      const [kind, pid, tid, registers = ''] = line.split(' ');
      const thread = kind === 'thread' ? threadOf(Number(tid), Buffer.from(registers, 'hex')) : undefined;
      if (thread === undefined) refused.add(Number(pid));
      else held.get(Number(pid))?.push(thread);
    }
    return undefined;
  }

  /** Lets all of them go on; resolves when they do. False: they went on before, because the process that looks was stopped. */
  async end(): Promise<boolean> {
    this.ending ??= this.letGo();
    return this.ending;
  }

  private ending: Promise<boolean> | undefined;

  private async letGo(): Promise<boolean> {
    this.holder.stdin.end();
    const late = setTimeout(() => this.holder.kill(), maxRelease);
    const last = await this.lines.next().catch(() => undefined);
    await this.holder.ended;
    clearTimeout(late);
    return last === 'released';
  }
}

function holderHere(): HolderProcess {
  const child = spawn('perl', [holderScript], { env: environmentOfPerl(process.env) });
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const { stdin, stdout } = child;
  // One that has ended cannot be written to: its silence is noticed.
  stdin.on('error', () => undefined);
  child.stderr.resume();
  // The kernel lets go what it held.
  const kill = (): void => void child.kill('SIGKILL');
  const whyNotStarted = (): string | undefined => failure && whyPerlIsNotRun(failure);
  return { stdin, stdout, ended, giveUp: kill, kill, whyNotStarted };
}

/** undefined: it is this machine. */
async function holderBeside(host: Host): Promise<HolderProcess | undefined> {
  if (host.startHelper === undefined) return undefined;
  // Names of its own among those of the agent.
  const text = `package Mpidbg::Holder; ${await readFile(holderScript, 'utf8')}`;
  const stream = await host.startHelper('holder', text);
  const ended = new Promise((resolve) => stream.once('close', resolve));
  // A connection that is torn down would not tell when it has let go.
  return { stdin: stream, stdout: stream, ended, giveUp: () => stream.end(), kill: () => void stream.destroy() };
}

function threadOf(tid: number, told: Buffer): HeldThread | undefined {
  const known = usualProcessor.registersOf(told);
  if (known === undefined) return undefined;
  const { programCounter: address, general, threadPointer } = known;
  return { tid, address, registers: new Registers(usualProcessor, general), threadPointer };
}
