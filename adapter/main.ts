/** The debug adapter: DAP on standard input and output, or for those who connect to --server=PORT or --socket=PATH. */
import type { Guest } from './dap/client/door';
import { logDefect, logFile } from './dap/client/log';
import { listenOnPort, listenOnSocketFile } from './dap/client/server';
import { Session } from './dap/session';
import { parseTransport } from './dap/client/transport';
import { forgetEditor } from './editor-environment';

forgetEditor(process.env);

const sessions = new Set<Session>();
let isEnding = false;

function open(closed: () => void): Session {
  const session = new Session(() => {
    sessions.delete(session);
    closed();
  });
  sessions.add(session);
  return session;
}

async function endAll(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await Promise.all([...sessions].map((session) => session.close()));
  process.exit();
}

// A mistake of ours must not leave ranks stopped, or the user without a word.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    logDefect(event, error);
    console.error(`internal error in mpidbg: please report it with the log ${logFile}`);
  });
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void endAll());

function serveStandardStreams(): void {
  open(() => void endAll()).run({
    input: process.stdin,
    output: process.stdout,
    isOpenToStrangers: false,
    initialized: () => undefined,
    refused(problem) {
      console.error(`mpidbg: the session ends: ${problem}`);
      process.exitCode = 1;
    },
  });
}

/** Each is said once: a page in a browser may try as often as it likes. */
const saidProblems = new Set<string>();

function serve({ socket, admit, end }: Guest): void {
  let isAdmitted = false;
  open(end).run({
    input: socket,
    output: socket,
    isOpenToStrangers: true,
    initialized() {
      isAdmitted = true;
      admit();
    },
    refused(problem) {
      if (!isAdmitted) socket.destroy();
      if (!saidProblems.has(problem)) console.error(`mpidbg: closed a connection: ${problem}`);
      saidProblems.add(problem);
    },
  });
}

async function start(): Promise<void> {
  const transport = parseTransport(process.argv.slice(2));
  if (transport.kind === 'stdio') serveStandardStreams();
  else if (transport.kind === 'port')
    console.error(`listening on 127.0.0.1:${await listenOnPort(transport.port, serve)}`);
  else console.error(`listening on ${await listenOnSocketFile(transport.path, serve)}`);
}

start().catch((error: Error) => {
  console.error(`mpidbg: ${error.message}`);
  process.exit(2);
});
