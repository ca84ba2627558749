/** The addresses of this machine, and which of them another machine can reach it at. */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** On all networks that it is on, without those of the machine itself. */
export function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // A link-local address means something on its own cable only.
  return all
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address);
}

/** Packets to it do not leave this machine. */
export function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return /^127\./.test(address) || own.some((each) => each.address === address);
}

/** From which packets to this host go; undefined when it is this machine. Rejects when it has no address, or no way leads there. */
export async function addressTowards(host: string): Promise<string | undefined> {
  const { address } = await lookup(host);
  if (isOwnAddress(address)) return undefined;
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    // Sends nothing: the kernel only chooses the way.
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(9, address, () => resolve());
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
