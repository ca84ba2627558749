/**
 * A gdb and its guardian: the process that started it, and that leaves no process stopped when gdb or
 * the debugger dies (agent.pl, guardian).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { UnusableGdbError } from '../gdb/unusable-gdb';
import type { GdbEnd, GdbHost, StartedGdb } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { LocalHost } from '../hosts/local-host';
import { environmentOfPerl, without } from '../hosts/own-environment';
import { withinTime } from '../hosts/time-limit';
import { howEndedBy } from '../hosts/wait-status';
import { AgentError, startAgent } from './agent-script';
import { tcpCountersScript } from './agent-text';
import { HeldProcesses, type ReleasingHost } from './held-processes';
import type { Hub, Peer } from './hub';
import type { Link } from './link';
import type { Message } from './messages';

/** This machine, whose guardians call at the hub. `isForLook`: what a gdb holds goes on while this process is stopped by a signal. */
export class GuardedHost extends LocalHost implements GdbHost, ReleasingHost {
  constructor(
    private readonly hub: Hub,
    private readonly isForLook = false,
  ) {
    super();
  }

  /** Rejects with UnusableGdbError or AgentError if none can be started. */
  startGdb(path: string, dropped: readonly string[] = []): Promise<StartedGdb> {
    return startGuardedGdb(this.hub, this, (id) => {
      const looker = this.isForLook ? [String(process.pid)] : [];
      const agent = startAgent(this.hub, ['guardian', id, path, ...looker], {
        env: environmentOfPerl(without(withoutRank(process.env, this.hub.mpis), dropped)),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      agent.process.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)));
      return {
        failed: agent.failed,
        ended: agent.exited.then((how) => `its guardian ${how}`),
        said: () => said,
        cancel: () => void agent.process.kill('SIGTERM'),
      };
    });
  }

  async tcpCounters(): Promise<string> {
    const limits = { maxBuffer: 1 << 20, timeout: 10_000 };
    const options = { env: environmentOfPerl(process.env), ...limits };
    return (await promisify(execFile)('perl', [tcpCountersScript], options)).stdout;
  }

  async releaseHeld(held: readonly string[]): Promise<void> {
    await startAgent(this.hub, ['release', ...held], { env: environmentOfPerl(process.env), stdio: 'ignore' }).exited;
  }
}

/** A guardian that is being started on some host. */
export interface Guardian {
  /** Rejects when there is none, or no longer; never resolves. */
  failed: Promise<never>;
  /** Why it could not tell the end of its gdb, should it not have: "its guardian was killed by SIGKILL". Never rejects. */
  ended: Promise<string>;
  /** What it and its gdb wrote to their standard error. */
  said: () => string;
  cancel: () => void;
}

let lastId = 0;

/** Milliseconds until a guardian has called, which takes it a fraction of a second. */
const maxStart = 30_000;

/** Milliseconds. Its guardian tells at once how a gdb has ended; one that somebody has stopped does not. */
const untilSilence = { milliseconds: 2000, late: () => new Error('its guardian does not answer') };

/** `begin`: starts a guardian that calls at the hub by this name, from our host or through `link`. */
export async function startGuardedGdb(
  hub: Hub,
  host: ReleasingHost,
  begin: (id: string) => Guardian,
  link?: Link,
): Promise<StartedGdb> {
  const id = String(++lastId);
  const where = link === undefined ? '' : ` on ${host.name}`;
  const unknownEnd = (why: string): GdbEnd => ({ kind: 'ended', how: `ended${where} for an unknown reason (${why})` });
  const peers = waitForPeers(hub, id, link);
  const agent = begin(id);
  let isLate = false;
  try {
    const late = (): Error => {
      isLate = true;
      return new AgentError(`the agent of mpidbg${where} does not answer within ${maxStart / 1000} s`);
    };
    const limit = { milliseconds: maxStart, late, failed: agent.failed };
    const { guardian, mi, early } = await withinTime(limit, () => peers.both);
    const held = new HeldProcesses(host);
    let [isAsked, hasReleased] = [false, false];
    const gone = closed(agent, guardian);
    let own: HostProcess | undefined;
    const end = new Promise<GdbEnd>((resolve) => {
      const hear = ({ kind, fields }: Message): void => {
        if (kind === 'gdb') own = new HostProcess(host, Number(fields.pid));
        if (kind === 'gdbended' || kind === 'nogdb') own = undefined;
        if (kind === 'nogdb') resolve({ kind: 'notRun', reason: `${fields.reason ?? 'unknown reason'}${where}` });
        if (kind === 'gdbended') resolve({ kind: 'ended', how: `${howEndedBy(Number(fields.wait))}${where}` });
        if (kind === 'released') {
          hasReleased = true;
          if (isAsked) resolve({ kind: 'ended', how: `was ended${where}` });
        }
      };
      for (const message of early()) hear(message);
      guardian.on('message', hear);
      void gone.then((why) => resolve(unknownEnd(why)));
    });
    const released = gone.then(() => (hasReleased ? undefined : held.release()));
    return {
      mi: mi.stream,
      process: {
        processorTime: async () => own?.processorTime().catch(() => undefined),
        interrupt: async () => {
          if (own !== undefined) await host.signal(own.pid, 'SIGINT').catch(() => undefined);
        },
      },
      hold: (pid, then) => {
        held.add(pid, then);
        guardian.send('hold', { pid, then });
      },
      forget: (pid) => {
        held.delete(pid);
        guardian.send('forget', { pid });
      },
      whyEnded: () => withinTime(untilSilence, () => end).catch(({ message }: Error) => unknownEnd(message)),
      lastWords: () => lastLine(agent.said()),
      end: async () => {
        // A gdb that does not end by itself is killed: gdb 13 was seen to spin when its processes died at once.
        isAsked = true;
        guardian.send('end');
        await released;
      },
    };
  } catch (error) {
    peers.stop();
    agent.cancel();
    const words = error instanceof AgentError ? lastLine(agent.said()) : '';
    if (words === '') throw error;
    // As a perl that cannot load its libraries.
    throw new UnusableGdbError(`${(error as AgentError).message}: ${words}`, !isLate, false);
  }
}

/** Resolves, as `ended` does, when nothing of the gdb and of its guardians is left, and their last words have come. */
async function closed({ ended }: Guardian, guardian: Peer): Promise<string> {
  const how = await ended;
  if (!guardian.isClosed) await new Promise<void>((resolve) => guardian.once('closed', resolve));
  return how;
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

interface GuardianPeers {
  guardian: Peer;
  mi: Peer;
  /** What the guardian has said until now: a gdb that cannot be run ends before anybody asks. */
  early: () => readonly Message[];
}

/** The two connections of one guardian; another host's agent cannot be it. Listens from now on. */
function waitForPeers(
  hub: Hub,
  id: string,
  link: Link | undefined,
): { both: Promise<GuardianPeers>; stop: () => void } {
  let stop = (): void => undefined;
  const both = new Promise<GuardianPeers>((resolve) => {
    let guardian: Peer | undefined;
    let mi: Peer | undefined;
    const said: Message[] = [];
    const note = (message: Message): void => void said.push(message);
    const arrived = (peer: Peer): void => {
      if (peer.hello.fields.id !== id || peer.link !== link) return;
      if (peer.hello.kind === 'guardian') guardian = peer.on('message', note);
      if (peer.hello.kind === 'mi') mi = peer;
      if (guardian === undefined || mi === undefined) return;
      stop();
      const [heard, dialogue] = [guardian, mi];
      const early = (): readonly Message[] => {
        heard.off('message', note);
        return said;
      };
      resolve({ guardian: heard, mi: dialogue, early });
    };
    stop = () => hub.off('peer', arrived);
    hub.on('peer', arrived);
  });
  return { both, stop };
}
