/** What a descriptor of a process leads to, and another process that it has to do with, in words. */
import { ancestorsOf } from './ancestors';
import { parseConnections } from './connections';
import { HostProcess } from './host-process';

const streams = ['its standard input', 'its standard output', 'its standard error'];

/** "its standard input (descriptor 0, a pipe from hydra_pmi_proxy)", "/scratch/restart.h5", "a socket to 10.0.0.7:5432" */
export async function describeDescriptor(process: HostProcess, descriptor: number): Promise<string> {
  const target = await process.descriptors.target(descriptor);
  const stream = streams[descriptor];
  const what = target === undefined ? undefined : await describeTarget(process, descriptor, target);
  if (stream === undefined) return what ?? `descriptor ${descriptor}`;
  return `${stream} (descriptor ${descriptor}${what === undefined ? '' : `, ${what}`})`;
}

/** Characters of a command line. */
const maxCommand = 60;

/** "process 812 (sleep 300), which it has started" */
export async function describeChild(child: HostProcess): Promise<string> {
  const words = await child.arguments();
  const command = words === undefined ? ((await child.status())?.name ?? '') : words.join(' ');
  const short = command.length > maxCommand ? `${command.slice(0, maxCommand)}…` : command;
  return `process ${child.pid}${short === '' ? '' : ` (${short})`}, which it has started`;
}

/** `target`: as the kernel names it. */
async function describeTarget(process: HostProcess, descriptor: number, target: string): Promise<string> {
  const [, kind, inode] = /^(pipe|socket):\[(\d+)\]$/.exec(target) ?? [];
  if (kind === 'pipe') return describePipe(process, descriptor, target);
  if (kind === 'socket') {
    const remote = await remoteOf(process, inode!);
    return remote === undefined ? 'a socket' : `a socket to ${remote}`;
  }
  if (/^\/dev\/(pts\/\d+|tty\w*|console)$/.test(target)) return `the terminal ${target}`;
  return target.replace(/^anon_inode:\[?(\w+)\]?$/, 'an $1');
}

/** By who has the other end: one of those above it, one that it has started, or itself. */
async function describePipe(process: HostProcess, descriptor: number, target: string): Promise<string> {
  const writes = await process.descriptors.isForWriting(descriptor);
  if (writes === undefined) return 'a pipe';
  const pipe = `a pipe ${writes ? 'to' : 'from'}`;
  for (const above of await ancestorsOf(process))
    if (await hasEnd(above, !writes, target)) return `${pipe} ${(await above.status())?.name ?? 'a process above it'}`;
  for (const pid of await process.children()) {
    const child = new HostProcess(process.host, pid);
    if (await hasEnd(child, !writes, target)) return `${pipe} ${await describeChild(child)}`;
  }
  return (await hasEnd(process, !writes, target)) ? 'a pipe whose other end it has itself' : 'a pipe';
}

/** Whether it has the end of a pipe for writing, or the one for reading. */
async function hasEnd({ descriptors }: HostProcess, isForWriting: boolean, target: string): Promise<boolean> {
  for (const descriptor of await descriptors.leadingTo(target))
    if ((await descriptors.isForWriting(descriptor)) === isForWriting) return true;
  return false;
}

/** The other end of an established connection of TCP. */
async function remoteOf({ host, pid }: HostProcess, inode: string): Promise<string | undefined> {
  const tables = ['tcp', 'tcp6'].map((name) => host.readFile(`/proc/${pid}/net/${name}`).then(String, () => ''));
  const [connection] = parseConnections((await Promise.all(tables)).join('\n'), new Set([inode]));
  return connection?.state === 'established' ? connection.remote : undefined;
}
