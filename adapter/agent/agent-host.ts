/** Another machine, which answers through its agent (node-agent.pl). */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ElfError } from '../elf/byte-source';
import type { GdbHost, HostFile, HostReach, ProcessMemory, StartedGdb } from '../hosts/host';
import { explainProcessError } from '../hosts/process-access-error';
import { lifeOf, type ProcessLife } from '../hosts/process-life';
import { withinTime } from '../hosts/time-limit';
import { howEndedBy } from '../hosts/wait-status';
import { FaultError } from '../../plugin-api/result';
import { AgentError } from './agent-script';
import { DistantMemory, pageSize } from './distant-memory';
import { twinOf } from './twin-file';
import { startGuardedGdb, type Guardian } from './guarded-gdb';
import type { ReleasingHost } from './held-processes';
import type { Hub, Peer } from './hub';
import type { Link } from './link';
import type { Expected, LinkAnswer } from './pending-answer';

/** Bytes. A longer answer would keep everybody else's waiting. */
const maxPart = 1 << 18;
/** Bytes that are read of a file or of memory at once: no table of a program or library is longer. */
const maxRead = 1 << 30;
/** Bytes: enough for the counters of about 30 000 connections. */
const maxCounters = 1 << 20;
const tooMuch = 'it is more than can be read at once';
/** A guardian's question is answered when its gdb has ended, a helper's when it has. */
const untilItEnds: Expected = { maxMs: Infinity };

/** Milliseconds. */
const maxHelperStart = 10_000;
let lastHelper = 0;

export class AgentHost implements GdbHost, ReleasingHost {
  readonly name: string;
  private readonly servers: ((visitor: Duplex) => void)[] = [];

  constructor(
    private readonly hub: Hub,
    private link: Link,
  ) {
    this.name = link.host;
  }

  get reach(): HostReach {
    return this.link.reach;
  }

  /** Its agent has come back after its link was lost. */
  comeBack(link: Link): void {
    this.link = link;
    for (const serve of this.servers) link.on('visitor', serve);
  }

  async readFile(path: string): Promise<Buffer> {
    return (await this.ask('readfile', { path })).bytes;
  }

  async readLink(path: string): Promise<string> {
    return (await this.ask('readlink', { path })).bytes.toString();
  }

  async list(folder: string): Promise<string[]> {
    const { bytes } = await this.ask('list', { path: folder });
    return bytes.length === 0 ? [] : bytes.toString().split('\0');
  }

  async tcpCounters(): Promise<string> {
    return (await this.ask('tcp', {}, { maxBytes: maxCounters })).bytes.toString();
  }

  /** One question, however many there are: their ends are watched all the time. */
  async lives(pids: readonly number[]): Promise<(ProcessLife | undefined)[]> {
    const { bytes } = await this.ask('lives', { pids: pids.join() });
    const words = bytes.toString().split(',');
    if (words.length !== pids.length) throw this.link.distrust('its answer to "lives" is about other processes');
    return words.map((word) => {
      const [state = '', startTime = '', endStatus] = word.split(':');
      return word === '' ? undefined : lifeOf(state, startTime, Number(endStatus));
    });
  }

  async fileStates(paths: readonly string[]): Promise<(string | undefined)[]> {
    if (paths.length === 0) return [];
    const { bytes } = await this.ask('states', { paths: paths.join('\0') });
    const states = bytes.toString().split('\0');
    if (states.length !== paths.length) throw this.link.distrust('its answer to "states" is about other files');
    return states.map((state) => (state === '' ? undefined : state));
  }

  async openFile(path: string): Promise<HostFile> {
    const { fields } = await this.ask('open', { path });
    if (fields.file === undefined) throw new ElfError('it is not a regular file');
    const { file, inode = '', size = '', modified = '', changed = '', identity = '' } = fields;
    const isFile = [file, inode, size].every((each) => /^\d{1,20}$/.test(each)) && Number.isSafeInteger(Number(size));
    if (!isFile || ![modified, changed].every((each) => Number.isFinite(Number(each))))
      throw this.link.distrust('its answer to "open" is not about a file');
    const common = {
      size: Number(size),
      inode: BigInt(inode),
      modified: Number(modified),
      changed: Number(changed),
    };
    const close = (): void => void this.link.ask('close', { file }).catch(() => undefined);
    const twin = await twinOf({ ...common, path: fields.name, buildId: fields.build });
    if (twin !== undefined) {
      close();
      return { ...twin, inode: common.inode, changed: common.changed };
    }
    return {
      ...common,
      identity: `${this.name} ${identity}`,
      read: async (offset, length) => {
        if (length > maxRead) throw new ElfError(tooMuch);
        return inParts(length, async (at, part) => {
          const asked = { file, offset: offset + at, length: part };
          const { bytes } = await this.ask('readopen', asked, { maxBytes: part });
          if (bytes.length < part) throw new ElfError('it was truncated while being read');
          return bytes;
        });
      },
      // A host that is gone has closed it; one that is away keeps it, also for what has ended meanwhile.
      close,
    };
  }

  openMemory(pid: number): ProcessMemory {
    return new DistantMemory({
      pages: async (numbers) => {
        const expected = { maxBytes: numbers.length * pageSize };
        const { bytes, fields } = await this.askMemory(pid, 'pages', { numbers: numbers.join() }, expected);
        // One letter for each page: "r", its bytes follow those of the one before; "u", it cannot be read; "g", all is gone.
        let at = 0;
        return [...(fields.pages ?? '')].map((letter) => {
          if (letter === 'r' && at + pageSize <= bytes.length) return bytes.subarray(at, (at += pageSize));
          return letter === 'g' ? 'gone' : 'unreadable';
        });
      },
      readRange: async (address, length) => {
        const read = async (at: number, part: number): Promise<Buffer> => {
          const asked = { address: String(address + BigInt(at)), length: part };
          const answer = await this.askMemory(pid, 'memory', asked, { maxBytes: part });
          const { code } = answer.fields;
          if (code === 'EIO' || code === 'EFAULT') throw new FaultError(address, length);
          if (answer.bytes.length < part)
            throw new FaultError(address, length, 'the process has exited, or executed another program');
          return answer.bytes;
        };
        // A length read from garbage is found out before it is allocated.
        if (length > maxRead) throw new FaultError(address, length, tooMuch);
        await read(length - 1, 1);
        return inParts(length, read);
      },
      // A host that is lost has closed it.
      forget: () => void this.link.ask('forget', { pid }).catch(() => undefined),
    });
  }

  async signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    await this.ask('signal', { pid, signal: signal.replace(/^SIG/, '') });
  }

  async listen(serve: (visitor: Duplex) => void): Promise<string> {
    this.servers.push(serve);
    this.link.on('visitor', serve);
    return `\0${(await this.ask('listen', {})).bytes.toString()}`;
  }

  /**
   * Puts a library of ours where ranks there can load it from, and only the user can change it. Resolves with its path. Rejects with
   * an error that has a `code`.
   */
  async keepLibrary(name: string, content: Buffer): Promise<string> {
    const hash = createHash('sha256').update(content).digest('hex');
    const kept = await this.ask('kept', { name, hash });
    if (kept.bytes.length > 0) return kept.bytes.toString();
    const starts = Array.from({ length: Math.ceil(content.length / maxPart) }, (_, index) => index * maxPart);
    const answers = starts.map((start) => {
      const part = content.toString('hex', start, start + maxPart);
      return this.ask('keep', { name, hash, part, ...(start === starts.at(-1) ? { last: 1 } : {}) });
    });
    return (await Promise.all(answers)).at(-1)!.bytes.toString();
  }

  startGdb(path: string, without: readonly string[] = []): Promise<StartedGdb> {
    const prefixes = this.hub.mpis.environments.flatMap((each) => each.prefixes ?? []);
    const begin = (id: string): Guardian => {
      let said = '';
      const how = this.link
        .ask('guardian', { id, gdb: path, without: [...prefixes, ...without].join() }, untilItEnds)
        .then(({ fields }) => {
          said = fields.said ?? '';
          return fields.wait === undefined ? `could not be started: ${fields.reason}` : howEndedBy(Number(fields.wait));
        });
      const failed = how.then((ended) => {
        throw new AgentError(`the agent of mpidbg on ${this.name} ${ended}`);
      });
      const ended = how.then(
        (known) => `its guardian ${known}`,
        (error: Error) => error.message,
      );
      // Without its debugger it ends by itself.
      return { failed, ended, said: () => said, cancel: () => undefined };
    };
    return startGuardedGdb(this.hub, this, begin, this.link);
  }

  /**
   * Runs a text in Perl there (node-agent.pl, start_helper); resolves with its standard input and output. It ends with this connection.
   * Rejects with AgentError, or where the host is lost.
   */
  async startHelper(name: string, text: string): Promise<Duplex> {
    const id = String(++lastHelper);
    let stop = (): void => undefined;
    const arrived = new Promise<Duplex>((resolve) => {
      const take = ({ hello, link, stream }: Peer): void => {
        if (hello.kind === 'helper' && hello.fields.id === id && link === this.link) resolve(stream);
      };
      stop = () => this.hub.off('peer', take);
      this.hub.on('peer', take);
    });
    const asked = { id, name, text: Buffer.from(text).toString('hex') };
    const failed = this.link.ask('helper', asked, untilItEnds).then(({ fields }) => {
      const why = fields.said?.trim() ?? fields.reason ?? '';
      throw new AgentError(`the ${name} of mpidbg on ${this.name} could not be started: ${why}`);
    });
    failed.catch(() => undefined);
    const late = (): Error => new AgentError(`the agent of mpidbg on ${this.name} does not answer`);
    try {
      return await withinTime({ milliseconds: maxHelperStart, late, failed }, () => arrived);
    } finally {
      stop();
    }
  }

  /** A host that is lost has an agent that lets them go. */
  async releaseHeld(held: readonly string[]): Promise<void> {
    await this.link.ask('release', { held: held.join() }).catch(() => undefined);
  }

  /** Rejects with ProcessAccessError; that the address cannot be read is an answer. */
  private async askMemory(
    pid: number,
    kind: string,
    fields: Readonly<Record<string, string | number>>,
    expected: Expected,
  ): Promise<LinkAnswer> {
    const answer = await this.link.ask(kind, { pid, ...fields }, expected);
    const isFault = ['EIO', 'EFAULT'].includes(answer.fields.code ?? '');
    if (answer.kind === 'no' && !isFault) throw explainProcessError(pid, systemError(answer));
    return answer;
  }

  private async ask(
    kind: string,
    fields: Readonly<Record<string, string | number>>,
    expected?: Expected,
  ): Promise<LinkAnswer> {
    const answer = await this.link.ask(kind, fields, expected);
    if (answer.kind === 'no') throw systemError(answer);
    return answer;
  }
}

/** Nobody is to take words of its own for a code of the system's. */
function systemError({ fields: { code: said = '', reason = '' } }: LinkAnswer): Error {
  const code = /^E[A-Z0-9]{1,20}$/.test(said) ? said : 'EIO';
  return Object.assign(new Error(`${code}: ${reason}`), { code });
}

async function inParts(length: number, read: (at: number, part: number) => Promise<Buffer>): Promise<Buffer> {
  const starts = Array.from({ length: Math.ceil(length / maxPart) }, (_, index) => index * maxPart);
  return Buffer.concat(await Promise.all(starts.map((at) => read(at, Math.min(maxPart, length - at)))));
}
