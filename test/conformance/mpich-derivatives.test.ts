/** A library of MPICH's kind whose structs nobody knows: the installed one, under another name, as ranks load it. */
import assert from 'node:assert/strict';
import { isUnavailable } from '../../plugin-api/result';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Document, Implementation } from '../../plugin-api/mpi/records';
import { mpichVersion } from '../support/mpich-interfaces';
import { runCli } from '../support/run-cli';
import { SampleJob, samplePath } from '../support/sample-job';

const soname = 'libmpich.so.12';

/** Bytes of the installed library that the sample loads. */
function installedLibrary(): Buffer {
  const listed = execFileSync('ldd', [samplePath('mpich', 'leaks')], { encoding: 'utf8' });
  const path = /libmpich\.so\.12 => (\S+)/.exec(listed)?.[1];
  assert.ok(path !== undefined, `the sample needs ${soname}: ${listed}`);
  return readFileSync(path);
}

/** Each text that stands alone in the library, changed to one of the same length. */
function renamed(library: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  const changed = Buffer.from(library);
  for (let at = changed.indexOf(`${from}\0`); at >= 0; at = changed.indexOf(`${from}\0`, at + 1)) changed.write(to, at);
  assert.notDeepEqual(changed, library, `the library has the text ${from}`);
  return changed;
}

interface Derivative {
  from: string;
  to: string;
  reason: string;
}

const derivatives: Derivative[] = [
  {
    from: 'ch4:ucx',
    to: 'ch4:ofi',
    reason: 'no layout table for the device ch4:ofi of MPICH, only for ch4:ucx',
  },
  { from: mpichVersion(), to: '3.9.8', reason: 'no layout table for MPICH 3.9.8' },
];

for (const { from, to, reason } of derivatives) {
  describe(`a library of MPICH's kind with ${to} instead of ${from}`, () => {
    let directory: string;
    let job: SampleJob | undefined;
    const ask = async (...words: string[]): Promise<Document> => {
      const asked = await runCli([...words, '--launcher', String(job?.launcherPid), '--json']);
      assert.equal(asked.status, 0, asked.stderr);
      return JSON.parse(asked.stdout) as Document;
    };
    const answersOf = (document: Document): Answer[] =>
      document.ranks.flatMap((rank) => ('answers' in rank ? rank.answers : []));

    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'mpidbg-derivative-'));
      writeFileSync(join(directory, soname), renamed(installedLibrary(), from, to));
      const launcherArgs = ['-genv', 'LD_LIBRARY_PATH', directory];
      job = await SampleJob.startWaiting('mpich', 'leaks', { ranks: 2, launcherArgs });
    });
    after(async () => {
      await job?.kill();
      rmSync(directory, { recursive: true, force: true });
    });

    it('is said to be one that is not known', async () => {
      const told = (await ask('info')).ranks.map((rank) => 'implementation' in rank && rank.implementation);
      assert.equal(told.length, 2);
      for (const { name, version, layout, state } of told as Implementation[]) {
        assert.deepEqual([name, version, state], ['mpich', from === mpichVersion() ? to : mpichVersion(), 'unknown']);
        assert.ok(layout.startsWith(`${reason}; `), layout);
      }
    });

    it('has its predefined handles, by the constants: a name may be another, where the program can give one', async () => {
      const names = ['MPI_COMM_WORLD', 'MPI_INT', 'MPI_SUM', 'MPI_ERRORS_RETURN', 'MPI_GROUP_EMPTY', 'MPI_FLOAT_INT'];
      const answers = answersOf(await ask('show', ...names));
      const told = answers.map((answer) => {
        assert.ok(answer.code === 'MPIDBG_SUCCESS' && 'name' in answer.info, answer.expression);
        const { name } = answer.info;
        assert.equal(isUnavailable(name), ['comm', 'datatype'].includes(answer.kind), answer.expression);
        return isUnavailable(name) ? /^it is (\w+);/.exec(name.reason)?.[1] : name;
      });
      assert.deepEqual(told, [...names, ...names]);
    });

    it('has no other handle that is decoded, and says why', async () => {
      const answers = answersOf(await ask('show', 'ocean', 'column', 'evens', 'combine', 'win', 'pending'));
      assert.equal(answers.length, 12);
      for (const answer of answers) {
        assert.ok(answer.code !== 'MPIDBG_SUCCESS', answer.expression);
        assert.equal(answer.reason, `no layout fits this MPICH: ${reason}`);
      }
    });
  });
}

describe("a vendor's library, by a name that only it exports", () => {
  let directory: string;
  let job: SampleJob | undefined;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'mpidbg-vendor-'));
    // A function that MPI has removed, and no sample calls.
    writeFileSync(join(directory, soname), renamed(installedLibrary(), 'MPI_Address', 'impi_malloc'));
    const launcherArgs = ['-genv', 'LD_LIBRARY_PATH', directory];
    job = await SampleJob.startWaiting('mpich', 'leaks', { ranks: 2, launcherArgs });
  });
  after(async () => {
    await job?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is called what it is, and not by the name or the version of its ancestor', async () => {
    const target = ['--launcher', String(job?.launcherPid)];
    const { stdout } = await runCli(['info', ...target]);
    assert.match(stdout, /^MPI +Intel MPI \(version unknown\)$/m);
    assert.doesNotMatch(stdout, /MPICH/);
    const shown = await runCli(['show', 'MPI_COMM_WORLD', 'ocean', ...target]);
    assert.match(shown.stdout, /no layout fits this Intel MPI/);
  });
});
