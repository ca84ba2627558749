/** What a small function would return, by its code and the memory that it reads: nothing is run in the process. */
import type { Module, ProcessImage } from '../../image';
import { readPointer } from '../../memory';
import { ModuleCode } from './code';
import { slotOf, type Effect, type MemoryOperand, type Operand } from '../instruction';
import { rax, rbp, rdi, rsp } from '../x86-64/registers';

/** Functions that are not followed: what they would return for their first argument. undefined: they are. */
export type KnownFunction = (name: string, argument: bigint) => Promise<bigint> | undefined;

/** Why it is not known. */
export class UnknownResultError extends Error {}

const maxInstructions = 500;
/** Where no process has memory: what the function keeps on its stack is kept here. */
const stackTop = 1n << 62n;
const maxStack = 1n << 20n;
/** Behind the outermost return. */
const outside = 1n;

/**
 * The value that a function of x86-64 with one argument returns. Rejects with UnknownResultError, UnknownInstructionError and
 * FaultError where it decides anything, or writes memory that is not its own.
 */
export async function returnedValue(
  image: ProcessImage,
  start: bigint,
  argument: bigint,
  known: KnownFunction = () => undefined,
): Promise<bigint> {
  return new Walk(image, known).from(start, argument);
}

type Flow = Awaited<ReturnType<ModuleCode['instructionAt']>>['flow'];

class Walk {
  private readonly registers = new Array<bigint | undefined>(16).fill(undefined);
  private readonly stack = new Map<bigint, bigint | undefined>();
  private readonly codes = new Map<Module, ModuleCode>();
  private module: Module | undefined;

  constructor(
    private readonly image: ProcessImage,
    private readonly known: KnownFunction,
  ) {}

  async from(start: bigint, argument: bigint): Promise<bigint> {
    this.registers[rsp] = stackTop;
    this.registers[rdi] = argument;
    this.push(outside);
    let at = start;
    for (let count = 0; count < maxInstructions && at !== outside; count++) at = await this.step(at);
    return at === outside ? given(this.registers[rax]) : unknown('it takes too long');
  }

  /** Answers where the next instruction is. */
  private async step(at: bigint): Promise<bigint> {
    const { module, code } = await this.codeAt(at);
    const { effect, flow, length } = await code.instructionAt(Number(at - module.bias));
    const next = at + BigInt(length);
    await this.apply(effect, next);
    return this.follow(flow, at, next, module, code);
  }

  private async follow(flow: Flow, at: bigint, next: bigint, module: Module, code: ModuleCode): Promise<bigint> {
    switch (flow.kind) {
      case 'next':
        return next;
      case 'jump':
        return at + BigInt(flow.target);
      case 'call':
        this.push(next);
        return at + BigInt(flow.target);
      case 'indirectCall':
        this.push(next);
        return this.through(flow.through, next, module, code);
      case 'indirectJump':
        return this.through(flow.through, next, module, code);
      case 'end':
        return flow.isReturn ? this.pop() : unknown('it does not return');
      case 'branch':
        return unknown('it decides something');
    }
  }

  /** A slot that links modules may not be filled yet: the function counts that belongs there. */
  private async through(through: Operand, next: bigint, { bias }: Module, code: ModuleCode): Promise<bigint> {
    const slot = slotOf(through, Number(next - bias));
    const name = slot === undefined ? undefined : await code.linkedName(slot);
    if (name === undefined) return given(await this.read(through, 8, next));
    const result = this.known(name, given(this.registers[rdi]));
    if (result !== undefined) {
      this.registers[rax] = await result;
      return this.pop();
    }
    return (await this.image.findSymbol(name))?.address ?? unknown(`${name} is not found`);
  }

  private async apply(effect: Effect, next: bigint): Promise<void> {
    switch (effect.kind) {
      case 'copy': {
        const value = await this.read(effect.from, effect.bytes, next);
        const isSigned = effect.isExtended && value !== undefined;
        this.write(effect.to, effect.isExtended ? 8 : effect.bytes, isSigned ? signExtended(value) : value, next);
        return;
      }
      case 'address':
        this.registers[effect.to] = this.addressOf(effect.of, next);
        return;
      case 'add': {
        const value = this.registers[effect.to];
        this.registers[effect.to] = value === undefined ? undefined : wrapped(value + BigInt(effect.value));
        return;
      }
      case 'push':
        this.push(effect.from === undefined ? undefined : this.registers[effect.from]);
        return;
      case 'pop':
        this.write(effect.to, 8, this.popAny(), next);
        return;
      case 'leave':
        this.registers[rsp] = this.registers[rbp];
        this.registers[rbp] = this.popAny();
        return;
      case 'write': {
        const { memory, registers, constant } = effect;
        if (memory !== undefined) this.write({ kind: 'memory', ...memory.operand }, memory.bytes, undefined, next);
        for (const register of registers) this.registers[register] = constant;
        return;
      }
      case 'writeString':
        unknown('it writes memory');
    }
  }

  private async read(from: Operand, bytes: number, next: bigint): Promise<bigint | undefined> {
    const bits = 8 * bytes;
    if (from.kind === 'register') {
      const value = this.registers[from.number];
      return value === undefined ? undefined : BigInt.asUintN(bits, value);
    }
    const address = this.addressOf(from, next);
    if (address === undefined) return undefined;
    const value = isOwn(address) ? this.stack.get(address) : await readPointer(this.image, address);
    return value === undefined ? undefined : BigInt.asUintN(bits, value);
  }

  private write(to: Operand, bytes: number, value: bigint | undefined, next: bigint): void {
    if (to.kind === 'register') {
      this.registers[to.number] = value;
      return;
    }
    const address = this.addressOf(to, next);
    if (address === undefined || !isOwn(address)) unknown('it writes memory');
    // Slots that overlap others are not kept.
    for (const each of this.stack.keys())
      if (each < address + BigInt(bytes) && address < each + 8n) this.stack.delete(each);
    if (bytes === 8) this.stack.set(address, value);
  }

  private addressOf(
    { base, index, displacement, isRelative, isExact }: MemoryOperand,
    next: bigint,
  ): bigint | undefined {
    if (!isExact || index !== undefined) return undefined;
    const from = isRelative ? next : base === undefined ? 0n : this.registers[base];
    return from === undefined ? undefined : wrapped(from + BigInt(displacement));
  }

  private push(value: bigint | undefined): void {
    this.registers[rsp] = given(this.registers[rsp]) - 8n;
    this.stack.set(given(this.registers[rsp]), value);
  }

  private popAny(): bigint | undefined {
    const at = given(this.registers[rsp]);
    this.registers[rsp] = at + 8n;
    return this.stack.get(at);
  }

  private pop(): bigint {
    return given(this.popAny());
  }

  private async codeAt(address: bigint): Promise<{ module: Module; code: ModuleCode }> {
    const isIn = ({ segments }: Module): boolean =>
      segments.some((each) => each.executable && each.address <= address && address < each.address + BigInt(each.size));
    if (this.module === undefined || !isIn(this.module)) this.module = (await this.image.modules()).find(isIn);
    const { module } = this;
    if (module === undefined) return unknown('there is no code');
    let code = this.codes.get(module);
    if (code === undefined) this.codes.set(module, (code = new ModuleCode(this.image, module)));
    return { module, code };
  }
}

function isOwn(address: bigint): boolean {
  return address <= stackTop && address > stackTop - maxStack;
}

function given(value: bigint | undefined): bigint {
  return value ?? unknown('a value in it is not known');
}

function unknown(why: string): never {
  throw new UnknownResultError(why);
}

function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function signExtended(value: bigint): bigint {
  return wrapped(BigInt.asIntN(32, value));
}
