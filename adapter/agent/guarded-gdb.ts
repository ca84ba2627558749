/**
 * A gdb on this machine and its guardian: the process that started it, and that leaves no process stopped when gdb or
 * the debugger dies (agent.pl, guardian).
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { UnusableGdbError } from '../gdb/gdb';
import type { GdbHost, StartedGdb } from '../hosts/host';
import { LocalHost } from '../hosts/local-host';
import { AgentError, startAgent } from './agent-script';
import type { Hub, Peer } from './hub';

/** This machine, whose guardians call at the hub. */
export class GuardedHost extends LocalHost implements GdbHost {
  constructor(private readonly hub: Hub) {
    super();
  }

  /** Rejects with UnusableGdbError or AgentError if none can be started. */
  startGdb(path: string): Promise<StartedGdb> {
    return startGuardedGdb(this.hub, path);
  }
}

let lastId = 0;

async function startGuardedGdb(hub: Hub, gdbPath: string): Promise<StartedGdb> {
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
    const notRun = new Promise<string>((resolve) => {
      guardian.on('message', ({ kind, fields }) => {
        if (kind === 'nogdb') resolve(`gdb cannot be run (${gdbPath}: ${fields.reason})`);
      });
    });
    const ended = agent.exited.then(() => {
      const why = said === '' ? 'it exited immediately' : lastLine(said);
      return `${gdbPath} cannot be used as gdb: ${why}`;
    });
    return {
      mi: mi.stream,
      hold: (pid, then) => guardian.send('hold', { pid, then }),
      forget: (pid) => guardian.send('forget', { pid }),
      // A gdb that could not be run has also closed its end: wait for the reason, which is on its way.
      whyEnded: () => Promise.race([notRun, ended]),
      end: async () => {
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
