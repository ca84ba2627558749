/**
 * Hosts on this machine, made of namespaces: each has its own network, processes, host name, /tmp and /dev/shm, and shares
 * the rest of the file system. They are joined by a bridge in a network of its own: no packet leaves it. Needs root.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Mpi } from '../support/sample-job';

const run = promisify(execFile);
const nodeScript = join(__dirname, 'node.pl');
const wireScript = join(__dirname, 'wire.pl');

/** How each launcher is told which hosts there are, and what stands in for ssh on them. */
export function launcherArgs(mpi: Mpi, hosts: string): string[] {
  return mpi === 'openmpi'
    ? ['--mca', 'plm_rsh_agent', nodeScript, '--host', hosts]
    : ['-launcher', 'ssh', '-launcher-exec', nodeScript, '-hosts', hosts];
}

/** A host may have the files of another distribution than this machine. */
export interface Distribution {
  /** Where its files are here. */
  readonly folder: string;
  /** Files of this machine that it has at the same path, instead of its own. */
  readonly brought: readonly string[];
}

/** What it sees of this machine then: the tests and their programs, and what they write. */
const shared = [join(__dirname, '..', '..'), '/var/tmp'];

export interface TestHost {
  readonly name: string;
  readonly address: string;
  /** The pid of its first process, as this machine knows it. */
  readonly pid: number;
}

export interface HostedProcess {
  /** As this machine knows it. */
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: readonly string[];
  /** Its process id there. */
  readonly pidThere: number;
}

export class Cluster {
  private constructor(
    readonly hosts: readonly TestHost[],
    private readonly firsts: ChildProcess[],
    private readonly bridge: number,
    private readonly folder: string,
  ) {}

  /** Rejects, with what to do, where namespaces are not allowed. They end with this process, too. */
  static async start(names: readonly string[], others: Readonly<Record<string, Distribution>> = {}): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-hosts-'));
    const processes: ChildProcess[] = [];
    const begin = async (options: string[], command: string[]): Promise<Started> => {
      const child = spawn('unshare', [...options, '--kill-child', ...command], { stdio: ['pipe', 'pipe', 'pipe'] });
      processes.push(child);
      return new Started(child);
    };
    try {
      const bridge = await begin(
        ['--net', '--fork'],
        ['sh', '-c', 'ip link add bridge type bridge && ip link set bridge up && echo $$ && cat'],
      );
      const bridgePid = Number(await bridge.line());
      const hostsFile = join(folder, 'hosts');
      const address = (index: number): string => `10.250.0.${index + 1}`;
      writeFileSync(
        hostsFile,
        ['127.0.0.1 localhost', ...names.map((name, index) => `${address(index)} ${name}`), ''].join('\n'),
      );
      const hosts = await Promise.all(
        names.map(async (name, index): Promise<TestHost> => {
          const tmp = join(folder, name);
          mkdirSync(tmp, { mode: 0o1777 });
          const brought = `${tmp}.brought`;
          const other = others[name];
          writeFileSync(brought, (other?.brought ?? []).join('\n'));
          const host = await begin(
            ['--net', '--uts', '--ipc', '--pid', '--mount', '--fork'],
            [
              ...['perl', nodeScript, 'boot', name, address(index), hostsFile, tmp],
              ...(other === undefined ? [] : [other.folder, brought, ...shared]),
            ],
          );
          const pid = Number(await host.line());
          const cable = `to-${name}`;
          await inNetwork(bridgePid, [
            'ip',
            'link',
            'add',
            cable,
            'type',
            'veth',
            'peer',
            'name',
            'eth0',
            'netns',
            String(pid),
          ]);
          await inNetwork(bridgePid, ['ip', 'link', 'set', cable, 'master', 'bridge', 'up']);
          host.say('go');
          const ready = await host.line();
          if (ready !== 'ready') throw new Error(`the host ${name} said ${ready}`);
          return { name, address: address(index), pid };
        }),
      );
      return new Cluster(hosts, processes, bridgePid, folder);
    } catch (error) {
      for (const each of processes) each.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      throw new Error(
        `no hosts can be made on this machine (${(error as Error).message}): the suite needs root, namespaces, and the package iproute2`,
        { cause: error },
      );
    }
  }

  host(name: string): TestHost {
    const found = this.hosts.find((host) => host.name === name);
    if (found === undefined) throw new Error(`there is no host ${name}`);
    return found;
  }

  /** The command line that runs a command on a host, in the same directory. */
  on(name: string, command: readonly string[]): string[] {
    return ['nsenter', '--target', String(this.host(name).pid), '--all', `--wd=${process.cwd()}`, '--', ...command];
  }

  /** What runs on a host, but for its first process. */
  processes(name: string): HostedProcess[] {
    const { pid: first } = this.host(name);
    const host = readlinkSync(`/proc/${first}/ns/pid`);
    return readdirSync('/proc').flatMap((entry) => {
      const pid = Number(entry);
      if (!(pid > 0) || pid === first) return [];
      try {
        if (readlinkSync(`/proc/${pid}/ns/pid`) !== host) return [];
        // One that has ended has no command line.
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
        if (commandLine === '') return [];
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const pidThere = Number(/^NSpid:.*?(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
        return [{ pid, commandLine, environment, pidThere }];
      } catch {
        return []; // it ended meanwhile
      }
    });
  }

  /** No packet comes through to the host or from it, and nobody is told. */
  async cut(name: string): Promise<void> {
    await inNetwork(this.bridge, ['ip', 'link', 'set', `to-${name}`, 'nomaster']);
  }

  async restore(name: string): Promise<void> {
    await inNetwork(this.bridge, ['ip', 'link', 'set', `to-${name}`, 'master', 'bridge']);
  }

  /** From now on the way to the host is long (milliseconds there, and as many back), or narrow (bits a second each way). */
  async slow(name: string, { delay = 0, rate = 0 }: { delay?: number; rate?: number }): Promise<void> {
    const [cable, near, far] = [`to-${name}`, `near-${name}`, `far-${name}`];
    await inNetwork(this.bridge, ['ip', 'link', 'add', near, 'up', 'type', 'veth', 'peer', 'name', far]);
    await inNetwork(this.bridge, ['ip', 'link', 'set', far, 'master', 'bridge', 'up']);
    const command = ['--net', '--', 'perl', wireScript, cable, near, String(delay), String(rate)];
    const child = spawn('nsenter', ['--target', String(this.bridge), ...command], { stdio: 'pipe' });
    this.firsts.push(child);
    assert.equal(await new Started(child).line(), 'ready');
    await inNetwork(this.bridge, ['ip', 'link', 'set', cable, 'nomaster']);
  }

  /** Bytes that came to the host and went from it so far. */
  async traffic(name: string): Promise<number> {
    const [command = '', ...args] = this.on(name, [
      'sh',
      '-c',
      'cd /sys/class/net/eth0/statistics; cat rx_bytes tx_bytes',
    ]);
    const { stdout } = await run(command, args);
    return stdout.split('\n').reduce((sum, line) => sum + Number(line), 0);
  }

  /** Everything on the hosts ends. */
  async stop(): Promise<void> {
    await Promise.all(
      this.firsts.map(async (each) => {
        const ended = each.exitCode !== null || each.signalCode !== null ? undefined : once(each, 'exit');
        each.stdin?.end();
        await ended;
      }),
    );
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function inNetwork(pid: number, command: readonly string[]): Promise<void> {
  await run('nsenter', ['--target', String(pid), '--net', '--', ...command]);
}

/** A process that says lines. */
class Started {
  private readonly lines;
  private said = '';
  private readonly ended: Promise<unknown>;

  constructor(private readonly child: ChildProcess) {
    if (child.stdout === null) throw new Error('it has no output');
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr?.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => child.once('close', resolve));
  }

  say(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Rejects with its complaint when it ends. */
  async line(): Promise<string> {
    const next = await this.lines.next();
    if (next.done !== true) return next.value;
    await this.ended;
    throw new Error(this.said.trim() || 'it ended');
  }
}
