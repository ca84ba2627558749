/**
 * A Host in another process, which is asked through a pipe (tools/distant-host-agent.ts). Here its processes have other pids than
 * there: who looks for one of them on this machine finds none.
 */
import { localHost } from '../../adapter/hosts/local-host';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ElfError } from '../../adapter/elf/byte-source';
import type { Host, HostFile, ProcessMemory } from '../../adapter/hosts/host';
import { ProcessAccessError } from '../../adapter/hosts/process-access-error';
import { parseLife, type ProcessLife } from '../../adapter/hosts/process-life';
import { FaultError } from '../../plugin-api/result';

export type Question = { id: number } & (
  | { ask: 'readFile' | 'readLink' | 'list' | 'openFile'; path: string }
  | { ask: 'readOpen'; file: number; offset: number; length: number }
  | { ask: 'close'; file: number }
  | { ask: 'readMemory'; pid: number; address: string; length: number }
  | { ask: 'signal'; pid: number; signal: NodeJS.Signals }
);

/** `bytes`: in base64. */
export type Reply = { id: number } & (
  | { bytes: string }
  | { names: string[] }
  | { file: number; size: number; inode: string; modified: number; changed: number; identity: string }
  | { failure: Failure }
);

export type Failure =
  | { kind: 'elf'; message: string }
  | { kind: 'fault'; why: string }
  | { kind: 'access'; why: 'exited' | 'forbidden'; message: string }
  | { kind: 'system'; code: string; message: string };

type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

export class DistantHost implements Host {
  readonly name = 'far-away';
  /** How often it was asked what. */
  readonly asked = new Map<Question['ask'], number>();
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private lastId = 0;
  private readonly agent: ChildProcess;

  /** The pids here begin at a number beyond every pid that Linux gives. */
  constructor(private readonly pidsFrom = 100_000_000) {
    const command = ['--require', 'tsx/cjs', join(__dirname, '..', 'tools', 'distant-host-agent.ts')];
    const agent = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: agent.stdout }).on('line', (line) => {
      const reply = JSON.parse(line) as Reply;
      this.waiting.get(reply.id)?.(reply);
      this.waiting.delete(reply.id);
    });
    this.agent = agent;
  }

  /** What a process of this machine is called by those who know it from there. */
  pidOf(pid: number): number {
    return pid + this.pidsFrom;
  }

  async end(): Promise<void> {
    const ended = once(this.agent, 'exit');
    this.agent.stdin?.end();
    await ended;
  }

  async readFile(path: string): Promise<Buffer> {
    const bytes = bytesIn(await this.ask({ ask: 'readFile', path: this.there(path) }));
    return path.endsWith('/status') ? Buffer.from(this.withPids(bytes.toString())) : bytes;
  }

  async readLink(path: string): Promise<string> {
    return bytesIn(await this.ask({ ask: 'readLink', path: this.there(path) })).toString();
  }

  async list(folder: string): Promise<string[]> {
    const reply = await this.ask({ ask: 'list', path: this.there(folder) });
    const names = 'names' in reply ? reply.names : [];
    return folder === '/proc' ? names.map((name) => (/^\d+$/.test(name) ? String(this.pidOf(+name)) : name)) : names;
  }

  lives(pids: readonly number[]): Promise<(ProcessLife | undefined)[]> {
    const read = async (pid: number): Promise<ProcessLife | undefined> => {
      const stat = await this.readFile(`/proc/${pid}/stat`).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return stat === undefined ? undefined : parseLife(stat.toString('latin1'));
    };
    return Promise.all(pids.map(read));
  }

  async fileStates(paths: readonly string[]): Promise<(string | undefined)[]> {
    return localHost.fileStates(paths.map((path) => this.there(path)));
  }

  async openFile(path: string): Promise<HostFile> {
    const reply = await this.ask({ ask: 'openFile', path: this.there(path) });
    if (!('file' in reply)) throw new Error('this is no file');
    const { file, size, inode, modified, changed, identity } = reply;
    return {
      size,
      inode: BigInt(inode),
      modified,
      changed,
      identity: `${this.name} ${identity}`,
      read: async (offset, length) => bytesIn(await this.ask({ ask: 'readOpen', file, offset, length })),
      close: () => void this.ask({ ask: 'close', file }),
    };
  }

  openMemory(pid: number): ProcessMemory {
    return {
      read: async (address, length) => {
        const asked = { ask: 'readMemory', pid: pid - this.pidsFrom, address: String(address), length } as const;
        return bytesIn(await this.ask(asked, { pid, address, length }));
      },
      close: () => undefined,
    };
  }

  async signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    await this.ask({ ask: 'signal', pid: pid - this.pidsFrom, signal });
  }

  /** As the machine there knows it. */
  private there(path: string): string {
    return path.replace(/^\/proc\/(\d+)/, (_, pid) => `/proc/${Number(pid) - this.pidsFrom}`);
  }

  private withPids(status: string): string {
    return status.replace(
      /^(PPid|TracerPid):\t([1-9]\d*)$/gm,
      (_, name, pid) => `${name}:\t${this.pidOf(Number(pid))}`,
    );
  }

  private async ask(
    question: Without<Question, 'id'>,
    { pid = 0, address = 0n, length = 0 } = {},
  ): Promise<Without<Reply, 'id'>> {
    this.asked.set(question.ask, (this.asked.get(question.ask) ?? 0) + 1);
    const id = ++this.lastId;
    const replied = new Promise<Reply>((resolve) => this.waiting.set(id, resolve));
    this.agent.stdin?.write(`${JSON.stringify({ ...question, id })}\n`);
    const reply = await replied;
    if (!('failure' in reply)) return reply;
    const { failure } = reply;
    switch (failure.kind) {
      case 'elf':
        throw new ElfError(failure.message);
      case 'fault':
        throw new FaultError(address, length, failure.why);
      case 'access':
        throw new ProcessAccessError(pid, failure.why, failure.message);
      case 'system':
        throw Object.assign(new Error(failure.message), { code: failure.code });
    }
  }
}

function bytesIn(reply: Without<Reply, 'id'>): Buffer {
  if (!('bytes' in reply)) throw new Error('these are no bytes');
  return Buffer.from(reply.bytes, 'base64');
}
