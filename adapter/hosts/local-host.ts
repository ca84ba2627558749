/** The machine that we run on. */
import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { FileSource } from '../elf/byte-source';
import type { OpenFile } from '../elf/distant-bytes';
import type { Host, HostFile, ProcessMemory } from './host';
import { HostProcess } from './host-process';
import { LocalMemory } from './local-memory';
import { explainProcessError, ProcessAccessError } from './process-access-error';
import { parseLife, stopOf, type ProcessLife } from './process-life';
import { Turns } from './turns';

/** Whoever asks about all processes of a machine at once would run out of descriptors. */
const maxOpenAtOnce = 16;

/** The kernel answers these without waiting for the process, and Node's waits for a file take ten times as long as it does. */
const isToldAtOnce = /^\/proc\/\d+\/(stat|status)$/;

export class LocalHost implements Host {
  readonly name = hostname();

  private readonly turns = new Turns(maxOpenAtOnce);

  readFile(path: string): Promise<Buffer> {
    return this.turns.take(async () => (isToldAtOnce.test(path) ? readFileSync(path) : readFile(path)));
  }

  readLink(path: string): Promise<string> {
    return this.turns.take(() => readlink(path));
  }

  list(folder: string): Promise<string[]> {
    return this.turns.take(() => readdir(folder));
  }

  lives(pids: readonly number[]): Promise<(ProcessLife | undefined)[]> {
    return Promise.all(
      pids.map(async (pid) => {
        try {
          const life = parseLife((await this.readFile(`/proc/${pid}/stat`)).toString('latin1'));
          return life.endStatus === undefined ? life : await this.lifeWithoutFirstThread(pid, life);
        } catch (error) {
          const explained = explainProcessError(pid, error);
          if (explained instanceof ProcessAccessError && explained.why === 'exited') return undefined;
          throw error;
        }
      }),
    );
  }

  /** `ofFirst`: of a first thread that has ended. */
  private async lifeWithoutFirstThread(pid: number, ofFirst: ProcessLife): Promise<ProcessLife> {
    const status = await (await new HostProcess(this, pid).reachable())?.status();
    return status === undefined ? ofFirst : { ...ofFirst, endStatus: undefined, stopped: stopOf(status.state) };
  }

  /** At once, for the same reason as below. */
  async fileStates(paths: readonly string[]): Promise<(string | undefined)[]> {
    return paths.map(fileState);
  }

  /** At once: a rank has 200 of them, and to wait for each would take longer than to read it. */
  async openFile(path: string): Promise<HostFile> {
    const source = new FileSource(path);
    return {
      size: source.size,
      inode: source.inode,
      modified: source.modified,
      changed: source.changed,
      identity: source.identity,
      read: async (offset, length) => source.read(offset, length),
      close: () => source.close(),
    };
  }

  openMemory(pid: number): ProcessMemory {
    return new LocalMemory(pid);
  }

  async signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    process.kill(pid, signal);
  }
}

function fileState(path: string): string | undefined {
  try {
    const { dev, ino, mtimeNs, ctimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, mtimeNs, ctimeNs, size].join(':');
  } catch {
    // Whatever the reason: what was there is not found any more.
    return undefined;
  }
}

export const localHost: Host = new LocalHost();

export const openHere: OpenFile = (path) => localHost.openFile(path);
