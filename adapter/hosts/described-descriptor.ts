/** What a descriptor of a process leads to, and another process that it has to do with, in words. */
import { parseConnections } from './connections';
import { HostProcess } from './host-process';

const streams = ['its standard input', 'its standard output', 'its standard error'];

/** "its standard input (descriptor 0, a pipe from hydra_pmi_proxy)", "/scratch/restart.h5", "a socket to 10.0.0.7:5432" */
export async function describeDescriptor(process: HostProcess, descriptor: number): Promise<string> {
  const target = await process.descriptorTarget(descriptor);
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

/** By who has the other end: its parent, one of those that it has started, or itself. */
async function describePipe(process: HostProcess, descriptor: number, target: string): Promise<string> {
  const way = (await isForWriting(process, descriptor)) === true ? 'to' : 'from';
  const hasIt = async (other: HostProcess): Promise<boolean> => (await other.descriptorTargets()).includes(target);
  const status = await process.status();
  const parent = status !== undefined && status.parent > 1 ? new HostProcess(process.host, status.parent) : undefined;
  if (parent !== undefined && (await hasIt(parent))) {
    const name = (await parent.status())?.name;
    return name === undefined ? 'a pipe' : `a pipe ${way} ${name}`;
  }
  for (const pid of await process.children()) {
    const child = new HostProcess(process.host, pid);
    if (await hasIt(child)) return `a pipe ${way} ${await describeChild(child)}`;
  }
  return (await hasOtherEnd(process, descriptor, target)) ? 'a pipe whose other end it has itself' : 'a pipe';
}

async function hasOtherEnd(process: HostProcess, descriptor: number, target: string): Promise<boolean> {
  const own = await isForWriting(process, descriptor);
  for (const other of await process.descriptorsOf(target)) {
    const writes = await isForWriting(process, other);
    if (own !== undefined && writes !== undefined && writes !== own) return true;
  }
  return false;
}

/** Bits of the flags of open(2) in /proc/PID/fdinfo, which are octal. */
const [accessMode, writeOnly] = [3, 1];

/** undefined: it is not known, or both ways. */
async function isForWriting(process: HostProcess, descriptor: number): Promise<boolean | undefined> {
  const flags = /^flags:\s*([0-7]+)$/m.exec((await process.descriptorInfo(descriptor)) ?? '')?.[1];
  const mode = flags === undefined ? undefined : parseInt(flags, 8) & accessMode;
  return mode === undefined || mode > writeOnly ? undefined : mode === writeOnly;
}

/** The other end of an established connection of TCP. */
async function remoteOf({ host, pid }: HostProcess, inode: string): Promise<string | undefined> {
  const tables = ['tcp', 'tcp6'].map((name) => host.readFile(`/proc/${pid}/net/${name}`).then(String, () => ''));
  const [connection] = parseConnections((await Promise.all(tables)).join('\n'), new Set([inode]));
  return connection?.state === 'established' ? connection.remote : undefined;
}
