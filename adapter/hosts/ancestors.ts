import { HostProcess } from './host-process';

/** Scripts and launchers above a rank. */
const maxAncestors = 8;

/** The processes above this one, its parent first; without the first process of the machine. */
export async function ancestorsOf(process: HostProcess): Promise<HostProcess[]> {
  const found: HostProcess[] = [];
  for (let last = process; found.length < maxAncestors; found.push(last)) {
    const status = await last.status();
    if (status === undefined || status.parent <= 1) break;
    last = new HostProcess(process.host, status.parent);
  }
  return found;
}
