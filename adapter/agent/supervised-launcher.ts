/** The user's launcher under its supervisor (agent.pl, supervise): nothing that it started outlives the job. */
import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { signalName } from '../hosts/wait-status';
import { startAgent, type AgentProcess } from './agent-script';
import type { Hub, Peer } from './hub';

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
}

/** Throws what opening the stdin file throws. */
export function superviseLauncher(hub: Hub, options: SupervisedOptions): SupervisedLauncher {
  const { command, cwd, env, stdin, onOutput } = options;
  const input = stdin === undefined ? 'ignore' : openSync(stdin, 'r');
  let agent: AgentProcess;
  try {
    agent = startAgent(hub, ['supervise', ...command], { env, cwd, stdio: [input, 'pipe', 'pipe'] });
  } finally {
    if (typeof input === 'number') closeSync(input);
  }
  for (const name of ['stdout', 'stderr'] as const) {
    agent.process[name]?.setEncoding('utf8').on('data', (text: string) => onOutput(text, name));
  }

  let supervisor: Peer | undefined;
  let terminated = false;
  const end: LauncherEnd = {};
  const arrived = (peer: Peer): void => {
    if (peer.hello.kind !== 'supervisor') return;
    hub.off('peer', arrived);
    supervisor = peer;
    if (terminated) peer.send('terminate');
    peer.on('message', ({ kind, fields }) => {
      if (kind === 'nolauncher') end.notStarted = fields.reason ?? 'unknown reason';
      if (kind !== 'ended') return;
      if (fields.signal !== undefined) end.signal = signalName(Number(fields.signal));
      else end.exitCode = Number(fields.status);
    });
  };
  hub.on('peer', arrived);
  const failed = agent.failed.catch((error: Error) => error.message);
  const ended = agent.exited.then(async () => {
    hub.off('peer', arrived);
    // Its last output may arrive after its process has ended.
    const last = supervisor;
    if (last?.isClosed === false) await new Promise<void>((resolve) => last.once('closed', resolve));
    // A supervisor that said nothing did not run: Perl or a module of it is missing.
    if (end.exitCode === undefined && end.signal === undefined) end.notStarted ??= await failed;
    return end;
  });
  return {
    ended,
    terminate: () => {
      terminated = true;
      supervisor?.send('terminate');
    },
    leave: () => {
      // Keep reading, or the launcher would die when it next writes.
      for (const output of [agent.process.stdout, agent.process.stderr]) {
        if (output === null) continue;
        output.removeAllListeners('data');
        output.pause();
        spawn('cat', [], { stdio: [output, 'ignore', 'ignore'], detached: true, cwd: '/' }).unref();
      }
      supervisor?.send('leave');
      agent.process.unref();
    },
  };
}
