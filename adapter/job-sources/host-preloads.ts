/** The libraries that ranks load first, on each host of a job: from here, or from copies. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AgentHost } from '../agent/agent-host';
import type { Host } from '../hosts/host';

export class HostPreloads {
  private readonly kept = new Map<Host, Promise<readonly string[]>>();

  /** `warn` is told, once, of a host that cannot keep a copy: its ranks run without. */
  constructor(
    private readonly libraries: readonly string[],
    private readonly warn: (line: string) => void,
  ) {}

  /** Their paths there. */
  of(host: Host): Promise<readonly string[]> {
    if (!(host instanceof AgentHost)) return Promise.resolve(this.libraries);
    let paths = this.kept.get(host);
    if (paths === undefined) this.kept.set(host, (paths = this.copyTo(host)));
    return paths;
  }

  private async copyTo(host: AgentHost): Promise<readonly string[]> {
    try {
      const paths = await Promise.all(
        // A name without a folder is for the loader there to find.
        this.libraries.map(async (path) =>
          path.includes('/') ? host.keepLibrary(basename(path), await readFile(path)) : path,
        ),
      );
      // The loader takes both as separators.
      if (paths.some((path) => /[\s:]/.test(path)))
        throw new Error("the cache folder's path there contains spaces or colons");
      return paths;
    } catch (error) {
      this.warn(`mpidbg: ranks on ${host.name} run without the collector: ${(error as Error).message}\n`);
      return [];
    }
  }
}
