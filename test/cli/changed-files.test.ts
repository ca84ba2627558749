/** The files of running ranks have changed since they were loaded: what is read is what the ranks have, or nothing. */
import assert from 'node:assert/strict';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { PluginJob, PluginProgram, ways } from '../support/plugin-job';
import { allMpis } from '../support/sample-job';
import { patienceMs } from '../support/patience';

for (const mpi of allMpis) {
  describe(`ranks of ${mpi} whose files have changed`, () => {
    let plugins: PluginProgram;
    let job: PluginJob;
    let firstFrames: string[];
    before(async () => {
      plugins = new PluginProgram(mpi);
      job = await PluginJob.start(mpi, plugins);
      firstFrames = await firstFramesNow();
      job.changeFiles();
    });
    after(async () => {
      await job.end();
      plugins.close();
    });
    const ask = (...words: string[]): ReturnType<typeof runCli> =>
      runCli([...words, '--launcher', String(job.launcher.pid)], patienceMs, {}, plugins.elsewhere);

    it('show the values that they have, also of libraries with relative names or none, and of a program that is gone', async () => {
      const libraries = ['replaced', 'deleted', 'touched', 'relative', ...ways].map((name) => `${name}_lap`);
      const names = [...libraries, 'program_lap'];
      const { stdout } = await ask('print', ...names);
      for (const name of names) assert.match(stdout, new RegExp(`^${name} +0-1 +${job.truth.get(name)}$`, 'm'), stdout);
    });

    /** Where the threads have begun: in the C library. */
    async function firstFramesNow(): Promise<string[]> {
      const { tree } = JSON.parse((await ask('stacks', '--full', '--json')).stdout) as {
        tree: { frame: { name: string } }[];
      };
      return [...new Set(tree.map(({ frame }) => frame.name))].sort();
    }

    it('have no functions of another file that has the name of their C library by now', async () => {
      assert.deepEqual(await firstFramesNow(), firstFrames);
    });

    it('show nothing of a library that was overwritten, and say so', async () => {
      const { stdout, stderr } = await ask('print', 'overwritten_lap');
      const file = `${plugins.folder}/overwritten.so was overwritten after`;
      const reason = 'it may be in a file that has changed since the rank loaded it';
      assert.ok(stdout.includes(`No symbol "overwritten_lap" in current context; ${reason}`), stdout);
      assert.equal(`${stdout}${stderr}`.split(file).length - 1, 1, 'the file is named once');
      assert.ok(stderr.includes(`${file} ranks 0-1 had loaded it`), stderr);
    });

    it('have their stacks', async () => {
      const { stdout, stderr } = await ask('stacks');
      assert.match(stdout, /^0-1 +main \(plugins\.c:\d+\)$/m);
      const changed = [...stderr.matchAll(/(\w+)\.so was (\w+) after/g)].map(([, name, change]) => [name, change]);
      assert.deepEqual(changed, [['overwritten', 'overwritten']]);
    });

    it('leave core files that show what is here of their libraries, and name the others with the reason', async () => {
      const folder = new CoreFolder();
      try {
        const [core = ''] = await folder.gcore([Number(job.truth.get('pid'))]);
        const here = ['touched', 'relative', 'descriptor', 'namespace'];
        const lost = ['replaced', 'deleted', 'overwritten', 'memory', 'generated'];
        const names = [...here, ...lost].map((name) => `${name}_lap`);
        const { stdout, stderr } = await runCli(['print', ...names, '--core', core, '--program', plugins.kept]);
        for (const name of here)
          assert.match(stdout, new RegExp(`^${name}_lap +\\d +${job.truth.get(`${name}_lap`)}$`, 'm'), stdout);
        // And their C library, which was replaced.
        const reason = `it may be in one of ${lost.length + 1} files of which nothing is here`;
        for (const name of lost)
          assert.ok(stdout.includes(`No symbol "${name}_lap" in current context; ${reason}`), stdout);
        const gone = 'had been deleted or replaced before the core file was written';
        for (const named of [
          ...['replaced.so', 'deleted.so', `generated.so.${job.truth.get('pid')}`].map((name) => `${name} ${gone}`),
          'overwritten.so here has other content than the process had loaded',
          '/memfd:kernel was only in the memory of the process',
        ])
          assert.ok(stderr.includes(`${named}: its functions and variables are unknown`), `${named}: ${stderr}`);
      } finally {
        folder.remove();
      }
    });

    for (const words of [
      ['hang'],
      ['hang', '--json'],
      ['info', '--json'],
      ['show', 'program_lap', '--json'],
      ['stacks', '--json'],
    ])
      it(`have the overwritten one named by ${words.join(' ')}`, async () => {
        const { stdout, stderr } = await ask(...words);
        const sentence = `${plugins.folder}/overwritten.so was overwritten after ranks 0-1 had loaded it`;
        assert.ok(stderr.includes(sentence), stderr);
        if (!words.includes('--json')) return;
        const document = JSON.parse(stdout) as { evidence?: { rank: number; fact: string }[] };
        if (words[0] !== 'hang') return;
        const told = document.evidence!.flatMap(({ rank, fact }) =>
          /overwritten\.so was overwritten/.test(fact) ? [rank] : [],
        );
        assert.deepEqual(told, [0, 1]);
      });
  });
}
