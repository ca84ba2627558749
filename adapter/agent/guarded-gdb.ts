/**
 * A gdb and its guardian: the process that started it, and that leaves no process stopped when the gdb or
 * the debugger dies (agent.pl, guardian).
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { UnusableGdbError } from '../gdb/gdb';
import type { GdbHost, StartedGdb } from '../hosts/host';
import { LocalHost } from '../hosts/local-host';
import { startAgent, type AgentError } from './agent-script';
import type { Hub, Peer } from './hub';

/** This machine, whose guardians call at the hub. */
export class GuardedHost extends LocalHost implements GdbHost {
  constructor(private readonly hub: Hub) {
    super();
  }

  /** Rejects with UnusableGdbError or AgentError when there is nothing that could start one. */
  startGdb(path: string): Promise<StartedGdb> {
    return startGuardedGdb(this.hub, path, (id) => {
      const agent = startAgent(this.hub, ['guardian', id, path], {
        env: withoutRank(process.env, this.hub.mpis),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      agent.process.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
      return {
        failed: agent.failed.catch((error: AgentError) => {
          throw guardianFailed(said, error);
        }),
        exited: agent.exited.then(() => said),
        cancel: () => void agent.process.kill('SIGTERM'),
      };
    });
  }
}

/** A guardian that is being started on some host. */
export interface Guardian {
  /** Rejects when there is none, or no longer; never resolves. */
  failed: Promise<never>;
  /** With its last words on standard error. */
  exited: Promise<string>;
  cancel(): void;
}

/** `said`: its last words on standard error, which are worth more than what else is known. */
export function guardianFailed(said: string, error: AgentError): Error {
  return said === '' ? error : new UnusableGdbError(lastLine(said));
}

let lastId = 0;

/** `gdb`: for people. `begin`: starts a guardian that calls at the hub by this name. */
export async function startGuardedGdb(hub: Hub, gdb: string, begin: (id: string) => Guardian): Promise<StartedGdb> {
  const id = String(++lastId);
  const peers = waitForPeers(hub, id);
  const agent = begin(id);
  try {
    const { guardian, mi } = await Promise.race([peers.both, agent.failed]);
    const notRun = new Promise<string>((resolve) => {
      guardian.on('message', ({ kind, fields }) => {
        if (kind === 'nogdb') resolve(`gdb cannot be run (${gdb}: ${fields.reason})`);
      });
    });
    const ended = agent.exited.then((said) => {
      const why = said === '' ? 'it ended as soon as it was started' : lastLine(said);
      return `${gdb} cannot be used as gdb: ${why}`;
    });
    return {
      mi: mi.stream,
      hold: (pid, then) => guardian.send('hold', { pid, then }),
      forget: (pid) => guardian.send('forget', { pid }),
      // A gdb that could not be run has closed its end as well: the reason is on its way, so it is given the first word.
      whyEnded: () => Promise.race([notRun, ended]),
      end: async () => {
        // A gdb that does not end by itself is killed: gdb 13 was seen to spin when its processes died at once.
        guardian.send('end');
        await agent.exited;
      },
    };
  } catch (error) {
    peers.stop();
    agent.cancel();
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
