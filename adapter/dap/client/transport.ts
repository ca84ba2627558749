/** How clients connect to the adapter, from its arguments. */

export type Transport =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'file'; readonly path: string };

export class UsageError extends Error {
  override name = 'UsageError';
}

const usage = 'usage: adapter.js [--server=PORT | --socket=PATH]';

/** Throws UsageError. */
export function parseTransport(args: readonly string[]): Transport {
  const [argument, second] = args;
  if (argument === undefined) return { kind: 'stdio' };
  if (second !== undefined) throw new UsageError(`at most one argument, but "${second}" follows; ${usage}`);
  const [, option, value = ''] = /^--(server|socket)=(.*)$/s.exec(argument) ?? [];
  if (option === 'server') return { kind: 'port', port: parsePort(value) };
  if (option !== 'socket') throw new UsageError(`unknown argument "${argument}"; ${usage}`);
  if (value === '') throw new UsageError(`--socket takes the path of a socket; ${usage}`);
  return { kind: 'file', path: value };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65535)) throw new UsageError(`--server takes a port number, not "${text}"; ${usage}`);
  return port;
}
