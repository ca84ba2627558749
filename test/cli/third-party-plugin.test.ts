/** The plugin of plugin-api/README.md, to the letter, on a program with that imaginary MPI: from outside the repository. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { runCli } from '../support/run-cli';

const program = `
#include <stdio.h>
#include <unistd.h>
struct toy_comm {
#ifdef NEWER
  long unknown_to_the_table;
#endif
  int magic, rank, size;
  char name[32];
};
typedef struct toy_comm *MPI_Comm;
const char toympi_version[] = "1.0";
static struct toy_comm object = { .magic = 0x70c0, .rank = 3, .size = 12, .name = "toy ocean" };
int main(void) {
  MPI_Comm ocean = &object, nowhere = (MPI_Comm)toympi_version;
  puts("ready"); fflush(stdout);
  while (ocean && nowhere) pause();
}`;

describe("a third party's plugin", () => {
  let directory: string;
  let plugin: string;
  let process: ChildProcess;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'mpidbg-plugin-'));
    plugin = join(directory, 'toympi.cjs');
    const readme = readFileSync(join(__dirname, '..', '..', 'plugin-api', 'README.md'), 'utf8');
    const [, code] = /```js\n([^]*?)```/.exec(readme) ?? [];
    assert.ok(code, 'plugin-api/README.md has an example');
    writeFileSync(plugin, code);
    writeFileSync(join(directory, 'toy.c'), program);
    process = await start('toy');
  });

  async function start(name: string, options: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const path = join(directory, name);
    execFileSync('gcc', ['-g', ...options, '-o', path, join(directory, 'toy.c')]);
    const started = spawn(path, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...global.process.env, ...env } });
    await once(started.stdout, 'data');
    return started;
  }

  after(() => {
    process.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  it('decodes its handles', async () => {
    const { stdout, status } = await runCli(['show', 'ocean', '--pid', String(process.pid), '--plugin', plugin]);
    assert.match(stdout, /MPI_Comm "toy ocean" · rank 3 of 12/);
    assert.equal(status, 0);
  });

  it('answers as a shipped one does', async () => {
    const args = ['show', 'nowhere', '--pid', String(process.pid), '--plugin', plugin, '--json'];
    const document = JSON.parse((await runCli(args)).stdout) as Document;
    const [rank] = document.ranks;
    assert.ok(rank !== undefined && 'answers' in rank);
    assert.equal(rank.answers[0]?.code, 'MPIDBG_ERR_NOT_FOUND');
    assert.equal(rank.rank, null, 'no launcher told it a rank');
  });

  it('reads a library whose layout is not in its table through debug information', async () => {
    const newer = await start('newer-toy', ['-DNEWER']);
    try {
      const { stdout } = await runCli(['show', 'ocean', '--pid', String(newer.pid), '--plugin', plugin]);
      assert.match(stdout, /MPI_Comm "toy ocean" · rank 3 of 12/);
    } finally {
      newer.kill('SIGKILL');
    }
  });

  it('knows the rank by what its launcher told the process', async () => {
    const ranked = await start('ranked-toy', [], { TOY_RANK: '3', TOY_SIZE: '12' });
    try {
      const args = ['show', 'ocean', '--pid', String(ranked.pid), '--json'];
      const ranksOf = async (...more: string[]) =>
        (JSON.parse((await runCli([...args, ...more])).stdout) as Document).ranks.map(({ rank }) => rank);
      assert.deepEqual(await ranksOf('--plugin', plugin), [3]);
      assert.deepEqual(await ranksOf(), [null]);
    } finally {
      ranked.kill('SIGKILL');
    }
  });

  it('is not there unless the user names it', async () => {
    const { stdout, status } = await runCli(['show', 'ocean', '--pid', String(process.pid)]);
    assert.match(stdout, /no MPI library is loaded in this process/);
    assert.equal(status, 0);
  });

  for (const [what, content, message] of [
    ['throws', 'throw new Error("out of order")', /out of order/],
    ['exports nothing', '', /exports no function createPlugin/],
    ['creates nothing', 'exports.createPlugin = () => ({})', /returns no plugin/],
  ] as const) {
    it(`is refused when it ${what}`, async () => {
      const file = join(directory, `${what.replace(' ', '-')}.cjs`);
      writeFileSync(file, content);
      const { stderr, status } = await runCli(['info', '--pid', String(process.pid), '--plugin', file]);
      assert.match(stderr, message);
      assert.equal(status, 2);
    });
  }
});
