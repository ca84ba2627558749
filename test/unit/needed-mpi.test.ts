/** Which MPI a program will load is told by the files of the rank's own host: this machine has others, or none of them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { adviceText } from '../../adapter/cli/advice';
import { IntegerHandles } from '../../adapter/fortran/integer-handles';
import type { HostFile } from '../../adapter/hosts/host';
import { HostProcess } from '../../adapter/hosts/host-process';
import type { Rank } from '../../adapter/job/rank';
import { RankQueries } from '../../adapter/query/rank-queries';
import { openWorkshop } from '../support/compile';
import { DistantHost } from '../support/distant-host';

/** A host whose files are those below a folder of this machine; here they have other names. */
class HostOfFolder extends DistantHost {
  constructor(private readonly folder: string) {
    super();
  }

  override async readFile(path: string): Promise<Buffer> {
    const bytes = await super.readFile(path);
    return path.endsWith('/maps') ? Buffer.from(bytes.toString().replaceAll(this.folder, '')) : bytes;
  }

  override async readLink(path: string): Promise<string> {
    return (await super.readLink(path)).replace(this.folder, '');
  }

  override openFile(path: string): Promise<HostFile> {
    return super.openFile(path.replace(/^\/proc\/\d+\/root/, `$&${this.folder}`));
  }
}

describe('the MPI that a rank of another host will load', () => {
  const workshop = openWorkshop();
  const { directory } = workshop;
  const host = new HostOfFolder(directory);
  after(async () => {
    await host.end();
    workshop.close();
  });

  const library = 'const char ompi_version_string[] = "8.0.0"; int PMPI_Init(void) { return 0; }';
  const program =
    '#include <stdio.h>\nint PMPI_Init(void);\nint main(void) { puts("up"); fflush(stdout); getchar(); PMPI_Init(); }';

  for (const [how, environment, options] of [
    ['by the folders that the program names', {}, ['-Wl,-rpath,$ORIGIN/../lib']],
    ['by LD_LIBRARY_PATH, relative to its working directory', { LD_LIBRARY_PATH: 'lib' }, []],
  ] as const) {
    it(`is found ${how}`, async () => {
      for (const folder of ['lib', 'bin']) mkdirSync(join(directory, 'far', folder), { recursive: true });
      const linked = ['-shared', '-fPIC', '-Wl,-soname,libneeded.so.1'];
      const needed = workshop.compile('far/lib/libneeded.so.1', library, 'gcc', linked);
      const path = workshop.compile('far/bin/program', program, 'gcc', [needed, ...options]);
      const child = spawn(path, { cwd: join(directory, 'far'), env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
      try {
        await once(createInterface(child.stdout), 'line');
        const process = new HostProcess(host, host.pidOf(child.pid!));
        assert.equal(await process.program(), '/far/bin/program');
        const rank = { process, state: 'stopped', threads: [], host: host.name, label: 'rank 0' } as unknown as Rank;
        const queries = new RankQueries(rank, new PluginRegistry(), new IntegerHandles(adviceText), adviceText);
        assert.equal(await queries.neededMpi(), 'openmpi');
      } finally {
        child.kill();
      }
    });
  }
});
