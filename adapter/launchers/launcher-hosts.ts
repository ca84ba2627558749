/**
 * The hosts of a running launcher, by its connections: its daemon on each host has dialled in at a port of the launcher's, and
 * has the other end of that connection. So a daemon that is found on a host is this launcher's, whatever it is called.
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { connectionsOf, type Connection } from '../hosts/connections';
import type { Host } from '../hosts/host';
import { HostProcess, processesOf } from '../hosts/host-process';
import { isOwnAddress } from '../hosts/own-addresses';

/** With daemons on other hosts, as the launcher has them; `host`: this machine. */
export async function connectionsFromElsewhere(host: Host, launcher: number): Promise<Connection[]> {
  const all = await connectionsOf(new HostProcess(host, launcher));
  const listening = new Set(all.flatMap(({ state, local }) => (state === 'listening' ? [portOf(local)] : [])));
  return all.filter(
    ({ state, local, remote }) =>
      state === 'established' && listening.has(portOf(local)) && !isOwnAddress(addressIn(remote)),
  );
}

/** The processes of a host that have the other ends of these connections. */
export async function daemonsOf(host: Host, connections: readonly Connection[], mpis: KnownMpis): Promise<number[]> {
  const ends = new Set(connections.map(({ local, remote }) => `${remote} ${local}`));
  const found = await Promise.all(
    (await processesOf(host)).map(async (process) => {
      const status = await process.status();
      if (status === undefined || !mpis.startsRanks(status.name)) return [];
      const own = await connectionsOf(process);
      return own.some(({ local, remote }) => ends.has(`${local} ${remote}`)) ? [process.pid] : [];
    }),
  );
  return found.flat();
}

/** "10.0.0.1" of "10.0.0.1:41234". */
export function addressIn(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}

function portOf(endpoint: string): string {
  return endpoint.slice(endpoint.lastIndexOf(':') + 1);
}
