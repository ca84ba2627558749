/** setVariable, setExpression and hexadecimal values. The program prints what it has afterwards. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from './debug-run';

type SetBody = DebugProtocol.SetVariableResponse['body'];

const inC = { source: 'variables.c', marker: 'all variables set' };

async function localsOf(run: DebugRun, rank: number): Promise<number> {
  const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', {
    frameId: (await run.topFrame(rank)).id,
  });
  return scopes[0]!.variablesReference;
}

async function set(run: DebugRun, variablesReference: number, name: string, value: string): Promise<string> {
  const body = await run.client.request<SetBody>('setVariable', { variablesReference, name, value });
  return body.value;
}

async function child(run: DebugRun, reference: number, name: string): Promise<number> {
  const found = (await run.variables(reference)).find((each) => each.name === name);
  assert.ok(found, `no ${name}`);
  return found.variablesReference;
}

describe('setting variables of C', () => {
  it('changes them in the rank that was asked for, and the program goes on with them', async () => {
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [inC] });
    const locals = await localsOf(run, 1);
    assert.equal(await set(run, locals, 'short_number', '12 * 3'), '36');
    assert.equal(await set(run, locals, 'single', '0.25'), '0.25');
    assert.equal(await set(run, locals, 'fixed_text', '"ebb"'), '"ebb"');
    assert.equal(await set(run, locals, 'season', 'WINTER'), 'WINTER');
    assert.equal(await set(run, await child(run, locals, 'numbers'), '[4]', '77'), '77');
    assert.equal(await set(run, await child(run, locals, 'long_array'), '[299]', '-5'), '-5');
    assert.equal(await set(run, await child(run, locals, 'first'), 'is_open', '0'), '0');
    await run.client.waitFor('invalidated');
    const frameId = (await run.topFrame(1)).id;
    const { value } = await run.client.request<SetBody>('setExpression', {
      expression: 'matrix[1][2]',
      value: 'rank + 40',
      frameId,
    });
    assert.equal(value, '41');
    assert.equal((await run.local(0, 'short_number')).value, '-30000');
    await assert.rejects(set(run, locals, 'fixed_text', '"far too long"'), /longer than fixed_text.*8 bytes/);
    await assert.rejects(set(run, locals, 'rank', 'no_such_name'), /No symbol "no_such_name"/);
    await assert.rejects(set(run, locals, 'short_number', '70000'), /70000 does not fit into 16 bits/);
    await assert.rejects(set(run, locals, 'rank', '-2147483649'), /-2147483649 does not fit into 32 bits/);
    await assert.rejects(set(run, locals, 'rank', 'nan'), /rank is an integer: it cannot be nan/);
    await assert.rejects(set(run, locals, 'rank', ' '), /rank needs a value/);
    for (const [written, shown] of [
      ['nan', 'nan(0x400000)'],
      ['-inf', '-inf'],
      ['Infinity', 'inf'],
      ['0.25', '0.25'],
    ] as const)
      assert.equal(await set(run, locals, 'single', written), shown);
    await run.client.request('continue', { threadId: stop.threadId });
    await run.terminated();
    const printed = run.client.outputText('stdout');
    assert.match(printed, /rank 1 of 2: all sorts.* 36 4000000000 .* 0\.25 .* ebb$/m);
    assert.match(printed, /rank 1: 1 77 41 -5 /);
    assert.match(printed, /rank 0 of 2: .* -30000 .* tide$/m);
    await run.close();
  });

  it('takes MPI names, and the handle is decoded anew', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'openmpi',
      program: 'communicators',
      breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
    });
    const locals = await localsOf(run, 2);
    assert.equal(await set(run, locals, 'ocean', 'MPI_COMM_WORLD'), 'MPI_COMM_WORLD · rank 2 of 4');
    await run.close();
  });
});

describe('setting complex numbers', () => {
  it('takes one or both parts, in C++', async () => {
    const marker = 'all containers filled';
    const breakpoints = [{ source: 'containers.cpp', marker }];
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'containers', ranks: 1, breakpoints });
    const locals = await localsOf(run, 0);
    for (const [value, expected] of [
      ['7', '7 + 0i'],
      ['{3, 4.5}', '3 + 4.5i'],
      ['(rank, -1)', '0 + -1i'],
      ['2.5 + 1i', '2.5 + 1i'],
      ['wave', '2.5 + 1i'],
    ] as const)
      assert.equal(await set(run, locals, 'wave', value), expected);
    await assert.rejects(set(run, locals, 'wave', 'words'), /words is not a complex number: write \{1, 2\} or 1/);
    await run.close();
  });

  it('takes one or both parts, in Fortran', async () => {
    const breakpoints = [{ source: 'variables.f90', marker: 'all variables set' }];
    const { run } = await DebugRun.stopped({ mpi: 'openmpi', program: 'variables-f90', ranks: 1, breakpoints });
    const locals = await localsOf(run, 0);
    assert.equal(await set(run, locals, 'wave', '5'), '(5,0)');
    assert.equal(await set(run, locals, 'wave', '(1.5, size)'), '(1.5,1)');
    await run.close();
  });
});

describe('setting variables of Fortran', () => {
  it('takes names of intrinsics, elements, logicals and strings', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables-f90',
      ranks: 2,
      breakpoints: [{ source: 'variables.f90', marker: 'all variables set' }],
    });
    const locals = await localsOf(run, 1);
    assert.equal(await set(run, locals, 'rank', 'rank + 6'), '7');
    assert.equal(await set(run, locals, 'flag', '.false.'), '.FALSE.');
    assert.equal(await set(run, locals, 'text', "'mist'"), "'mist      '");
    assert.equal(await set(run, await child(run, locals, 'from_zero'), '(3)', 'size'), '2');
    assert.equal(await set(run, await child(run, locals, 'first'), 'name', '"west"'), "'west    '");
    const frameId = (await run.topFrame(1)).id;
    for (const [expression, value, expected] of [
      ['matrix(2, 3)', '60', '60'],
      ['field(2, 0)', '1.5', '1.5'],
      ['first%levels(2)', '2.25', '2.25'],
      ['settings::rounds', '9', '9'],
      ['column(1)', '8', '8'],
      ['settings::title', "'x'", "'x'"],
    ]) {
      const body = await run.client.request<SetBody>('setExpression', { expression, value, frameId });
      assert.equal(body.value, expected, expression);
      assert.equal((await run.evaluate(expression!, 'watch', frameId)).result, expected);
    }
    await run.close();
  });
});

describe('values in hexadecimal', () => {
  it('are what format.hex asks for, and nobody else gets them', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [inC] });
    const format = { hex: true };
    const locals = await localsOf(run, 0);
    const [hex, plain] = await Promise.all([run.variables(locals, { format }), run.variables(locals)]);
    const value = (list: DebugProtocol.Variable[], name: string): string | undefined =>
      list.find((each) => each.name === name)?.value;
    assert.equal(value(hex, 'short_number'), '0x8ad0');
    assert.equal(value(plain, 'short_number'), '-30000');
    assert.equal(value(hex, 'numbers'), '{0xa, 0x14, 0x1e, 0x28, 0x32}');
    assert.equal(value(plain, 'numbers'), '{10, 20, 30, 40, 50}');
    const numbers = await child(run, locals, 'numbers');
    assert.equal((await run.variables(numbers, { format }))[1]?.value, '0x14');
    assert.equal((await run.variables(numbers))[1]?.value, '20');
    const frameId = (await run.topFrame(0)).id;
    const evaluated = await run.client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression: 'numbers[4] + 205',
      context: 'watch',
      frameId,
      format,
    });
    assert.equal(evaluated.result, '0xff');
    assert.equal((await run.evaluate('numbers[4] + 205', 'hover', frameId)).result, '255');
    await run.close();
  });
});
