/** What a descriptor of a process leads to, in words. */
import { parseConnections } from './connections';
import { HostProcess } from './host-process';

const streams = ['its standard input', 'its standard output', 'its standard error'];

/** "its standard input (descriptor 0, a pipe from hydra_pmi_proxy)", "/scratch/restart.h5", "a socket to 10.0.0.7:5432" */
export async function describeDescriptor(process: HostProcess, descriptor: number): Promise<string> {
  const target = await process.descriptorTarget(descriptor);
  const stream = streams[descriptor];
  const what = target === undefined ? undefined : await describeTarget(process, target);
  if (stream === undefined) return what ?? `descriptor ${descriptor}`;
  return `${stream} (descriptor ${descriptor}${what === undefined ? '' : `, ${what}`})`;
}

/** `target`: as the kernel names it. */
async function describeTarget(process: HostProcess, target: string): Promise<string> {
  const [, kind, inode] = /^(pipe|socket):\[(\d+)\]$/.exec(target) ?? [];
  if (kind === 'pipe') {
    const other = await parentWith(process, target);
    return other === undefined ? 'a pipe' : `a pipe from ${other}`;
  }
  if (kind === 'socket') {
    const remote = await remoteOf(process, inode!);
    return remote === undefined ? 'a socket' : `a socket to ${remote}`;
  }
  if (/^\/dev\/(pts\/\d+|tty\w*|console)$/.test(target)) return `the terminal ${target}`;
  return target.replace(/^anon_inode:\[?(\w+)\]?$/, 'an $1');
}

/** The name of its parent, if that has the same pipe: it has the other end. */
async function parentWith(process: HostProcess, target: string): Promise<string | undefined> {
  const status = await process.status();
  if (status === undefined || status.parent <= 1) return undefined;
  const parent = new HostProcess(process.host, status.parent);
  return (await parent.descriptorTargets()).includes(target) ? (await parent.status())?.name : undefined;
}

/** The other end of an established connection of TCP. */
async function remoteOf({ host, pid }: HostProcess, inode: string): Promise<string | undefined> {
  const tables = ['tcp', 'tcp6'].map((name) => host.readFile(`/proc/${pid}/net/${name}`).then(String, () => ''));
  const [connection] = parseConnections((await Promise.all(tables)).join('\n'), new Set([inode]));
  return connection?.state === 'established' ? connection.remote : undefined;
}
