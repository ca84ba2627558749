/**
 * A gdb of this host and its guardian: the process that started it, and that leaves no process stopped when the gdb or
 * the debugger dies (agent.pl, guardian).
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { Gdb, UnusableGdbError } from '../gdb/gdb';
import { GdbLostError } from '../gdb/mi/mi-connection';
import { AgentError, startAgent } from './agent-script';
import type { Hub, Peer } from './hub';

/** What the guardian does with a process when its gdb is lost: let it run on, end it, or stop it as it was before. */
export type WhenLost = 'continue' | 'kill' | 'stop';

export interface GuardedGdb {
  readonly gdb: Gdb;
  /** From now on the guardian answers for this process. */
  hold(pid: number, then: WhenLost): void;
  forget(pid: number): void;
  /** Ends gdb, which lets go of what it still holds; resolves when it and its guardian are gone. */
  end(): Promise<void>;
}

let lastId = 0;

/** Rejects with UnusableGdbError when there is no gdb that can be used. */
export async function startGuardedGdb(hub: Hub, gdbPath: string): Promise<GuardedGdb> {
  const id = String(++lastId);
  const peers = waitForPeers(hub, id);
  const agent = startAgent(hub, ['guardian', id, gdbPath], {
    env: withoutRank(process.env, hub.mpis),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  agent.process.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
  try {
    const { guardian, mi } = await Promise.race([peers.both, agent.failed]);
    const noGdb = new Promise<never>((_, reject) => {
      guardian.on('message', ({ kind, fields }) => {
        if (kind !== 'nogdb') return;
        reject(new UnusableGdbError(`gdb cannot be run (${gdbPath}: ${fields.reason})`));
      });
    });
    noGdb.catch(() => undefined);
    // A gdb that could not be run has closed its end as well: the reason is on its way, so it is given the first word.
    const gdb = await Promise.race([
      noGdb,
      Gdb.connect(mi.stream).catch(async (error: unknown) => {
        await Promise.race([noGdb, agent.exited]);
        if (!(error instanceof GdbLostError)) throw error;
        const why = said === '' ? 'it ended as soon as it was started' : lastLine(said);
        throw new UnusableGdbError(`${gdbPath} cannot be used as gdb: ${why}`);
      }),
    ]);
    return {
      gdb,
      hold: (pid, then) => guardian.send('hold', { pid, then }),
      forget: (pid) => guardian.send('forget', { pid }),
      end: async () => {
        gdb.end();
        // A gdb that does not end by itself is killed: gdb 13 was seen to spin when its processes died at once.
        guardian.send('end');
        await agent.exited;
      },
    };
  } catch (error) {
    peers.stop();
    agent.process.kill('SIGTERM');
    if (error instanceof AgentError && said !== '') throw new UnusableGdbError(lastLine(said));
    throw error;
  }
}

/** A gdb that is started inside a job is none of its ranks. */
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
