/** `--server=PORT`: sessions over TCP on this machine, for the user who started the adapter and nobody else. */
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Resolves when it listens. `serve` gets each connection of the same user. */
export function listen(port: number, serve: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    // Nothing of what a stranger sends is looked at.
    socket.pause();
    socket.on('error', () => socket.destroy());
    peerUid(socket).then(
      (uid) => {
        if (uid === process.getuid?.()) serve(socket);
        else socket.destroy();
      },
      () => socket.destroy(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** The user who owns the other end; undefined when the kernel does not tell. */
async function peerUid(socket: Socket): Promise<number | undefined> {
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return undefined;
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return ownerOf(tables.join('\n'), remotePort, localPort);
}

/** `table` as proc(5) tells of /proc/net/tcp: the socket whose own end has port `local` and whose peer's has `remote`. */
export function ownerOf(table: string, local: number, remote: number): number | undefined {
  const loopback = /^(0100007F|0000000000000000FFFF00000100007F)$/;
  for (const line of table.split('\n')) {
    const [, own = '', peer = '', , , , , uid] = line.trim().split(/\s+/);
    const [ownAddress = '', ownPort = ''] = own.split(':');
    const [peerAddress = '', peerPort = ''] = peer.split(':');
    if (!loopback.test(ownAddress) || !loopback.test(peerAddress)) continue;
    if (parseInt(ownPort, 16) === local && parseInt(peerPort, 16) === remote) return Number(uid);
  }
  return undefined;
}
