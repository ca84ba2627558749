/** Who is at the other end of a TCP connection of this machine. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** False too when the kernel does not tell. */
export async function isOfSameUser({ remotePort, localPort }: Socket): Promise<boolean> {
  if (remotePort === undefined || localPort === undefined) return false;
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return ownerOf(tables.join('\n'), remotePort, localPort) === process.geteuid?.();
}

/**
 * `table` as proc(5) tells of /proc/net/tcp: the user of the socket whose own end has port `local` and whose peer's has
 * `remote`. Undefined for one that nobody has open any longer: the kernel calls it root's, whosever it was.
 */
export function ownerOf(table: string, local: number, remote: number): number | undefined {
  const loopback = /^(0100007F|0000000000000000FFFF00000100007F)$/;
  for (const line of table.split('\n')) {
    const [, own = '', peer = '', , , , , uid, , inode] = line.trim().split(/\s+/);
    const [ownAddress = '', ownPort = ''] = own.split(':');
    const [peerAddress = '', peerPort = ''] = peer.split(':');
    if (!loopback.test(ownAddress) || !loopback.test(peerAddress) || inode === '0') continue;
    if (parseInt(ownPort, 16) === local && parseInt(peerPort, 16) === remote) return Number(uid);
  }
  return undefined;
}
