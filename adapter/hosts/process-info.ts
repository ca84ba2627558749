/** What /proc tells about a process of this host before anything is done to it. */
import { readFile, stat } from 'node:fs/promises';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** As in proc(5): "R", "S", "D", "T", "Z", … */
  state: string;
  /** The process that traces it; 0: none. */
  tracer: number;
  uid: number;
  name: string;
}

/** Undefined when there is no such process. */
export async function processInfo(pid: number): Promise<ProcessInfo | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (status === undefined) return undefined;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S*)`, 'm').exec(status)?.[1] ?? '';
  return {
    pid,
    parent: Number(field('PPid')),
    state: field('State'),
    tracer: Number(field('TracerPid')),
    uid: Number(field('Uid')),
    name: field('Name'),
  };
}

/** The environment the process was started with; empty when it may not be read. */
export async function processEnvironment(pid: number): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return new Map(
    text.split('\0').flatMap((entry): [string, string][] => {
      const equals = entry.indexOf('=');
      return equals <= 0 ? [] : [[entry.slice(0, equals), entry.slice(equals + 1)]];
    }),
  );
}

/** Of a file; for the name of a user there is no better source without running a program. */
export async function userName(uid: number): Promise<string> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const entry = passwd.split('\n').find((line) => line.split(':')[2] === String(uid));
  return entry?.split(':')[0] ?? `number ${uid}`;
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The program and its arguments; undefined when they may not be read. */
export async function processArguments(pid: number): Promise<string[] | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text === '' ? undefined : text.replace(/\0$/, '').split('\0');
}
