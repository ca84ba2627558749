/** A process that outlives mpidbg where that is killed: the job's last watch must not end without a word. */
import { spawn, type ChildProcess } from 'node:child_process';
import { agentHere } from '../../agent/agent-text';
import { environmentOfPerl } from '../../hosts/own-environment';

const standardError = 2;

/** Waits at the other end of a pipe (agent.pl, witness); the kernel closes ours however this process ends. */
export class WatchWitness {
  private readonly child: ChildProcess;

  /** `endsJob`: nobody wants a job that is not watched. */
  constructor(launcher: number, endsJob: boolean) {
    const [perl = '', ...words] = [...agentHere, 'witness', String(launcher), endsJob ? 'ends' : 'leaves'];
    const env = environmentOfPerl(process.env);
    this.child = spawn(perl, words, { stdio: ['pipe', 'ignore', standardError], env, detached: true });
    // Without perl there is none, and the job is not to suffer for it; nor is mpidbg to wait for it.
    this.child.on('error', () => undefined);
    this.child.stdin?.on('error', () => undefined);
    this.child.unref();
  }

  /** Nothing is left to watch. */
  dismiss(): void {
    this.child.stdin?.end('done\n');
  }
}
