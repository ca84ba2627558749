/** The debug adapter: DAP on standard input and output, or with --server=PORT on 127.0.0.1. */
import { logDefect, logFile } from './dap/log';
import { listen, portOf } from './dap/server';
import { Session } from './dap/session';
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
  process.exit(0);
}

// A mistake of ours must not leave ranks stopped, or the user without a word.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    logDefect(event, error);
    console.error(`mpidbg made a mistake: please report it with the log ${logFile}`);
  });
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void endAll());

const server = process.argv.slice(2).find((argument) => argument.startsWith('--server='));
if (server === undefined) {
  open(() => void endAll()).run(process.stdin, process.stdout);
} else {
  const port = Number(server.slice('--server='.length));
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error(`--server takes a port number, not "${server.slice('--server='.length)}"`);
    process.exit(2);
  }
  listen(port, (socket) => open(() => socket.end(() => socket.destroy())).run(socket, socket)).then(
    (listening) => console.error(`listening on 127.0.0.1:${portOf(listening)}`),
    (error: Error) => {
      console.error(`cannot listen on 127.0.0.1:${port}: ${error.message}`);
      process.exit(2);
    },
  );
}
