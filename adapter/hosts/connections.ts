/** The TCP connections of a process. */
import type { HostProcess } from './host-process';

/** "10.0.0.1:41234" */
export interface Connection {
  local: string;
  remote: string;
  state: 'listening' | 'established' | 'other';
}

/** Those that are open; none where they may not be seen. IPv4 addresses inside of IPv6 are told as IPv4. */
export async function connectionsOf({ host, pid }: HostProcess): Promise<Connection[]> {
  const descriptors = await host.list(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(descriptors.map((each) => host.readLink(`/proc/${pid}/fd/${each}`).catch(() => '')));
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => host.readFile(`/proc/${pid}/net/${name}`).then(String, () => '')),
  );
  return parseConnections(tables.join('\n'), inodes);
}

/** `table`: as proc(5) tells of /proc/PID/net/tcp. */
export function parseConnections(table: string, inodes: ReadonlySet<string>): Connection[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (!inodes.has(inode)) return [];
    const kind = state === '0A' ? 'listening' : state === '01' ? 'established' : 'other';
    return [{ local: endpointOf(local), remote: endpointOf(remote), state: kind }];
  });
}

/** The kernel writes an address as words of four bytes, each as a number of this machine. */
function endpointOf(text: string): string {
  const [hex = '', port = ''] = text.split(':');
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed());
  return `${addressOf(bytes)}:${parseInt(port, 16)}`;
}

function addressOf(bytes: readonly string[]): string {
  const inIpv6 = bytes.length === 16 && /^0{20}ffff/i.test(bytes.join(''));
  const ipv4 = inIpv6 ? bytes.slice(12) : bytes;
  if (ipv4.length === 4) return ipv4.map((each) => parseInt(each, 16)).join('.');
  return Array.from({ length: 8 }, (_, index) =>
    parseInt(bytes.slice(2 * index, 2 * index + 2).join(''), 16).toString(16),
  ).join(':');
}
