/** What mpidbg says of itself: help of each command, completion and the man page, of which one table is the source. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { commandEntries, commandTable, optionEntries, shells } from '../../adapter/cli/arguments/command-table';
import { parseCommand } from '../../adapter/cli/arguments/parse-command';
import { UsageError } from '../../adapter/cli/arguments/usage-error';
import { runCli } from '../support/run-cli';

async function printed(...args: string[]): Promise<string> {
  const { stdout, stderr, status } = await runCli(args);
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 }, args.join(' '));
  return stdout;
}

describe('the help of mpidbg', () => {
  it('names every command and option, in lines that a terminal holds', async () => {
    const help = await printed('--help');
    for (const [name] of commandEntries) assert.match(help, new RegExp(`^  mpidbg ${name}\\b`, 'm'));
    for (const [name] of optionEntries) assert.match(help, new RegExp(`^  (-\\w, )?--${name}\\b`, 'm'));
    const ofCommands = await Promise.all(commandEntries.map(([name]) => printed('--help', name)));
    for (const line of [help, ...ofCommands].join('\n').split('\n')) assert.ok(line.length <= 100, line);
  });

  it('of one command names what it takes, and nothing else', async () => {
    for (const [name, { options, summary }] of commandEntries) {
      const help = await printed('--help', name);
      assert.equal(await printed('help', name), help);
      assert.equal(await printed(name, '--help'), help);
      assert.ok(help.startsWith(`mpidbg ${name}`) && help.replace(/\s+/g, ' ').includes(summary), help);
      const told = [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, option]) => option);
      assert.deepEqual(told.sort(), [...options].sort(), name);
    }
  });

  it('of no command is a usage error', async () => {
    for (const args of [
      ['--help', 'shout'],
      ['help', 'shout'],
    ]) {
      const { stdout, stderr, status } = await runCli(args);
      assert.deepEqual({ stdout, status }, { stdout: '', status: 2 });
      assert.match(stderr, /^mpidbg: unknown command "shout": see mpidbg --help\n$/);
    }
  });

  it('agrees with what is parsed: each command refuses the options of others', () => {
    for (const [name, { options }] of commandEntries)
      for (const [option, { argument }] of optionEntries) {
        if (option === 'help' || option === 'version') continue;
        const given = [name, `--${option}`, ...(argument === undefined ? [] : ['1'])];
        const isTaken = options.some((each) => each === option);
        const refusal = `${name} does not take --${option}`;
        try {
          parseCommand(given);
        } catch (error) {
          assert.ok(error instanceof UsageError, `${given.join(' ')}: ${String(error)}`);
          assert.equal(error.message.startsWith(refusal), !isTaken, `${given.join(' ')}: ${error.message}`);
          continue;
        }
        assert.ok(isTaken, given.join(' '));
      }
  });

  it('is a man page too', async () => {
    const page = await printed('man');
    assert.match(page, /^\.TH MPIDBG 1 /);
    for (const [name] of commandEntries) assert.match(page, new RegExp(`^\\.B mpidbg ${name}\\b`, 'm'));
    for (const [name] of optionEntries) assert.ok(page.includes(`\\-\\-${name.replaceAll('-', '\\-')}`), name);
    for (const [name, { summary, note }] of commandEntries) {
      if (note === undefined) continue;
      // A paragraph of its own: summaries do not end with a full stop.
      const [of = ''] = page.split(`.B mpidbg ${name} `)[1]?.split('\n.TP\n') ?? [];
      assert.deepEqual(
        of.split('\n').slice(1).join(' ').split(' .sp '),
        [summary, note].map((text) => text.replaceAll('-', '\\-').replaceAll('\n', ' ')),
      );
    }
  });
});

describe('completion', () => {
  it('in bash offers commands, their options and kinds', async () => {
    const script = await printed('completion', 'bash');
    const offered = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; compopt() { :; }; _mpidbg; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', `${script}${ask}`], { encoding: 'utf8' })
        .split('\n')
        .slice(0, -1);
    };
    assert.deepEqual(offered('mpidbg', 'st'), ['stacks']);
    assert.deepEqual(offered('mpidbg', 'show', 'comm', '--fr'), ['--frame']);
    assert.deepEqual(offered('mpidbg', 'handles', 'err'), ['errhandler']);
    assert.deepEqual(offered('mpidbg', 'layout', 'lib'), ['']);
    assert.deepEqual(offered('mpidbg', 'completion', ''), [...shells, '--help']);
    assert.deepEqual(offered('mpidbg', '--help', 'sta'), ['stacks']);
    assert.ok(offered('mpidbg', 'run', '--', 'mpiex').includes('mpiexec'));
    assert.deepEqual(offered('mpidbg', 'run', '--', 'mpiexec', '--j'), ['']);
  });

  for (const shell of shells)
    it(`is there for ${shell}, with every command and its options`, async () => {
      const script = await printed('completion', shell);
      for (const [name, { options }] of commandEntries) {
        assert.ok(script.includes(name), name);
        for (const option of options) assert.match(script, new RegExp(`(--|-l )${option}\\b`), `${name} ${option}`);
      }
    });

  it('of another shell is a usage error', async () => {
    for (const args of [['completion'], ['completion', 'csh'], ['completion', 'bash', 'zsh']]) {
      const { stderr, status } = await runCli(args);
      assert.equal(status, 2);
      assert.match(stderr, /^mpidbg: completion takes the name of a shell: bash, zsh, fish\n$/);
    }
    assert.ok('completion' in commandTable);
  });
});
