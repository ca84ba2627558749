/** The user's launcher under its supervisor (agent.pl, supervise): nothing that it started outlives the job. */
import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { signalName } from '../hosts/wait-status';
import { startAgent, type AgentProcess } from './agent-script';
import type { Hub, Peer } from './hub';
import { isPid } from './messages';

export interface LauncherEnd {
  exitCode?: number;
  /** "SIGTERM" */
  signal?: string;
  /** The launcher could not be run at all: the system's words. */
  notStarted?: string;
}

export interface SupervisedLauncher {
  /**
   * Resolves when the launcher and everything below it have ended and their output has been delivered. Never rejects.
   */
  readonly ended: Promise<LauncherEnd>;
  /** Ends everything below the launcher too. `ended` follows. */
  terminate(): void;
  /** What the launcher prints is not read until then: when its pipe is full, it waits. */
  holdOutput(until: Promise<void>): void;
  /** The launcher runs on without us; what it prints from now on goes nowhere. */
  leave(): void;
}

export interface SupervisedOptions {
  command: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A file for the standard input; default: an empty one. */
  stdin: string | undefined;
  onOutput: (text: string, stream: 'stdout' | 'stderr') => void;
  /** Those of the ranks that it starts on this host without an agent. */
  followed?: LateRanks;
}

/** Ranks that a launcher starts while the job runs, as for MPI_Comm_spawn. */
export interface LateRanks {
  /** The names of launchers and daemons: they start ranks, and are none. */
  starters: readonly string[];
  /** It is held before its first instruction by SIGSTOP until `taken` is called. */
  began: (pid: number, taken: () => void) => void;
  /** Nobody can follow the launcher: why. */
  blind: (why: string) => void;
}

/** Throws what opening the stdin file throws. */
export function superviseLauncher(hub: Hub, options: SupervisedOptions): SupervisedLauncher {
  const agent = startSupervisor(hub, options);
  const supervisor = new Supervisor(hub);
  const follow = (peer: Peer): void => {
    if (options.followed !== undefined) hear(peer, options.followed);
  };
  hub.on('peer', follow);
  const failed = agent.failed.catch((error: Error) => error.message);
  return {
    ended: agent.exited.then(() => {
      hub.off('peer', follow);
      return supervisor.endOf(failed);
    }),
    terminate: () => {
      // The end is only reported once all output has been read.
      resumeOutput(agent);
      supervisor.terminate();
    },
    holdOutput: (until) => holdOutput(agent, until),
    leave: () => {
      readIntoNothing(agent);
      supervisor.leave();
      agent.process.unref();
    },
  };
}

function startSupervisor(hub: Hub, { command, cwd, env, stdin, onOutput, followed }: SupervisedOptions): AgentProcess {
  const input = stdin === undefined ? 'ignore' : openSync(stdin, 'r');
  let agent: AgentProcess;
  try {
    const mode = followed === undefined ? ['supervise'] : ['follow', followed.starters.join()];
    agent = startAgent(hub, [...mode, ...command], { env, cwd, stdio: [input, 'pipe', 'pipe'] });
  } finally {
    if (typeof input === 'number') closeSync(input);
  }
  for (const name of ['stdout', 'stderr'] as const) {
    agent.process[name]?.setEncoding('utf8').on('data', (text: string) => onOutput(text, name));
  }
  return agent;
}

/** `peer`: perhaps the process that follows the launcher. */
function hear(peer: Peer, { began, blind }: LateRanks): void {
  if (peer.hello.kind !== 'follower' || peer.link !== undefined) return;
  peer.on('message', ({ kind, fields }) => {
    const { pid = '', reason = 'unknown reason' } = fields;
    if (kind === 'blind') blind(reason);
    if (kind === 'began' && isPid(pid)) began(Number(pid), () => peer.send('taken', { pid }));
  });
}

/** The dialogue with the agent above the launcher, which dials in some time after its start. */
class Supervisor {
  private peer: Peer | undefined;
  private isTerminated = false;
  private readonly end: LauncherEnd = {};
  private readonly arrived = (peer: Peer): void => this.take(peer);

  constructor(private readonly hub: Hub) {
    hub.on('peer', this.arrived);
  }

  terminate(): void {
    this.isTerminated = true;
    this.peer?.send('terminate');
  }

  leave(): void {
    this.peer?.send('leave');
  }

  /** After its process has ended. `failed`: why it did not run, if it did not. */
  async endOf(failed: Promise<string>): Promise<LauncherEnd> {
    this.hub.off('peer', this.arrived);
    // Its last output may arrive after its process has ended.
    const last = this.peer;
    if (last?.isClosed === false) await new Promise<void>((resolve) => last.once('closed', resolve));
    const { end } = this;
    // A supervisor that said nothing did not run: Perl or a module of it is missing.
    if (end.exitCode === undefined && end.signal === undefined) end.notStarted ??= await failed;
    return end;
  }

  private take(peer: Peer): void {
    // What is on another host supervises nothing of ours.
    if (peer.hello.kind !== 'supervisor' || peer.link !== undefined) return;
    this.hub.off('peer', this.arrived);
    this.peer = peer;
    if (this.isTerminated) peer.send('terminate');
    peer.on('message', ({ kind, fields }) => {
      if (kind === 'nolauncher') this.end.notStarted = fields.reason ?? 'unknown reason';
      if (kind !== 'ended') return;
      if (fields.signal !== undefined) this.end.signal = signalName(Number(fields.signal));
      else this.end.exitCode = Number(fields.status);
    });
  }
}

function holdOutput(agent: AgentProcess, until: Promise<void>): void {
  for (const output of [agent.process.stdout, agent.process.stderr]) output?.pause();
  void until.then(() => resumeOutput(agent));
}

/** Unless it has been left to another reader. */
function resumeOutput({ process: { stdout, stderr } }: AgentProcess): void {
  for (const output of [stdout, stderr]) if (output?.listenerCount('data') !== 0) output?.resume();
}

/** Keeps reading what the launcher prints: it would die when it next writes. */
function readIntoNothing({ process: { stdout, stderr } }: AgentProcess): void {
  for (const output of [stdout, stderr]) {
    if (output === null) continue;
    output.removeAllListeners('data');
    output.pause();
    spawn('cat', [], { stdio: [output, 'ignore', 'ignore'], detached: true, cwd: '/' }).unref();
  }
}
