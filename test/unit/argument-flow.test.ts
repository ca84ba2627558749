/** Where the arguments of a function are, by its instructions. */
import assert from 'node:assert/strict';
import { argumentFlow, tailCall, UnknownFlowError } from '../../plugin-api/processor/code/argument-flow';
import type { CodeSource, Piece } from '../../plugin-api/processor/code/code';
import { decode } from '../../plugin-api/processor/x86-64/decode';
import { UnknownInstructionError } from '../../plugin-api/processor/instruction';
import { argument, frameAddress, loaded, moduleAddress } from '../../plugin-api/processor/code/value';

const start = 0x1000;
const [rbx, rsp, r12, r13, r14] = [3, 4, 12, 13, 14] as const;

/** Functions of one piece each, in hexadecimal; `endless`: those that never return. */
class TestCode implements CodeSource {
  private readonly functions: { piece: Piece; bytes: Buffer }[];

  constructor(
    code: Record<number, string>,
    private readonly endless: readonly number[] = [],
  ) {
    this.functions = Object.entries(code).map(([at, text]) => {
      const bytes = Buffer.from(text.replace(/\s+/g, ''), 'hex');
      return { piece: { start: Number(at), end: Number(at) + bytes.length }, bytes };
    });
  }

  instructionAt(address: number) {
    const found = this.functions.find(({ piece }) => piece.start <= address && address < piece.end);
    return decode(found === undefined ? new Uint8Array() : found.bytes.subarray(address - found.piece.start));
  }

  pieceAt(address: number): Promise<Piece | undefined> {
    const found = this.functions.find(({ piece }) => piece.start <= address && address < piece.end);
    return Promise.resolve(found?.piece);
  }

  mayReturn(address: number): Promise<boolean> {
    return Promise.resolve(!this.endless.includes(address));
  }

  mayReturnThrough(): Promise<boolean> {
    return Promise.resolve(true);
  }

  int32At(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const push = '53'; // push %rbx
const call = 'e8 00 00 00 00'; // call the next instruction's address
const ret = 'c3';

/** What is known of one function that begins at `start`, behind so many of its bytes. */
async function facts(code: string, at = Buffer.from(code.replace(/\s+/g, ''), 'hex').length, endless: number[] = []) {
  // The last one is reached, whatever it is.
  return argumentFlow(new TestCode({ [start]: `${code} 90 ${ret}` }, endless), start, start + at);
}

describe('the arguments of a function', () => {
  it('are in registers that calls keep, and in no other behind a call', async () => {
    const { state, call: behind } = await facts(`${push} 48 89 fb 41 89 f4 ${call}`); // mov %rdi,%rbx; mov %esi,%r12d
    assert.equal(state.registers[rbx], argument(0));
    assert.equal(state.registers[r12], argument(1, 32));
    assert.deepEqual(
      [0, 1, 2, 6, 7, 8, 9, 10, 11].map((scratch) => state.registers[scratch]),
      Array(9).fill(undefined),
    );
    assert.equal(state.registers[rsp], frameAddress(-16));
    assert.equal(behind?.state.registers[7], argument(0));
    assert.equal(behind?.target, moduleAddress(start + 12));
  });

  it('are in slots of the stack, until they are overwritten', async () => {
    const spill = '48 83 ec 28 89 54 24 0c 48 89 4c 24 10'; // sub $0x28,%rsp; mov %edx,0xc(%rsp); mov %rcx,0x10(%rsp)
    const { state } = await facts(`${spill} ${call}`);
    assert.equal(state.slot(-0x30 + 0xc, 4), argument(2, 32));
    assert.equal(state.slot(-0x30 + 0x10, 8), argument(3));
    assert.equal(state.slot(8, 8), argument(7), 'the eighth lies in the frame of the caller');
    const { state: later } = await facts(`${spill} c6 44 24 11 00 ${call}`); // movb $0,0x11(%rsp)
    assert.equal(later.slot(-0x30 + 0x10, 8), undefined);
    assert.equal(later.slot(-0x30 + 0xc, 4), argument(2, 32));
  });

  it('are forgotten where one of two ways has overwritten them', async () => {
    // mov %rdi,%rbx; mov %rsi,%r12; mov %edx,%r13d; test %edx,%edx; je +3; mov %rax,%rbx
    const { state } = await facts(`48 89 fb 49 89 f4 41 89 d5 85 d2 74 03 48 89 c3 ${call}`);
    assert.equal(state.registers[rbx], undefined);
    assert.equal(state.registers[r12], argument(1));
    assert.equal(state.registers[r13], argument(2, 32));
  });

  it('are known by their lower half where one way has kept no more', async () => {
    // mov %rcx,%r14; test %edx,%edx; je +3; mov %ecx,%r14d
    assert.equal((await facts(`49 89 ce 85 d2 74 03 41 89 ce ${call}`)).state.registers[r14], argument(3, 32));
  });

  it('are not believed in memory whose address others know', async () => {
    // sub $0x28,%rsp; mov %rdi,0x8(%rsp); mov %rsi,(%rsp); lea 0x8(%rsp),%rdi
    const { state } = await facts(`48 83 ec 28 48 89 7c 24 08 48 89 34 24 48 8d 7c 24 08 ${call}`);
    assert.equal(state.slot(-0x28, 8), undefined);
    assert.equal(state.slot(-0x30, 8), argument(1));
  });

  it('are not believed where they were pushed: they belong to the function that is called', async () => {
    const { state } = await facts(`57 ${call}`); // push %rdi
    assert.equal(state.slot(-16, 8), undefined);
  });

  it('are lost below the stack pointer', async () => {
    const spilled = '48 83 ec 28 48 89 3c 24'; // sub $0x28,%rsp; mov %rdi,(%rsp)
    assert.equal((await facts(`${spilled} ${call}`)).state.slot(-0x30, 8), argument(0));
    const { state } = await facts(`${spilled} 48 83 c4 28 ${call}`); // add $0x28,%rsp
    assert.equal(state.slot(-0x30, 8), undefined);
  });

  it('are those of ways that functions return to', async () => {
    // mov %rdi,%rbx; test %edx,%edx; je +8; mov %rax,%rbx; call a function that never returns
    const code = `48 89 fb 85 d2 74 08 48 89 c3 ${call}`;
    assert.equal((await facts(`${code} ${call}`, 20)).state.registers[rbx], undefined);
    assert.equal((await facts(`${code} ${call}`, 20, [start + 15])).state.registers[rbx], argument(0));
  });

  it('tell which function is called through pointers', async () => {
    // mov 0x150(%rdi),%rax; call *0x70(%rax)
    const { call: behind } = await facts('48 8b 87 50 01 00 00 ff 50 70');
    assert.equal(behind?.target, loaded(loaded(argument(0), 0x150)!, 0x70));
  });

  it('go on in the function that takes the place of the first', async () => {
    const other = 0x2000;
    // mov %rdi,%rsi; xor %edi,%edi; jmp 0x2000
    const code = new TestCode({ [start]: '48 89 fe 31 ff e9 f6 0f 00 00', [other]: ret });
    const state = await tailCall(code, start, other);
    assert.equal(state.passed(0), undefined);
    assert.equal(state.passed(1), argument(0));
    assert.equal(state.passed(6), argument(6));
    await assert.rejects(tailCall(code, start, 0x3000), UnknownFlowError);
  });

  it('are unknown where the code jumps through a table, or is none', async () => {
    await assert.rejects(facts('48 83 ec 08 ff e0'), UnknownFlowError); // sub $8,%rsp; jmp *%rax
    await assert.rejects(facts('cc'), UnknownInstructionError); // a breakpoint
    await assert.rejects(facts(`${ret} ${call}`), UnknownFlowError);
  });

  it('are known in a part of the function that lies elsewhere', async () => {
    const cold = 0x2000;
    // push %rbx; mov %rdi,%rbx; test %edx,%edx; je 0x2000; nop; ret | mov %rax,%rbx; jmp 0x100c
    const code = new TestCode({
      [start]: `53 48 89 fb 85 d2 0f 84 f4 0f 00 00 90 ${ret}`,
      [cold]: '48 89 c3 e9 04 f0 ff ff',
    });
    assert.equal((await argumentFlow(code, start, start + 12)).state.registers[rbx], undefined);
    assert.equal((await argumentFlow(code, start, cold)).state.registers[rbx], argument(0));
  });
});
