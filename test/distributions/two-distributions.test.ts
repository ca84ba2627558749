/**
 * Debian 13 beside Debian 12: the second host has its own system, with its own gdb, Perl and C library; only MPI is brought from
 * the first, since the ranks of a job need the same one. `npm run test:distributions` fetches Debian 13.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { releasesFolder } from '../../scripts/debian-release.mjs';
import { allRanks, farRanks, ranks, TwoHosts } from '../hosts/two-hosts';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { allMpis, type Mpi } from '../support/sample-job';
import { questions, readTruthDirectory } from '../support/truth';

const folder = join(releasesFolder, 'trixie');
/** Packages of Debian 12, with what they need in other versions than Debian 13 has. */
const packages: Record<Mpi, readonly string[]> = {
  openmpi: ['openmpi-bin', 'openmpi-common', 'libopenmpi3', 'libpmix2', 'libucx0'],
  mpich: ['mpich', 'libmpich12', 'libucx0', 'libslurm38'],
};
/** Facts that the programs tell of themselves; see attach.test.ts. */
const facts: Record<Mpi, number> = { openmpi: 9940, mpich: 7900 };

function filesOf(names: readonly string[]): string[] {
  const listed = execFileSync('dpkg', ['-L', ...names], { encoding: 'utf8' }).split('\n');
  return [...new Set(listed)].filter((path) => existsSync(path) && !lstatSync(path).isDirectory());
}

for (const mpi of allMpis) {
  describe(`a job of ${mpi} on hosts with different distributions`, () => {
    let hosts: TwoHosts;
    before(async () => {
      assert.ok(existsSync(folder), `${folder} is missing: run npm run test:distributions`);
      hosts = await TwoHosts.start({ folder, brought: filesOf(packages[mpi]) });
    });
    after(() => hosts.stop());

    it('has another gdb on each, of which each debugs its own ranks', async () => {
      const [near, far] = await Promise.all(['nodea', 'nodeb'].map((name) => hosts.run(name, ['gdb', '--version'])));
      assert.match(near ?? '', /^GNU gdb \(Debian 13\./);
      assert.match(far ?? '', /^GNU gdb \(Debian 16\./);
      const run = await hosts.launch({
        mpi,
        program: 'ring',
        breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 2' }],
      });
      await run.nextStops(allRanks, 'breakpoint');
      assert.equal(hosts.running('nodeb', /^gdb /).length, 1);
      for (const rank of allRanks) {
        const frames = await run.frames(await run.threadOf(rank));
        assert.deepEqual([frames.at(-1)?.name.replace(/ .*/, ''), frames[0]?.source?.name], ['main', 'ring.c']);
        assert.equal((await run.local(rank, 'rank')).value, String(rank));
        assert.equal((await run.local(rank, 'lap')).value, '2');
      }
      const [before] = await run.frames(await run.threadOf(farRanks[0]!));
      await run.client.request('next', { threadId: await run.threadOf(0) });
      await run.nextStops(allRanks, 'step');
      const [behind] = await run.frames(await run.threadOf(farRanks[0]!));
      assert.notEqual(behind?.line, before?.line);
      await hosts.end(run, mpi);
    });

    it('tells of every handle in every rank what MPI tells', async () => {
      const truthFolder = hosts.newFolder();
      const run = await hosts.launch(
        {
          mpi,
          program: 'communicators',
          breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
        },
        { MPIDBG_TRUTH: truthFolder },
      );
      await run.nextStops(allRanks, 'breakpoint');
      const truth = readTruthDirectory(truthFolder);
      const { id: frameId } = await run.topFrame(ranks - 1);
      const shown = { expressions: questions(truth), ranks: `0-${ranks - 1}`, frameId };
      assertAgree(compareDocument(truth, await run.client.request<Document>('mpidbg/show', shown), mpi), facts[mpi]);
      await hosts.end(run, mpi);
    });

    it('is attached to, and tells the same', async () => {
      const { launcherPid, truth } = await hosts.startWaiting(mpi, 'communicators');
      const shown = await hosts.cli(['show', ...questions(truth), '--launcher', String(launcherPid), '--json']);
      assertAgree(compareDocument(truth, JSON.parse(shown) as Document, mpi), facts[mpi]);
    });
  });
}
