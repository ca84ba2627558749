/** Starts agent.pl on this host. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { orShortage, ShortageError } from '../elf/shortage-error';
import { environmentOfAgent } from '../hosts/own-environment';
import { howEnded } from '../hosts/wait-status';
import { agentScript } from './agent-text';
import type { Hub } from './hub';

/** The agent itself cannot run: the message says what is missing. */
export class AgentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AgentError';
  }
}

export interface AgentProcess {
  process: ChildProcess;
  /** Rejects when Perl is missing or the agent ended; never resolves. The message is what the agent said last. */
  failed: Promise<never>;
  /** Follows "the agent": "was killed by SIGKILL". Also resolves when it could not be started. */
  exited: Promise<string>;
}

export function startAgent(
  hub: Hub,
  args: readonly string[],
  { env, cwd, stdio }: { env: NodeJS.ProcessEnv; cwd?: string; stdio: StdioOptions },
): AgentProcess {
  const process = spawn('perl', [agentScript, ...args], {
    env: { ...environmentOfAgent(env), ...hub.environment },
    cwd,
    stdio,
    detached: true,
  });
  const exited = new Promise<string>((resolve) => {
    process.once('close', (code, signal) => resolve(howEnded(code, signal)));
    process.once('error', () => resolve('could not be started'));
  });
  const failed = new Promise<never>((_, reject) => {
    process.once('error', (error) => reject(new AgentError(whyPerlIsNotRun(error))));
    process.once('exit', (code, signal) => reject(new AgentError(`the agent of mpidbg ${howEnded(code, signal)}`)));
  });
  failed.catch(() => undefined);
  return { process, failed, exited };
}

/** For the user. `error`: of spawn. */
export function whyPerlIsNotRun(error: Error): string {
  const shortage = orShortage(error);
  if (shortage instanceof ShortageError) return shortage.message;
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return `perl cannot be run (${error.message})`;
  return 'perl cannot be run: install perl, mpidbg starts gdb with it';
}
