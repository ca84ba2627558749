/** Sessions for programs of the user who started the adapter, over TCP on this machine or a socket in the file system. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ClientConnections, type Guest } from './client-connections';
import { isOfSameUser } from '../../hosts/same-user';
import { freeSocketFile, removeAtExit } from './socket-file';

/**
 * `--server=PORT`. Resolves with the port when it listens; 0 stands for any. `serve` is called with each connection of
 * the same user.
 */
export async function listenOnPort(port: number, serve: (guest: Guest) => void): Promise<number> {
  const connections = new ClientConnections((guest) => {
    // Data from other users is never looked at, and silent connections cost nothing.
    guest.socket.once('readable', () => void serveSameUser(guest, serve));
  });
  const server = createServer((socket) => connections.enter(socket)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function serveSameUser(guest: Guest, serve: (guest: Guest) => void): Promise<void> {
  const { socket } = guest;
  const isWelcome = await isOfSameUser(socket);
  if (socket.destroyed) return;
  if (isWelcome) serve(guest);
  else socket.destroy();
}

/** `--socket=PATH`. Resolves with the whole path when it listens; who may connect is up to the file. */
export async function listenOnSocketFile(path: string, serve: (guest: Guest) => void): Promise<string> {
  const file = await freeSocketFile(path);
  const connections = new ClientConnections(serve);
  const server = createServer((socket: Socket) => connections.enter(socket));
  // listen() creates the file, with its mode from the start.
  const umask = process.umask(0o177);
  server.listen({ path: file });
  process.umask(umask);
  await once(server, 'listening');
  removeAtExit(file);
  return file;
}
