/**
 * A look at processes of this machine without a debugger: the kernel stops them, and their stacks are followed by what each library
 * keeps for that. They are held for a fraction of the time in which a gdb attaches. Where anything is in the way, the look is left to gdb.
 */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { FaultError, QueryError } from '../../../plugin-api/result';
import { Holder, type HeldThread } from '../../agent/holder';
import { codeModulesOf, type ProcessCode } from '../../expressions/code-modules';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { CachedImage } from '../../images/cached-image';
import { LiveImage } from '../../images/live/live-image';
import { rankOf } from '../../launchers/rank-of-environment';
import { UnwindError } from '../../machine-code/unwind-error';
import { heldStack, roleOf, type HeldStack } from '../positions/held-stack';
import { sourceOf, threadPositions, type ThreadPosition } from '../positions/positions';
import { contentsOf, type LookSource } from './look';
import { SharedTraffic } from './traffic';

export interface HeldLook {
  look: ProcessState[];
  /** How long the processes were held, in milliseconds. */
  held: number;
}

interface Found {
  process: HostProcess;
  id: ProcessState['id'];
  /** As in proc(5). */
  foundAs: string;
}

/** undefined: gdb has to look. Every process is as it was when the promise settles, also when `signal` is aborted. */
export async function lookWithoutGdb(
  pids: readonly number[],
  plugins: PluginRegistry,
  gdb: string,
  signal: AbortSignal,
): Promise<HeldLook | undefined> {
  const found = await findAll(pids, plugins.known);
  const [first] = found ?? [];
  if (found === undefined || first === undefined) return undefined;
  await readAhead(first.process, plugins);
  const holder = new Holder();
  const looking: HeldRank[] = [];
  try {
    const traffic = new SharedTraffic();
    const begin = performance.now();
    const held = await holder.hold(pids);
    if (held === undefined || signal.aborted) return undefined;
    looking.push(...found.map((each) => new HeldRank(each, held.get(each.process.pid) ?? [], { plugins, gdb })));
    await Promise.all(looking.map((rank) => rank.read(traffic)));
    await holder.end();
    const time = performance.now() - begin;
    return { look: await Promise.all(looking.map((rank) => rank.state())), held: time };
  } catch (error) {
    if (isInTheWay(error)) return undefined;
    throw error;
  } finally {
    await holder.end();
    for (const rank of looking) rank.close();
  }
}

/** Opens the files that the processes have mapped, and the tables for their MPI, before anybody waits. */
async function readAhead(process: HostProcess, plugins: PluginRegistry): Promise<void> {
  const image = new LiveImage(process);
  try {
    await plugins.open(image);
  } catch (error) {
    // A process that runs may be in the middle of anything.
    if (!isInTheWay(error)) throw error;
  } finally {
    image.close();
  }
}

/** A stack without an end, a table that does not fit, a process that has ended: gdb finds more, or the words for it. */
function isInTheWay(error: unknown): boolean {
  return (
    error instanceof UnwindError ||
    error instanceof QueryError ||
    error instanceof FaultError ||
    error instanceof ProcessAccessError
  );
}

/** undefined: one of them is not there, or is debugged already. */
async function findAll(pids: readonly number[], mpis: KnownMpis): Promise<Found[] | undefined> {
  const found = await Promise.all(
    pids.map(async (pid) => {
      const process = new HostProcess(localHost, pid);
      const [status, environment] = await Promise.all([process.status(), process.environment()]);
      return { process, status, ...rankOf(environment, mpis) };
    }),
  );
  const worlds = new Set(found.map(({ world }) => world));
  const all = found.flatMap(({ process, status, number, world }) =>
    status === undefined || status.tracer !== 0 || status.state === 'Z'
      ? []
      : [
          {
            process,
            id: {
              rank: number,
              host: localHost.name,
              pid: process.pid,
              ...(worlds.size > 1 ? { world: world ?? 'unknown' } : {}),
            },
            foundAs: status.state,
          },
        ],
  );
  return all.length < pids.length ? undefined : all;
}

/** A rank while it is held, and what was read of it. */
class HeldRank {
  private readonly image: CachedImage;
  private readonly code: Promise<ProcessCode>;
  private readonly stacks: Promise<HeldStack[]>;
  private contents: Awaited<ReturnType<typeof contentsOf>> | undefined;
  private positions: readonly ThreadPosition[] = [];

  constructor(
    private readonly found: Found,
    private readonly threads: readonly HeldThread[],
    private readonly settings: { plugins: PluginRegistry; gdb: string },
  ) {
    const { process } = found;
    const mpis = settings.plugins.known;
    this.image = new CachedImage(new LiveImage(process, (path) => mpis.isMpi(path)));
    this.code = codeModulesOf(process).then((modules) => ({ modules, mpis }));
    const held = { image: this.image, process, mpis, gdb: settings.gdb };
    this.stacks = Promise.all(threads.map((thread) => heldStack(held, thread)));
    for (const each of [this.code, this.stacks]) each.catch(() => undefined); // read() tells
  }

  /** While it is held. */
  async read(traffic: SharedTraffic): Promise<void> {
    const { image } = this;
    const { plugins } = this.settings;
    const { process, foundAs } = this.found;
    const [code, stacks] = await Promise.all([this.code, this.stacks]);
    // Source lines alone tell such a program from its MPI.
    if (!code.modules.some(({ path }) => code.mpis.holdsObjects(path)))
      throw new UnwindError('MPI is linked into the program');
    const opened = plugins.open(image);
    const source: LookSource = {
      rank: { image: undefined, process, foundAs, current: { stop: { reason: 'attach', breakpoints: [] } } },
      mpi: () => opened,
      image: () => image,
      crash: () => Promise.resolve(undefined),
    };
    const threads = stacks.map((stack, index) => ({
      thread: index + 1,
      tid: this.threads[index]!.tid,
      role: roleOf(stack, code.mpis),
      stack: () => Promise.resolve(stack),
    }));
    [this.positions, this.contents] = await Promise.all([
      threadPositions(source, threads, code),
      contentsOf(source, traffic),
    ]);
  }

  /** With source lines. It may run. */
  async state(): Promise<ProcessState> {
    const [code, stacks] = await Promise.all([this.code, this.stacks]);
    const { id } = this.found;
    const positions = await Promise.all(
      this.positions.map(async (position) => ({
        ...id,
        ...position,
        ...sourceOf(await stacks[position.thread - 1]!.withLines(), code),
      })),
    );
    return { ...this.contents!, id, positions };
  }

  close(): void {
    this.image.invalidate();
  }
}
