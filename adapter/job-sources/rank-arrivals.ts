/** The ranks' agents as they call the hub. */
import type { Hub, Peer } from '../agent/hub';
import { isPid } from '../agent/messages';

/** One promise per rank, resolved when its agent has called. */
export function rankArrivals(hub: Hub, ranks: number): Promise<Peer>[] {
  const waiting = new Map<number, (peer: Peer) => void>();
  const arrivals = Array.from({ length: ranks }, (_, index) => new Promise<Peer>((done) => waiting.set(index, done)));
  hub.on('peer', (peer) => {
    const { kind, fields } = peer.hello;
    if (kind !== 'rank') return;
    // A launcher that gives no rank numbers: first come, first served.
    const [anyone] = waiting.keys();
    const index = fields.rank === undefined ? anyone : Number(fields.rank);
    const arrived = index === undefined || !isPid(fields.pid) ? undefined : waiting.get(index);
    // One too many (the launcher was told another number), or none of ours: it ends when its connection does.
    if (index === undefined || arrived === undefined) {
      peer.close();
      return;
    }
    waiting.delete(index);
    arrived(peer);
  });
  return arrivals;
}
