/**
 * The debug adapter: DAP on standard input and output, for those who connect to --server=PORT or --socket=PATH, or for the
 * editor that started it with --session=PID and may lose it.
 */
import type { Channel } from './dap/client/connection';
import type { Guest } from './dap/client/client-connections';
import { logDefect, logFile } from './dap/client/log';
import { newSessionPlace } from './dap/client/session-folder';
import { SessionKeeper } from './dap/client/session-keeper';
import { listenOnPort, listenOnSocketFile } from './dap/client/server';
import { Session } from './dap/session';
import { parseTransport, type Transport } from './dap/client/transport';
import { orShortage, ShortageError } from './elf/shortage-error';
import { forgetEditor } from './editor-environment';
import { HostProcess } from './hosts/host-process';
import { localHost } from './hosts/local-host';
import { announce, protocolStreams, tell } from './hosts/standard-streams';
import { whyNoFolder, workingFolder } from './hosts/working-folder';

forgetEditor(process.env);

const sessions = new Set<Session>();
let isEnding = false;

function open(closed: () => void, keeper?: SessionKeeper): Session {
  const forget = (): void => {
    sessions.delete(session);
    closed();
  };
  const session = new Session(forget, undefined, keeper);
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
    const shortage = orShortage(error);
    const isShort = shortage instanceof ShortageError;
    void announce(isShort ? shortage.message : `internal error in mpidbg: please report it with the log ${logFile}`);
  });
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void endAll());

function serveStandardStreams(): void {
  open(() => void endAll()).run({
    ...protocolStreams(),
    isOpenToStrangers: false,
    accepted: () => undefined,
    refused(problem) {
      void tell(`the session ends: ${problem}`);
      process.exitCode = 1;
    },
  });
}

/** Each is said once: a page in a browser may try as often as it likes. */
const saidProblems = new Set<string>();

function serve(guest: Guest): void {
  open(guest.end).run(channelTo(guest));
}

/** `accepted`: it has become the client of its session. */
function channelTo({ socket, admit, end }: Guest, accepted: () => void = () => undefined): Channel {
  let isAdmitted = false;
  return {
    input: socket,
    output: socket,
    isOpenToStrangers: true,
    accepted() {
      isAdmitted = true;
      admit();
      accepted();
    },
    refused(problem) {
      if (isAdmitted) end();
      else socket.destroy();
      if (!saidProblems.has(problem)) void tell(`closed a connection: ${problem}`);
      saidProblems.add(problem);
    },
  };
}

/** Milliseconds in which the editor connects. */
const patience = 30_000;

/** Resolves with the path of the socket. */
async function serveOneSession(editor: number): Promise<string> {
  // By it the window that comes back finds its session.
  workingFolder();
  const place = newSessionPlace();
  let last: Guest | undefined;
  const closed = (): void => {
    if (last === undefined || last.socket.closed) void endAll();
    else {
      last.socket.once('close', () => void endAll());
      last.end();
    }
  };
  const session = open(closed, await SessionKeeper.of(place, new HostProcess(localHost, editor)));
  const nobodyCame = setTimeout(() => void endAll(), patience);
  return listenOnSocketFile(place.socket, (guest) => {
    const accepted = (): void => {
      clearTimeout(nobodyCame);
      last?.end();
      last = guest;
    };
    if (!session.run(channelTo(guest, accepted))) guest.socket.destroy();
  });
}

async function start(): Promise<void> {
  const transport = parseTransport(process.argv.slice(2));
  if (transport.kind === 'stdio') serveStandardStreams();
  else await announce(`listening on ${await placeOf(transport)}`);
}

function placeOf(transport: Exclude<Transport, { kind: 'stdio' }>): Promise<string> {
  switch (transport.kind) {
    case 'port':
      return listenOnPort(transport.port, serve).then((port) => `127.0.0.1:${port}`);
    case 'session':
      return serveOneSession(transport.editor);
    case 'file':
      return listenOnSocketFile(transport.path, serve);
  }
}

start().catch((error: Error) => tell(whyNoFolder(error) ?? error.message).then(() => process.exit(2)));
