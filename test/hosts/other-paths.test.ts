/** The program and the libraries of MPI are elsewhere on the other host. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { DebugRun } from '../dap/debug-run';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { allMpis, samplePath, type Mpi } from '../support/sample-job';
import { questions, readTruthDirectory } from '../support/truth';
import { allRanks, ranks, TwoHosts } from './two-hosts';

const program = 'communicators';
/** Facts that the programs tell of themselves; see attach.test.ts. */
const facts: Record<Mpi, number> = { openmpi: 9940, mpich: 7900 };

describe('a job whose program and libraries have other paths on the other host', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  /** A script that becomes the program, which is in a folder named like the host; on the second the libraries are in it, too. */
  function script(mpi: Mpi): string {
    const folder = hosts.newFolder();
    const built = samplePath(mpi, program);
    for (const { name } of hosts.cluster.hosts) {
      mkdirSync(join(folder, name));
      copyFileSync(built, join(folder, name, program));
      chmodSync(join(folder, name, program), 0o755);
    }
    const linked = execFileSync('ldd', [built], { encoding: 'utf8' });
    for (const [, library = ''] of linked.matchAll(/=> (\/\S*\/lib(?:mpi|mpich|open-pal|open-rte)\.so\S*)/g))
      copyFileSync(library, join(folder, 'nodeb', basename(library)));
    const file = join(folder, 'start');
    const lines = [
      '#!/bin/sh',
      `here=${folder}/$(uname -n)`,
      'export LD_LIBRARY_PATH=$here',
      `exec $here/${program} "$@"`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 });
    return file;
  }

  /** Else the test would show nothing. */
  function assertElsewhere(): void {
    for (const { name } of hosts.cluster.hosts) {
      const running = hosts.running(name, new RegExp(`/${name}/${program}\\b`));
      assert.equal(running.length, ranks / 2, name);
      const maps = readFileSync(`/proc/${running[0]!.pid}/maps`, 'utf8');
      assert.equal(/\/nodeb\/libmpi(ch)?\.so/.test(maps), name === 'nodeb', name);
    }
  }

  for (const mpi of allMpis) {
    it(`of ${mpi} is launched, and tells of every handle what MPI tells`, async () => {
      const folder = hosts.newFolder();
      const run = await DebugRun.open({}, hosts.cluster.on('nodea', []));
      const attributes = { program: script(mpi) };
      // The script becomes the program only later.
      const place = { source: 'communicators.c', marker: 'all communicators made' };
      await run.launch(hosts.options({ mpi, program, attributes }, { MPIDBG_TRUTH: folder }), () =>
        run.setBreakpoints(place.source, [place]),
      );
      await run.nextStops(allRanks, 'breakpoint');
      assertElsewhere();
      const truth = readTruthDirectory(folder);
      const { id: frameId } = await run.topFrame(ranks - 1);
      const shown = { expressions: questions(truth), ranks: `0-${ranks - 1}`, frameId };
      assertAgree(compareDocument(truth, await run.client.request<Document>('mpidbg/show', shown), mpi), facts[mpi]);
      await hosts.end(run, mpi);
    });

    it(`of ${mpi} is attached to, and tells the same`, async () => {
      const { launcherPid, truth } = await hosts.startWaiting(mpi, program, script(mpi));
      assertElsewhere();
      const shown = await hosts.cli(['show', ...questions(truth), '--launcher', String(launcherPid), '--json']);
      assertAgree(compareDocument(truth, JSON.parse(shown) as Document, mpi), facts[mpi]);
    });
  }
});
