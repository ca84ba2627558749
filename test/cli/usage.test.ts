/** Wrong usage and targets that cannot be opened: exit status 2, one line on standard error, nothing on standard output. */
import assert from 'node:assert/strict';
import { runCli } from '../support/run-cli';

const noSuchProcess = '4194305'; // above the kernel's largest pid

const refused: [what: string, args: string[], message: RegExp][] = [
  ['an unknown command', ['shout', '--pid', '1'], /unknown command "shout"/],
  ['an unknown option', ['show', 'comm', '--pid', '1', '--loud'], /--loud/],
  ['show without an expression', ['show', '--pid', '1'], /needs an expression/],
  ['no target', ['show', 'comm'], /name a target/],
  ['two targets', ['show', 'comm', '--pid', '1', '--launcher', '1'], /name one target/],
  ['a pid that is no number', ['info', '--pid', 'mpirun'], /whole number above 0/],
  ['a process that does not exist', ['info', '--pid', noSuchProcess], /no process 4194305/],
  ['a launcher that does not exist', ['info', '--launcher', noSuchProcess], /no process 4194305/],
  ['a process that is no launcher', ['info', '--launcher', String(process.pid)], /no MPI ranks below it/],
  ['a rank set that is none', ['info', '--pid', '1', '--ranks', '3-1'], /runs backwards/],
  ['a timeout of nothing', ['info', '--pid', '1', '--timeout', '0'], /--timeout takes/],
  ['a plugin that is missing', ['info', '--pid', '1', '--plugin', '/nonexistent.js'], /plugin \/nonexistent\.js/],
  ['a core file that does not exist', ['show', 'comm', '--core', 'core.1'], /core.1: there is no such file/],
  ['a kind that is none', ['handles', 'lock', '--pid', '1'], /"lock" is not a kind/],
  ['a report to nowhere', ['report', '--pid', '1'], /report writes a file: name it/],
  ['a report into a folder', ['report', '--pid', '1', '-o', '/tmp'], /\/tmp is a folder: name a file in it/],
  ['a report into no folder', ['report', '--pid', '1', '-o', '/nonexistent/a.html'], /no folder \/nonexistent/],
  ['an option without its argument at the end', ['calls', '--launcher'], /^mpidbg: --launcher needs an argument$/m],
  ['an option with a short name without its argument', ['report', '-o'], /^mpidbg: --output needs an argument$/m],
  ['an option in the place of the argument', ['info', '--gdb', '--pid', '1'], /^mpidbg: --gdb needs an argument/m],
  ['an option of another command', ['info', '--internal', '--pid', '1'], /info does not take --internal/],
  ['a short option of another command', ['info', '--pid', '1', '-o', 'x'], /info does not take -o/],
  ['a frame for what evaluates nothing', ['handles', '--frame', '1', '--pid', '1'], /handles does not take --frame/],
  ['a target for a library', ['layout', 'libmpi.so', '--pid', '1'], /layout does not take --pid/],
  ['run without a launcher', ['run', '--hang-after', '60'], /needs a launcher behind "--"/],
  ['words before the launcher', ['run', 'fast', '--', 'mpirun'], /remove "fast"/],
  ['no time to hang after', ['run', '--hang-after', '0', '--', 'mpirun'], /--hang-after takes/],
  ['a file of run in no folder', ['run', '--junit', '/nonexistent/a.xml', '--', 'true'], /no folder \/nonexistent/],
  ['--hang-after-any alone', ['run', '--hang-after-any', '--', 'mpirun'], /needs --hang-after/],
  ['a report as JSON', ['report', '--pid', '1', '--json', '-o', 'a.html'], /leave --json out/],
];

describe('mpidbg refuses', () => {
  for (const [what, args, message] of refused) {
    it(what, async () => {
      const { status, stdout, stderr } = await runCli(args);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.match(stderr, /^mpidbg: [^\n]+\n$/, 'one line');
      assert.equal(status, 2);
    });
  }
});

describe('mpidbg explains itself', () => {
  for (const args of [['--help'], ['help'], []]) {
    it(`mpidbg ${args.join(' ')}`, async () => {
      const { status, stdout } = await runCli(args);
      assert.match(stdout, /mpidbg show [^]*mpidbg info/);
      assert.equal(status, 0);
    });
  }
});
