/** Whether something is on its way between a process and other hosts, by what the kernel says about all its descriptors. */
import { createHash } from 'node:crypto';
import type { NetworkState } from '../../plugin-api/hang/job-state';
import { unlessShort } from '../elf/shortage-error';
import type { Host } from './host';
import type { HostProcess } from './host-process';

/** Through which nothing comes from another host; other devices may be network adapters that the kernel does not see into. */
const quietDevices = /^\/dev\/(null|zero|full|u?random|tty\w*|console|ptmx|pts\/\d+|shm\/.*)$/;
const quietObjects = /^anon_inode:\[?(eventpoll|eventfd|timerfd|signalfd|inotify|pidfd)\]?$/;

interface Counters {
  /** Bytes since the connection began. */
  readonly carried: string;
  /** Bytes, as in NetworkState. */
  readonly unsent: number;
  readonly unread: number;
}

/** The kernel's counters of one moment, read once for each host. */
export class Networks {
  private readonly counters = new Map<Host, Promise<ReadonlyMap<string, Counters>>>();

  /** undefined: it has a way to other hosts that nobody can see into. */
  async of(process: HostProcess): Promise<NetworkState | undefined> {
    const [targets, maps] = await Promise.all([process.descriptors.targets(), process.maps()]);
    if (targets.length === 0 || [...targets, ...maps.map(({ path }) => path)].some(isUnseen)) return undefined;
    const sockets = targets.flatMap((target) => inodeOf(target) ?? []);
    const [quiet, counters] = await Promise.all([quietSockets(process), this.countersOf(process.host)]);
    const found = sockets.filter((inode) => !quiet.has(inode)).map((inode) => [inode, counters.get(inode)] as const);
    const known = found.flatMap(([inode, each]) => (each === undefined ? [] : [{ inode, ...each }]));
    if (known.length < found.length) return undefined;
    const carried = known.map((each) => `${each.inode} ${each.carried}`).sort();
    return {
      carried: createHash('sha1').update(carried.join('\n')).digest('base64'),
      unsent: known.reduce((sum, { unsent }) => sum + unsent, 0),
      unread: known.reduce((sum, { unread }) => sum + unread, 0),
    };
  }

  private countersOf(host: Host): Promise<ReadonlyMap<string, Counters>> {
    let found = this.counters.get(host);
    if (found === undefined) {
      const told = host.tcpCounters?.() ?? Promise.resolve('');
      found = told.catch(unlessShort('')).then(parseCounters);
      this.counters.set(host, found);
    }
    return found;
  }
}

/** Lines of tcp-counters.pl; others are left out. */
export function parseCounters(text: string): ReadonlyMap<string, Counters> {
  const lines = text.matchAll(/^(\d+) (\d+ \d+) (\d+) (\d+)$/gm);
  return new Map(
    [...lines].map(([, inode, carried, unread, unsent]) => [
      inode!,
      { carried: carried!, unread: Number(unread), unsent: Number(unsent) },
    ]),
  );
}

function inodeOf(target: string): string | undefined {
  return /^socket:\[(\d+)\]$/.exec(target)?.[1];
}

function isUnseen(target: string): boolean {
  if (target.startsWith('/dev/')) return !quietDevices.test(target.replace(/ \(deleted\)$/, ''));
  return target.startsWith('anon_inode:') && !quietObjects.test(target);
}

/** The inodes of those that do not leave the host. */
async function quietSockets({ host, pid }: HostProcess): Promise<ReadonlySet<string>> {
  const read = (name: string): Promise<string> =>
    host.readFile(`/proc/${pid}/net/${name}`).then(String, unlessShort(''));
  const [unix, netlink] = await Promise.all([read('unix'), read('netlink')]);
  // As proc(5) has them: the inode is the seventh word of the one, and the last of the other.
  const inodes = [...unix.matchAll(/^\S+: (?:\S+ +){5}(\d+)/gm), ...netlink.matchAll(/(\d+) *$/gm)].map(
    ([, inode]) => inode!,
  );
  return new Set(inodes);
}
