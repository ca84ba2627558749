/** gdb's English, as gdb 13.1, 16.3 and 18.1 wrote it to the expressions and commands beside it. */
import assert from 'node:assert/strict';
import { inWordsOf } from '../../adapter/gdb/fortran-words';
import { requestErrorOf } from '../../adapter/dap/client/error-translation';
import { failureInValue, failureOf, inWords } from '../../adapter/gdb/mi/failure';
import { GdbError, GdbLostError } from '../../adapter/gdb/mi/mi-connection';

describe("gdb's reason", () => {
  for (const [asked, message, reason] of [
    ['nosuch', 'No symbol "nosuch" in current context.', 'noSymbol'],
    ["'nofile.c'::x", 'No symbol "nofile.c" in current context.', 'noSymbol'],
    ['sub::nosuch', 'No symbol "sub::nosuch" in current context.', 'noSymbol'],
    ['x, without any file', 'No symbol table is loaded.  Use the "file" command.', 'noSymbol'],
    ['g.zz', 'There is no member named zz.', 'noMember'],
    ['struct s', 'Attempt to use a type name as an expression', 'isType'],
    ['FILE, gdb 12', 'Attempt to use a type as an expression', 'isType'],
    ['opt, which is not passed', 'Cannot access memory at address 0x0', 'cannotRead'],
    ['a list(*)', 'failed to get range bounds', 'noBounds'],
    ['a list(:), which is not passed', 'Location address is not set.', 'noLocation'],
    ['big', 'value requires 400000 bytes, which is more than max-value-size', 'tooLong'],
    ['-exec-next', 'Cannot find bounds of current function', 'noFunction'],
    ['x, while it runs', 'Selected thread is running.', 'running'],
    ['x, of a thread that has ended', 'Invalid thread id: 1', 'ended'],
    ['registers of a process that has been killed', "Couldn't get registers: No such process.", 'ended'],
    ['x, of a process that has ended', 'The program is not being run.', 'ended'],
    ['x = 1', 'Writing to memory is not allowed (addr 0x7ffe, len 4)', 'mayNotWrite'],
    ['add(1)', 'Cannot call functions in the program: may-call-functions is off.', 'mayNotCall'],
    ['python 1', 'Python scripting is not supported in this copy of GDB.', 'noPython'],
    ['1 +, gdb 13', "A syntax error in expression, near `'.", 'other'],
    ['1 +, gdb 16', "A syntax error in expression, near the end of `1 +'.", 'other'],
    ['a breakpoint', 'Function "nosuch" not defined.', 'other'],
    ['a word in another place', 'the program said: No symbol', 'other'],
  ] as const)
    it(`is ${reason} for ${asked}`, () => {
      assert.equal(failureOf(message).reason, reason);
      assert.equal(new GdbError(message, asked).failure.reason, reason);
    });

  it('is told in words of ours where those of gdb name its parser, or what mpidbg has written', () => {
    for (const [message, words] of [
      ["A syntax error in expression, near `'.", 'the expression ends where an operand is expected'],
      ["A syntax error in expression, near the end of `1 +'.", 'the expression ends where an operand is expected'],
      ["A syntax error in expression, near `> 3)'.", 'no valid expression: it is wrong from "> 3" on'],
      ["A syntax error in expression, near `f(3)'.", 'no valid expression: it is wrong from "f(3)" on'],
      ["A syntax error in expression, near `$_mpidbg_rank() x'.", 'this is no valid expression'],
      ["Garbage ')' follows condition", '")" is left over behind the end of the condition'],
      ["Invalid character ';' in expression.", '";" has no meaning here'],
    ] as const)
      assert.equal(new GdbError(message, '').message, words);
  });

  it('has the address that cannot be read', () => {
    const address = 0x7fff0008n;
    assert.deepEqual(failureOf('Cannot access memory at address 0x7fff0008'), { reason: 'cannotRead', address });
  });

  it('may stand in the place of a value', () => {
    const reading = '<error reading variable: Cannot access memory at address 0x0>';
    assert.deepEqual(failureInValue(reading), { reason: 'cannotRead', address: 0n });
    assert.deepEqual(failureInValue('<error: Cannot access memory at address 0x8>'), {
      reason: 'cannotRead',
      address: 8n,
    });
    assert.deepEqual(failureInValue('<error reading variable: failed to get range bounds>'), { reason: 'noBounds' });
    const among = '<error reading variable opt (Cannot access memory at address 0x0)>';
    assert.deepEqual(failureInValue(among), { reason: 'cannotRead', address: 0n });
    assert.deepEqual(failureInValue('(<error reading variable: failed to get range bounds>'), { reason: 'noBounds' });
    assert.equal(failureInValue('<optimized out>'), undefined);
    assert.equal(failureInValue('"<error: x>"'), undefined);
  });

  it('is told in words of ours where gdb does not know all registers of the processor', () => {
    const told = inWords("Couldn't write extended state status: Bad address.");
    assert.match(told, /^this gdb cannot write the floating-point registers of this processor/);
  });

  it('is told in words of ours where it is only how gdb noticed that a process has ended', () => {
    assert.equal(new GdbError("Couldn't get registers: No such process.", 'x').message, 'it has ended');
    assert.equal(requestErrorOf(new GdbError('Invalid thread id: 1', 'x'))?.message, 'the rank has ended');
  });

  it('is that gdb is gone, whatever the connection said', () => {
    assert.equal(new GdbLostError('-thread-info', 'No symbol left').failure.reason, 'lost');
  });

  it('is worded for Fortran where it is one of Fortran', () => {
    const absent = 'absent: OPTIONAL and not passed, not allocated, or a POINTER to nothing';
    assert.equal(inWordsOf('fortran', 'Cannot access memory at address 0x0'), absent);
    assert.equal(inWordsOf('fortran', '<error reading variable: Cannot access memory at address 0x0>'), absent);
    assert.equal(inWordsOf('fortran', 'Cannot access memory at address 0x8'), absent);
    assert.equal(
      inWordsOf('fortran', "( label = ', _x_length = 1', w = void, _label_length = 4, id = 3 )"),
      "( label = ', _x_length = 1', w = <type unknown>, id = 3 )",
    );
    assert.equal(
      inWordsOf('fortran', 'Cannot access memory at address 0x10008'),
      'Cannot access memory at address 0x10008',
    );
    assert.match(inWordsOf('fortran', '<error reading variable: failed to get range bounds>'), /ask for an element/);
    assert.equal(inWordsOf('fortran', "'abc', ' ' <repeats 37 times>"), "'abc'");
    assert.equal(inWordsOf('fortran', "( a = 'void', parts = void )"), "( a = 'void', parts = <type unknown> )");
    assert.equal(inWordsOf('c', 'Cannot access memory at address 0x0'), 'Cannot access memory at address 0x0');
  });
});
