/** What a process has started, and what that has. */
import { groupedBy } from '../../plugin-api/grouped-by';
import type { Host } from './host';
import { processesOf, type ProcessStatus } from './host-process';

/** All processes below one; parents before their children. */
export async function descendants(host: Host, root: number): Promise<ProcessStatus[]> {
  const all = await processesOf(host);
  const infos = (await Promise.all(all.map((process) => process.status()))).filter((info) => info !== undefined);
  const children = groupedBy(infos, ({ parent }) => parent);
  const found = [...(children.get(root) ?? [])];
  for (const info of found) for (const child of children.get(info.pid) ?? []) found.push(child);
  return found;
}
