/** `mpidbg show` of structs, pointers and containers: what is found, how it is called, and why nothing is. */
import assert from 'node:assert/strict';
import type { Answer } from '../../plugin-api/mpi/records';
import { runCli, showOfRankZero } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

for (const mpi of allMpis) {
  describe(`mpidbg show, nested handles under ${mpi}`, () => {
    let job: SampleJob;
    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'nested', { ranks: 2 });
    });
    after(() => (job as SampleJob | undefined)?.kill());

    const show = (...expressions: string[]): Promise<Answer[]> => showOfRankZero(job.launcherPid, expressions);
    const labels = (answers: readonly Answer[]): (string | undefined)[] => answers.map((answer) => answer.expression);
    const members = (of: string): string[] =>
      ['comm', 'requests[0]', 'requests[1]', 'status'].map((member) => `${of}${member}`);
    const reasonOf = (answer: Answer | undefined): string =>
      answer !== undefined && 'reason' in answer ? answer.reason : 'no reason';

    it('a pointer to a struct of handles is the struct', async () => {
      const answers = await show('halo', 'to_halo', '*to_halo', '*to_to_halo', 'owned', '*owned', 'shared', 'later');
      const paths = ['halo.', 'to_halo->', 'to_halo->', '(*to_to_halo)->', 'owned->', 'owned->', 'shared->', 'later->'];
      assert.deepEqual(labels(answers), paths.flatMap(members));
      // Copies have statuses of their own, which lie elsewhere.
      const contents = answers.map(({ expression: _, ...rest }) =>
        JSON.stringify(rest).replace(/"address":"0x\w+",/, ''),
      );
      for (const [i, content] of contents.entries()) assert.equal(content, contents[i % 4], labels(answers)[i]);
      for (const answer of answers) assert.equal(answer.code, 'MPIDBG_SUCCESS', reasonOf(answer));
    });

    it('a handle and the struct that it is in, both asked for: its fields are written once', async () => {
      const text = async (...expressions: string[]): Promise<string> => {
        const args = ['show', ...expressions, '--full', '--launcher', String(job.launcherPid), '--frame', 'main'];
        return (await runCli(args)).stdout.replace(/^\(.*held for.*\n/m, '');
      };
      const once = await text('halo');
      assert.match(once, /^halo\.comm +0/m);
      for (const again of [
        ['halo', 'halo.comm'],
        ['halo.comm', 'halo.comm', 'halo'],
        ['halo', 'halo'],
      ]) {
        const lines = (await text(...again)).split('\n');
        assert.deepEqual(lines.sort(), once.split('\n').sort(), again.join(' '));
      }
    });

    it('pointers that lead nowhere, and those to pointers, have one reason', async () => {
      const answers = await show(
        'no_comm',
        'no_halo',
        'nowhere',
        'nowhere_halo',
        'to_pointer',
        'to_to_halo',
        'halos',
        'untyped',
      );
      assert.deepEqual(answers.map(reasonOf), [
        'no_comm is a null pointer',
        'no_halo is a null pointer',
        'nowhere points to 0x11, where the process has no memory',
        'nowhere_halo points to 0x11, where the process has no memory',
        'its type is MPI_Comm **, a pointer to a pointer: ask for *to_pointer',
        'its type is Halo **, a pointer to a pointer: ask for *to_to_halo',
        'its type is Halo *[2], an array of pointers: ask for one of them, as in halos[0]',
        'its type is void *, which does not say what is there: name the type, as in *(MPI_Comm *)untyped',
      ]);
    });

    it('a smart pointer is written as the object that it has', async () => {
      const args = ['--launcher', String(job.launcherPid), '--frame', 'main', '--ranks', '0', '--full'];
      const printed = async (expression: string): Promise<string> => {
        const { stdout } = await runCli(['print', expression, ...args]);
        return stdout.split('\n')[0]!.slice(expression.length).trim();
      };
      for (const pointer of ['owned', 'shared']) {
        const object = await printed(`*${pointer}`);
        assert.match(object, /comm = MPI_Comm "ocean"/);
        assert.equal(await printed(pointer), object, pointer);
      }
    });

    it('what a reason advises to ask for is answered', async () => {
      const reasons = (await show('to_pointer', 'to_to_halo', 'halos', 'untyped')).map(reasonOf);
      const advised = reasons.map((reason) => /(?:as in|ask for) ([^,]*)$/.exec(reason)?.[1] ?? reason);
      for (const answer of await show(...advised)) assert.equal(answer.code, 'MPIDBG_SUCCESS', reasonOf(answer));
    });

    it('every label can be asked for again', async () => {
      const expressions = [
        'halo',
        '*to_halo',
        'halos[0]',
        '*requests@2',
        'requests[1]@1',
        'table',
        '*table@2',
        'history',
      ];
      expressions.push(
        'by_day',
        'later',
        'owned',
        'shared',
        'ocean',
        'grid',
        'comm:comms',
        'comm:by_name',
        'comm:maybe',
      );
      expressions.push('comm:numbered.second', '&halo', '*(&halo)', '(Halo *)untyped', 'sea::comm', 'comm:to_halo');
      const answers = await show(...expressions);
      const known = answers.filter(({ expression }) => !expression!.startsWith('((Halo *)untyped)->requests'));
      assert.ok(known.length > 50, String(known.length));
      const unique = [...new Map(known.map((answer) => [answer.expression!, answer])).values()];
      assert.deepEqual(await show(...labels(unique).map(String)), unique);
      for (const answer of known)
        assert.equal(answer.code, 'MPIDBG_SUCCESS', `${answer.expression}: ${reasonOf(answer)}`);
    });

    it('elements and members are called as the program would', async () => {
      assert.deepEqual(labels(await show('*requests@2', 'requests[1]@1', 'comm:by_name', 'comm:to_halo')), [
        ...['requests[0]', 'requests[1]', 'requests[1]'],
        ...['comm:by_name["ocean \\"deep\\""]', 'comm:by_name["self"]', 'comm:to_halo->comm'],
      ]);
      assert.deepEqual(labels(await show('by_day')), ['by_day[-7].', 'by_day[4].'].flatMap(members));
    });

    it('keys and values that are not there are told, and empty containers', async () => {
      const answers = await show('comm:by_name["none"]', 'by_day[5]', '*never', 'never');
      assert.match(reasonOf(answers[0]), /^it has no such key \(in main/);
      assert.match(reasonOf(answers[1]), /^it has no such key \(in main/);
      assert.match(reasonOf(answers[2]), /^it has no value \(in main/);
      assert.equal(reasonOf(answers[3]), 'never is empty');
    });

    it('a name of the C library is none of the program, and no function is called', async () => {
      const answers = await show('optind', 'no_such_name', 'ocean.depth()', 'sea::no_such');
      const looked = /\(looked in wait_for_debugger at \S+:\d+, its callers and globals\)$/;
      assert.match(reasonOf(answers[0]), /^No symbol "optind" in current context, only in libc/);
      assert.match(reasonOf(answers[1]), /^No symbol "no_such_name" in current context/);
      for (const answer of answers.slice(0, 2)) assert.match(reasonOf(answer), looked);
      assert.match(reasonOf(answers[2]), /^this would call a function of the program/);
      assert.match(reasonOf(answers[3]), /^No symbol "no_such" in namespace "sea"/);
    });

    it('what all ranks say alike is one line', async () => {
      const { stdout } = await runCli(['show', 'no_such_name', 'nowhere', '--launcher', String(job.launcherPid)]);
      assert.equal(stdout.match(/^(no_such_name|nowhere) +0-1 {2}/gm)?.length, 2, stdout);
    });
  });
}

describe('mpidbg show, prefixes', () => {
  it('that are no kind are a usage error, and scopes and conditions are none', async () => {
    for (const wrong of ['foo:x', 'Comm:x', 'comm.g:x', 'comms :x', 'comm:', 'comm.f: ']) {
      const { status, stdout, stderr } = await runCli(['show', wrong, '--pid', '1']);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' }, wrong);
      assert.match(
        stderr,
        /is not a kind of handle: the kinds are comm, datatype, .*|there is no expression after "comm/,
        wrong,
      );
    }
    for (const right of ['sea::comm', 'a ? b : c', 'a?b:c', 'comm:a?b:c']) {
      const { stderr } = await runCli(['show', right, '--pid', '999999999']);
      assert.doesNotMatch(stderr, /kind of handle|no expression behind/, right);
    }
  });
});
