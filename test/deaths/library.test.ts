/** What is loaded into ranks to see how they die leaves every other process as it is. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { deathsLibrary } from '../../adapter/collector/preload';
import { deathsEnvironment } from './deaths-environment';

describe('the library that sees how ranks die', () => {
  it('leaves a process that is no rank as it is', () => {
    const env = { ...process.env, ...deathsEnvironment({ socket: '/nowhere', seconds: 10 }, process.env) };
    const { status, signal, stdout, stderr } = spawnSync('/bin/sh', ['-c', 'echo out; echo err >&2; kill -SEGV $$'], {
      env,
      encoding: 'utf8',
    });
    assert.deepEqual(
      { status, signal, stdout, stderr },
      { status: null, signal: 'SIGSEGV', stdout: 'out\n', stderr: 'err\n' },
    );
  });

  it('keeps nothing in the heap, which a program that dies may have damaged', () => {
    const { stdout } = spawnSync('nm', ['-D', '--undefined-only', deathsLibrary()], { encoding: 'utf8' });
    assert.match(stdout, / getenv\b/);
    assert.doesNotMatch(stdout, / (malloc|calloc|realloc|strdup|strndup|asprintf)\b/);
  });
});
