/** How clients connect to the adapter, from its arguments. */

export type Transport =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'file'; readonly path: string }
  /** One session on a socket of its own, which outlives its client as long as the editor, a process, lives. */
  | { readonly kind: 'session'; readonly editor: number };

export class UsageError extends Error {
  override name = 'UsageError';
}

const usage = 'usage: adapter.js [--server=PORT | --socket=PATH | --session=EDITOR_PID]';

/** Throws UsageError. */
export function parseTransport(args: readonly string[]): Transport {
  const [argument, second] = args;
  if (argument === undefined) return { kind: 'stdio' };
  if (second !== undefined) throw new UsageError(`at most one argument, but "${second}" follows; ${usage}`);
  const [, option, value = ''] = /^--(server|socket|session)=(.*)$/s.exec(argument) ?? [];
  if (option === 'server') return { kind: 'port', port: parsePort(value) };
  if (option === 'session') return { kind: 'session', editor: parsePid(value) };
  if (option !== 'socket') throw new UsageError(`unknown argument "${argument}"; ${usage}`);
  if (value === '') throw new UsageError(`--socket takes the path of a socket; ${usage}`);
  return { kind: 'file', path: value };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65535)) throw new UsageError(`--server takes a port number, not "${text}"; ${usage}`);
  return port;
}

function parsePid(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`--session takes the pid of the editor, not "${text}"; ${usage}`);
  return Number(text);
}
