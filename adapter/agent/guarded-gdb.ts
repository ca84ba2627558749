/**
 * A gdb and its guardian: the process that started it, and that leaves no process stopped when gdb or
 * the debugger dies (agent.pl, guardian).
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { UnusableGdbError } from '../gdb/gdb';
import type { GdbEnd, GdbHost, StartedGdb } from '../hosts/host';
import { LocalHost } from '../hosts/local-host';
import { endOf, howEnded } from '../hosts/wait-status';
import { AgentError, startAgent } from './agent-script';
import { HeldProcesses, type ReleasingHost } from './held-processes';
import type { Hub, Peer } from './hub';

/** This machine, whose guardians call at the hub. */
export class GuardedHost extends LocalHost implements GdbHost, ReleasingHost {
  constructor(private readonly hub: Hub) {
    super();
  }

  /** Rejects with UnusableGdbError or AgentError if none can be started. */
  startGdb(path: string): Promise<StartedGdb> {
    return startGuardedGdb(this.hub, this, (id) => {
      const agent = startAgent(this.hub, ['guardian', id, path], {
        env: withoutRank(process.env, this.hub.mpis),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      agent.process.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
      return {
        failed: agent.failed,
        exited: agent.exited,
        said: () => said,
        cancel: () => void agent.process.kill('SIGTERM'),
      };
    });
  }

  async releaseHeld(held: readonly string[]): Promise<void> {
    await startAgent(this.hub, ['release', ...held], { env: process.env, stdio: 'ignore' }).exited;
  }
}

/** A guardian that is being started on some host. */
export interface Guardian {
  /** Rejects when there is none, or no longer; never resolves. */
  failed: Promise<never>;
  exited: Promise<unknown>;
  /** What it and its gdb wrote to their standard error. */
  said: () => string;
  cancel: () => void;
}

let lastId = 0;

/** Milliseconds. Its guardian tells at once how a gdb has ended; one that somebody has stopped does not. */
const maxSilence = 2000;

/** `begin`: starts a guardian that calls at the hub by this name. `where`: follows what is told of gdb's end. */
export async function startGuardedGdb(
  hub: Hub,
  host: ReleasingHost,
  begin: (id: string) => Guardian,
  where = '',
): Promise<StartedGdb> {
  const id = String(++lastId);
  const unknownEnd: GdbEnd = { kind: 'ended', how: `has ended${where}` };
  const peers = waitForPeers(hub, id);
  const agent = begin(id);
  try {
    const { guardian, mi } = await Promise.race([peers.both, agent.failed]);
    const held = new HeldProcesses(host);
    let hasReleased = false;
    const told = new Promise<GdbEnd>((resolve) => {
      guardian.on('message', ({ kind, fields }) => {
        if (kind === 'nogdb') resolve({ kind: 'notRun', reason: `${fields.reason ?? 'unknown reason'}${where}` });
        if (kind === 'gdbended') resolve({ kind: 'ended', how: `${howItEnded(Number(fields.wait))}${where}` });
        if (kind === 'released') {
          hasReleased = true;
          resolve(unknownEnd);
        }
      });
    });
    const released = closed(agent, guardian).then(() => (hasReleased ? undefined : held.release()));
    return {
      mi: mi.stream,
      hold: (pid, then) => {
        held.add(pid, then);
        guardian.send('hold', { pid, then });
      },
      forget: (pid) => {
        held.delete(pid);
        guardian.send('forget', { pid });
      },
      whyEnded: () => Promise.race([told, released.then(() => unknownEnd), afterMaxSilence(unknownEnd)]),
      lastWords: () => lastLine(agent.said()),
      end: async () => {
        // A gdb that does not end by itself is killed: gdb 13 was seen to spin when its processes died at once.
        guardian.send('end');
        await released;
      },
    };
  } catch (error) {
    peers.stop();
    agent.cancel();
    if (error instanceof AgentError && agent.said() !== '') throw new UnusableGdbError(lastLine(agent.said()));
    throw error;
  }
}

/** Nothing of the gdb and of its guardians is left, and their last words have come. */
async function closed(agent: Guardian, guardian: Peer): Promise<void> {
  await agent.exited;
  if (!guardian.isClosed) await new Promise<void>((resolve) => guardian.once('closed', resolve));
}

function howItEnded(status: number): string {
  const end = endOf(status);
  return 'signal' in end ? howEnded(null, end.signal) : howEnded(end.exitCode, null);
}

function afterMaxSilence(unknownEnd: GdbEnd): Promise<GdbEnd> {
  return new Promise((resolve) => setTimeout(resolve, maxSilence, unknownEnd).unref());
}

/** A gdb started inside a job is not one of its ranks. */
function withoutRank(env: NodeJS.ProcessEnv, { environments }: KnownMpis): NodeJS.ProcessEnv {
  const prefixes = environments.flatMap((each) => each.prefixes ?? []);
  const kept = Object.entries(env).filter(([name]) => !prefixes.some((prefix) => name.startsWith(prefix)));
  return Object.fromEntries(kept);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/** The two connections of one guardian. Listens from now on. */
function waitForPeers(hub: Hub, id: string): { both: Promise<{ guardian: Peer; mi: Peer }>; stop: () => void } {
  let stop = (): void => undefined;
  const both = new Promise<{ guardian: Peer; mi: Peer }>((resolve) => {
    let guardian: Peer | undefined;
    let mi: Peer | undefined;
    const arrived = (peer: Peer): void => {
      if (peer.hello.fields.id !== id) return;
      if (peer.hello.kind === 'guardian') guardian = peer;
      if (peer.hello.kind === 'mi') mi = peer;
      if (guardian === undefined || mi === undefined) return;
      stop();
      resolve({ guardian, mi });
    };
    stop = () => hub.off('peer', arrived);
    hub.on('peer', arrived);
  });
  return { both, stop };
}
