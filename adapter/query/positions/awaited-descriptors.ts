/** When descriptors that a thread waits for may become ready without any thread of its process. */
import type { Sleep } from '../../../plugin-api/hang/position';
import { processesOf, type HostProcess } from '../../hosts/host-process';

type Limit = Sleep['limit'];

/** More are not looked at. */
const maxDescriptors = 256;
/** As many lists of epoll the kernel takes within one another. */
const maxDepth = 5;

/** none: only when a thread of its own, or who connects to its sockets, acts. */
export async function limitOfDescriptors(
  process: HostProcess,
  descriptors: readonly number[],
  depth = 0,
): Promise<Limit> {
  if (descriptors.length > maxDescriptors || depth > maxDepth) return { kind: 'unknown' };
  const limits = await Promise.all(descriptors.map((each) => limitOfDescriptor(process, each, depth)));
  return soonest(limits);
}

/** The first one to end; one that is not known may be. */
export function soonest(limits: readonly Limit[]): Limit {
  if (limits.some(({ kind }) => kind === 'unknown')) return { kind: 'unknown' };
  const timed = limits.flatMap((limit) => ('seconds' in limit ? [limit] : []));
  return timed.sort((a, b) => a.seconds - b.seconds)[0] ?? { kind: 'none' };
}

async function limitOfDescriptor(process: HostProcess, descriptor: number, depth: number): Promise<Limit> {
  const target = await process.descriptors.target(descriptor);
  if (target === undefined) return { kind: 'unknown' };
  if (/^socket:/.test(target)) return { kind: 'none' };
  if (/^pipe:/.test(target)) return (await isAlsoOfOthers(process, target)) ? { kind: 'unknown' } : { kind: 'none' };
  const info = (await process.descriptors.info(descriptor)) ?? '';
  switch (/^anon_inode:\[?(\w+)/.exec(target)?.[1]) {
    case 'eventfd':
      return { kind: 'none' };
    case 'timerfd':
      return timerLimit(info);
    case 'eventpoll': {
      const within = [...info.matchAll(/^tfd:\s*(\d+)/gm)].map(([, number]) => Number(number));
      return limitOfDescriptors(process, within, depth + 1);
    }
    default:
      return { kind: 'unknown' };
  }
}

/** What is left of it: "it_value: (3, 999999999)". One that is not set never ends. */
function timerLimit(info: string): Limit {
  const [, seconds, nanoseconds] = /^it_value:\s*\((\d+), (\d+)\)/m.exec(info) ?? [];
  const ticks = /^ticks:\s*(\d+)/m.exec(info)?.[1];
  if (seconds === undefined || ticks !== '0') return { kind: 'unknown' };
  const left = Number(seconds) + Number(nanoseconds) / 1e9;
  return left === 0 ? { kind: 'none' } : { kind: 'for', seconds: left };
}

async function isAlsoOfOthers({ host, pid }: HostProcess, target: string): Promise<boolean> {
  const others = (await processesOf(host)).filter((each) => each.pid !== pid);
  const targets = await Promise.all(others.map((each) => each.descriptors.targets()));
  return targets.some((each) => each.includes(target));
}
