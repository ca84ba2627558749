/** Conditions, watches and log messages of Fortran, against what the program says of each; what has no answer is refused in one sentence. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { eitherMpi, launchers, samplePath } from '../support/sample-job';
import { areWatched } from '../support/watchpoints';
import { DebugRun, type Place } from './debug-run';

const program = 'fortran-conditions';
const place: Place = { source: 'fortran-conditions.f90', marker: 'all told' };
const behind: Place = { ...place, marker: 'behind' };

const isArray = / is an array: /;
const isOpen = /^only the caller knows how many elements \w+ has \(\*\)/;
const isComplex = /^z is COMPLEX: ask for its parts, \$_creal\(z\) and \$_cimag\(z\)$/;
const isEmpty = /^nothing is between the parentheses behind |has no subscripts: an element of an array needs them$/;
const unknown = (name: string): RegExp =>
  new RegExp(`^mpidbg does not know the intrinsic ${name}: it knows allocated, `);
const absent = /^absent: OPTIONAL and not passed/;

/** Before any rank comes there, and in a watch. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['a == b', isArray],
  ['open(1:2) == 2', isArray],
  ['n == 3 .and. a(1:2) /= b(1:2)', isArray],
  ['.not. mask', isArray],
  ['abs(a) == 1.0', isArray],
  ["labels == 'abcd'", isArray],
  ['chosen == MPI_COMM_WORLD', isArray],
  ['a(chosen) == 1.0', isArray],
  ['open(1:) == 2', isOpen],
  ['size(open) == 6', isOpen],
  ['ubound(open, 1) == 5', isOpen],
  ['all(a == b)', unknown('all')],
  ['n == 3 .or. any(mask)', unknown('any')],
  ['sum(a) == 6.0', unknown('sum')],
  ['maxval(a) > 1.0', unknown('maxval')],
  ['minval(b) > 1.0', unknown('minval')],
  ['count(mask) == 2', unknown('count')],
  ["lge(labels(1), 'a')", unknown('lge')],
  ['sqrt(a(1)) == 1.0', unknown('sqrt')],
  ['same_type_as(cells(1), cells(2))', unknown('same_type_as')],
  ['extends_type_of(cells(1), cells(2))', unknown('extends_type_of')],
  ['z == (1.0,2.0)', isComplex],
  ['z%re == 1.0', isComplex],
  ['cells(1) == cells(2)', /^cells\(1\) is of a derived type: /],
  // gdb 13 ends at an array without subscripts.
  ...['a()', 'open( ) == 2', '(a)()', 'n == 3 .or. labels()', 'cells()'].map((text) => [text, isEmpty] as const),
  ['plane(1) == 1', /^plane needs 2 subscripts, as in plane\(1,1\), and has 1$/],
  ['b(1, 2) == 1.0', /^b needs a subscript, as in b\(1\), and has 2$/],
  ['cells(1)%nosuch == 1', /^cells\(1\) has no component nosuch$/],
  ['n%depth == 1', /^n has no component depth$/],
  ['$rank == mpi_comm_world', /^\$rank is a number, and mpi_comm_world is none: compare it with numbers/],
  ['((n) == 3', /^a parenthesis is not closed$/],
  ['abs(a(1) == 1.0', /^a parenthesis is not closed$/],
  ['n == 3)', /^a closing parenthesis has no opening one$/],
];

/** As a condition only. */
const withoutTruth = ['mask', 'open(1:2)', 'shape(a)', 'lbound(a)', 'z', 'cells(1)', 'fixed(1)'];

/** In a log message. */
const ofNoSyntax = ['if (n == 3) stop', '(/1, 2/)', '.not.', '()', 'a()', 'a(1'];

/** What a watch says; a condition says it at its first hit. */
const withoutValue: readonly (readonly [string, RegExp])[] = [
  ['size(extra)', absent],
  ['lbound(extra)', absent],
  ['shape(list)', absent],
  ['list', absent],
  ['size(list) == 0', absent],
  ['level == 2 .or. n == 4', absent],
  ['len(gone)', absent],
  ['len(gone) == 5', absent],
  ['lost%depth', absent],
  ['lost%depth == 1.5', absent],
  ['size(never)', /^the array is not allocated$/],
  ['lbound(never, 1)', /^the array is not allocated$/],
  ['never(1)', /^the array is not allocated$/],
  ['shape(nowhere)', /^the array is not associated$/],
  ['nowhere(1)', /^the array is not associated$/],
  ['size(cells(1)%parts)', /^the array is not allocated$/],
  ['n == 3 .or. nosuch == 2', /^No symbol "nosuch" in current context/],
  ['n == 3 .and.', /^an operand is missing behind "\.and\."$/],
  ['a(2:1)', /^a section here has no elements/],
  ['a(1:9)', /^a subscript is outside of the bounds/],
];

for (const mpi of eitherMpi('fortran conditions')) {
  describe(`what Fortran asks, with ${mpi}`, () => {
    const { stdout, stderr } = spawnSync(samplePath(mpi, program), {
      encoding: 'utf8',
      env: { ...process.env, ...launchers[mpi].env },
    });
    const told = (kind: string): { text: string; answer: string }[] =>
      [...stdout.matchAll(new RegExp(`^${kind} (.*)\\t(.*)$`, 'gm'))].map(([, text = '', answer = '']) => ({
        text,
        answer: answer.trim(),
      }));
    const conditions = told('CONDITION');
    const logged = conditions.map(({ text }, i) => ({ ...place, condition: text, logMessage: `holds ${i}` }));

    it('holds as a condition and in a watch where the program says so', async () => {
      assert.ok(conditions.length > 20, stderr);
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 1, breakpoints: [behind, ...logged] });
      const { id } = await run.topFrame(0);
      for (const [i, { text, answer }] of conditions.entries()) {
        const output = run.client.outputText('console');
        assert.equal(output.split(`[0] holds ${i}\n`).length - 1, answer === 'T' ? 3 : 0, `${text}: ${output}`);
        for (const context of ['watch', 'hover'])
          assert.equal((await run.evaluate(text, context, id)).result, answer === 'T' ? '.TRUE.' : '.FALSE.', text);
      }
      for (const { text, answer } of told('SECTION'))
        assert.equal((await run.evaluate(text, 'watch', id)).result, `(${answer.replaceAll(',', ', ')})`, text);
      assert.doesNotMatch(run.client.outputText('console'), /cannot be evaluated/);
      await run.close();
    });

    it('is read where the program is at an instruction, and where memory is watched by its address', async () => {
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 1, breakpoints: [place] });
      const { id: frameId, instructionPointerReference: memoryReference } = await run.topFrame(0);
      const { instructions } = await run.client.request<DebugProtocol.DisassembleResponse['body'] & object>(
        'disassemble',
        { memoryReference, instructionOffset: 0, instructionCount: 2 },
      );
      const most = await run.client.request<{ description: string }>('dataBreakpointInfo', { name: 'most', frameId });
      const [name = ''] = /0x[0-9a-f]+/.exec(most.description) ?? [];
      const byAddress = { name: `${name}@0`, asAddress: true, bytes: 4, frameId };
      const { dataId } = await run.client.request<{ dataId: string }>('dataBreakpointInfo', byAddress);
      const instructionReference = `${instructions[1]!.address}@0`;
      const set = async (sort: 'Data' | 'Instruction', rules: object): Promise<DebugProtocol.Breakpoint> => {
        const asked = { breakpoints: [{ dataId, accessType: 'write', instructionReference, ...rules }] };
        const command = `set${sort}Breakpoints`;
        return (await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>(command, asked)).breakpoints[0]!;
      };
      for (const sort of ['Data', 'Instruction'] as const)
        for (const [condition, why] of refused) {
          const { verified, message } = await set(sort, { condition });
          assert.equal(verified, false, `${sort}: ${condition}`);
          assert.match(message ?? '', why, `${sort}: ${condition}`);
        }
      await run.setBreakpoints(place.source, [behind]);
      const held = conditions.filter(({ answer }) => answer === 'T').map(({ text }) => `(${text})`);
      const condition = `${held.join(' .and. ')} .and. $rank in 0`;
      assert.equal((await set('Instruction', { condition })).message, undefined);
      const isReported = areWatched([await set('Data', { condition: `${condition} .and. i == 2` })]);
      const threadId = await run.threadOf(0);
      await run.client.request('continue', { threadId });
      assert.equal((await run.nextStop()).reason, 'instruction breakpoint');
      await set('Instruction', { condition: `.not. (${condition})`, logMessage: 'NEVER' });
      if (isReported) {
        await run.client.request('continue', { threadId });
        assert.match((await run.nextStop()).description ?? '', /^rank 0: data breakpoint, 2 → 5$/);
        await set('Data', { condition: 'i == 99' });
      }
      await run.client.request('continue', { threadId });
      assert.equal((await run.nextStop()).reason, 'breakpoint');
      assert.doesNotMatch(run.client.outputText('console'), /NEVER/);
      await run.close();
    });

    it('holds as the condition of a data breakpoint', async () => {
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 1, breakpoints: [place] });
      const { id: frameId } = await run.topFrame(0);
      const { dataId } = await run.client.request<{ dataId: string }>('dataBreakpointInfo', { name: 'most', frameId });
      const watch = async (condition: string): Promise<DebugProtocol.Breakpoint> => {
        const asked = { breakpoints: [{ dataId, accessType: 'write', condition }] };
        return (await run.client.request<DebugProtocol.SetDataBreakpointsResponse['body']>('setDataBreakpoints', asked))
          .breakpoints[0]!;
      };
      for (const [condition, why] of refused) {
        const { verified, message } = await watch(condition);
        assert.equal(verified, false, condition);
        assert.match(message ?? '', why, condition);
      }
      await run.setBreakpoints(place.source, [behind]);
      const held = conditions.filter(({ answer }) => answer === 'T').map(({ text }) => `(${text})`);
      const watched = await watch(`${held.join(' .and. ')} .and. i == 2 .and. $rank in 0`);
      if (!areWatched([watched])) return run.close();
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.match((await run.nextStop()).description ?? '', /^rank 0: data breakpoint, 2 → 5$/);
      await watch(
        `${conditions.map(({ text, answer }) => `((${text}) .eqv. .${answer === 'T' ? 'false' : 'true'}.)`).join(' .or. ')}`,
      );
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.equal((await run.nextStop()).reason, 'breakpoint');
      await run.close();
    });

    it('is refused, or told to be missing, in a sentence', async () => {
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 1, breakpoints: [place] });
      const { id } = await run.topFrame(0);
      for (const [text, why] of [...refused, ...withoutValue])
        for (const context of ['watch', 'hover'])
          await assert.rejects(
            run.evaluate(text, context, id),
            ({ message }: Error) => why.test(message.replace(/^evaluate: /, '')),
            text,
          );
      const all = [...refused, ...withoutTruth.map((text) => [text, /./] as const)];
      const set = await run.setBreakpoints(place.source, [
        behind,
        ...all.map(([condition]) => ({ ...place, condition })),
        { ...place, condition: 'size(list) == 0' },
        { ...place, logMessage: 'LOGGED {open(1:2)}; {size(never)}; {present(level) .and. level == 2}' },
        ...ofNoSyntax.map((text) => ({ ...place, logMessage: `IN VAIN {${text}}` })),
        { ...place, logMessage: 'IN VAIN {a == b}' },
      ]);
      // Conditions of MPI's functions are in C, whatever the language of the frame in which the rank is.
      const { breakpoints: ofCalls } = await run.client.request<DebugProtocol.SetFunctionBreakpointsResponse['body']>(
        'setFunctionBreakpoints',
        {
          breakpoints: ['$comm == MPI_COMM_WORLD', '$comm .ne. MPI_COMM_SELF', "$comm == 'ocean'"].map((condition) => ({
            name: 'MPI_Barrier',
            condition,
          })),
        },
      );
      for (const { verified, message } of ofCalls) assert.equal(verified, true, message);
      // gdb 13 ends with SIGSEGV there.
      await assert.rejects(run.evaluate('-exec print a()', 'repl'), ({ message }: Error) =>
        /: a is a variable: gdb would end at its empty parentheses/.test(message),
      );
      for (const [i, text] of ofNoSyntax.entries()) {
        const { verified, message } = set.at(-1 - ofNoSyntax.length + i)!;
        assert.equal(verified, false, text);
        assert.match(
          message ?? '',
          /^(?:an operand is missing |no valid expression|this is no valid expression|the expression ends|nothing is between |a parenthesis |a quote |an operator )/,
          text,
        );
      }
      for (const [i, [condition, why]] of all.entries()) {
        assert.equal(set[1 + i]?.verified, false, condition);
        assert.match(set[1 + i]?.message ?? '', why, condition);
      }
      assert.equal(set.at(-1)?.verified, false);
      assert.match(set.at(-1)?.message ?? '', /^a is an array: /);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.match((await run.nextStop()).text ?? '', /^the condition cannot be evaluated: absent: OPTIONAL/);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await run.nextStop();
      const [line] = /LOGGED .*/.exec(run.client.outputText('console')) ?? [''];
      assert.match(line, /^LOGGED \(2, 3\); <the array is not allocated>; \.FALSE\.$/);
      await run.close();
    });
  });
}
