/** GDB/MI Data Manipulation. Memory in bulk does not go over MI: the images read it directly. */
import { addressIn, integerIn, valueOf, type GdbValue } from './value';
import { select, type GdbThread, type GdbThreadGroup } from './context';
import { evaluating } from './read-only';
import {
  integer,
  optionalAddress,
  optionalInteger,
  optionalText,
  quote,
  text,
  texts,
  tuples,
  type MiTuple,
} from './mi-values';

/** `frame`: 0 is the innermost. Rejects with GdbError in gdb's words. */
export async function dataEvaluateExpression(thread: GdbThread, frame: number, expression: string): Promise<GdbValue> {
  const command = `-data-evaluate-expression ${select(thread, frame)} ${quote(expression)}`;
  return valueOf(text(await evaluating(thread, expression, command), 'value'));
}

/** The address that an expression such as &x has as its value; undefined: it has none. Rejects with GdbError. */
export async function addressOf(thread: GdbThread, frame: number, pointer: string): Promise<bigint | undefined> {
  return addressIn(await dataEvaluateExpression(thread, frame, pointer));
}

/** The same in the language of C, whatever that of the frame is. */
export async function addressInC(thread: GdbThread, pointer: string): Promise<bigint | undefined> {
  const command = `-data-evaluate-expression ${select(thread, 0)} --language c ${quote(pointer)}`;
  return addressIn(valueOf(text(await evaluating(thread, pointer, command), 'value')));
}

/** The number of bytes of an expression's value. Rejects with GdbError. */
export async function sizeOf(thread: GdbThread, frame: number, expression: string): Promise<number> {
  return Number(integerIn(await dataEvaluateExpression(thread, frame, `sizeof(${expression})`)) ?? 0n);
}

/** The next instruction that the thread runs. Rejects with GdbError. */
export async function setProgramCounter(thread: GdbThread, address: bigint): Promise<void> {
  await dataEvaluateExpression(thread, 0, `$pc = 0x${address.toString(16)}`);
}

/** The names by register number; "" where the machine has none of that number. */
export async function dataListRegisterNames(thread: GdbThread): Promise<readonly string[]> {
  return texts(await thread.gdb.command(`-data-list-register-names ${select(thread)}`), 'register-names');
}

/** Values by register number, as the frame had them. format: x hexadecimal, N as gdb prints the type. */
export async function dataListRegisterValues(
  thread: GdbThread,
  frame: number,
  format: 'x' | 'N',
  numbers: readonly number[],
): Promise<Map<number, string>> {
  const which = `--skip-unavailable ${format} ${numbers.join(' ')}`;
  const answer = await thread.gdb.command(`-data-list-register-values ${select(thread, frame)} ${which}`);
  return new Map(tuples(answer, 'register-values').map((each) => [integer(each, 'number'), text(each, 'value')]));
}

/** The pieces of the range that can be read, ascending. Without gdb's own breakpoints in them. Rejects with GdbError. */
export async function dataReadMemoryBytes(
  thread: GdbThread,
  address: bigint,
  count: number,
): Promise<{ address: bigint; bytes: Buffer }[]> {
  const answer = await thread.gdb.command(
    `-data-read-memory-bytes ${select(thread)} 0x${address.toString(16)} ${count}`,
  );
  return tuples(answer, 'memory').map((piece) => ({
    address: optionalAddress(piece, 'begin') ?? address,
    bytes: Buffer.from(text(piece, 'contents'), 'hex'),
  }));
}

/** Rejects with GdbError where the process has no such memory. */
export async function dataWriteMemoryBytes(thread: GdbThread, address: bigint, bytes: Uint8Array): Promise<void> {
  const contents = Buffer.from(bytes).toString('hex');
  await thread.gdb.command(`-data-write-memory-bytes ${select(thread)} 0x${address.toString(16)} ${contents}`);
}

export interface Instruction {
  address: bigint;
  /** "mov %rsp,%rbp" */
  text: string;
  /** Two hexadecimal digits per byte, with spaces. */
  bytes: string;
  function: string | undefined;
  file: string | undefined;
  line: number | undefined;
}

/** The instructions of a range, or of the whole function around an address. Rejects with GdbError. */
export async function dataDisassemble(
  thread: GdbThread | GdbThreadGroup,
  where: { from: bigint; to: bigint } | { around: bigint },
): Promise<Instruction[]> {
  const range =
    'around' in where
      ? `-a 0x${where.around.toString(16)}`
      : `-s 0x${where.from.toString(16)} -e 0x${where.to.toString(16)}`;
  // 5: source lines, each with its instructions, and their bytes.
  const answer = await thread.gdb.command(`-data-disassemble ${select(thread)} ${range} -- 5`);
  return tuples(answer, 'asm_insns').flatMap((line) => {
    if (line.line_asm_insn === undefined) return [instructionOf(line, undefined, undefined)];
    const file = optionalText(line, 'fullname');
    return tuples(line, 'line_asm_insn').map((each) => instructionOf(each, file, optionalInteger(line, 'line')));
  });
}

function instructionOf(tuple: MiTuple, file: string | undefined, line: number | undefined): Instruction {
  return {
    address: optionalAddress(tuple, 'address') ?? 0n,
    text: text(tuple, 'inst').replace(/\s+/g, ' ').trim(),
    bytes: optionalText(tuple, 'opcodes') ?? '',
    function: optionalText(tuple, 'func-name'),
    file,
    line,
  };
}
