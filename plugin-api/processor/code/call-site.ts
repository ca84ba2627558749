/**
 * What a function has put into the registers of arguments before a call, told by where that still is while the call has not returned: in
 * constants, in registers that calls keep, and in memory that the code has read them from. Only the instructions that run one after the
 * other up to the call are looked at: what was known before a place that others jump to is forgotten.
 */
import type { CodeSource } from './code';
import { jumpTargets } from './jump-tables';
import { argumentRegisters, rsp, savedRegisters, scratchRegisters } from '../x86-64/registers';
import type { Instruction, MemoryOperand, Operand } from '../instruction';

/** Where a value is while the function waits for its call. */
export type Origin =
  | { kind: 'constant'; value: bigint }
  /** One that calls keep. */
  | { kind: 'register'; number: number }
  /** In the module, as its file counts. */
  | { kind: 'address'; address: number }
  /** The address of a local variable: of the register's value, which is rsp where it stands when the call returns, or one that calls keep. */
  | { kind: 'place'; base: number; offset: number }
  /** What lies at a place, or in the module. */
  | { kind: 'memory'; base: number; offset: number }
  | { kind: 'global'; address: number };

export interface OriginOfArgument {
  origin: Origin;
  /** 32: of the rest nothing is known. */
  bits: 32 | 64;
}

const maxInstructions = 30_000;

/** Bytes that the stack grows by for one call. */
const maxAdded = 256;

/**
 * `start`: of the function; `behind`: the address that the call returns to. By the arguments' index; those in memory are not told. Rejects
 * with UnknownInstructionError.
 */
export async function argumentsAtCall(
  code: CodeSource,
  start: number,
  behind: number,
): Promise<ReadonlyMap<number, OriginOfArgument>> {
  return (await lineBefore(code, start, behind))?.atCall() ?? new Map();
}

/**
 * Whether the argument in memory with this index, 0 for the first there, was certainly not given: its place was added to the stack since the call before,
 * to keep it aligned, say, and nothing has been written to it. Otherwise as argumentsAtCall.
 */
export async function isLeftOut(code: CodeSource, start: number, behind: number, index: number): Promise<boolean> {
  return (await lineBefore(code, start, behind))?.isUnwritten(8 * index) === true;
}

/** undefined: the instructions before the call are not known. */
async function lineBefore(code: CodeSource, start: number, behind: number): Promise<StraightLine | undefined> {
  const all: { at: number; next: number; instruction: Instruction }[] = [];
  const targets = new Set<number>();
  const piece = await code.pieceAt(start);
  if (piece === undefined || piece.start !== start || behind > piece.end) return undefined;
  for (let at = start; at < piece.end && all.length < maxInstructions;) {
    const instruction = await code.instructionAt(at);
    const next = at + instruction.length;
    const { flow } = instruction;
    if (flow.kind === 'branch' || flow.kind === 'jump') targets.add(at + flow.target);
    all.push({ at, next, instruction });
    at = next;
  }
  const ofTables = await jumpTargets(code, piece, all);
  if (ofTables === undefined) return undefined;
  for (const target of ofTables) targets.add(target);
  const instructions = all.filter(({ next }) => next <= behind);
  const last = instructions.at(-1);
  if (last?.next !== behind || !/call/i.test(last.instruction.flow.kind)) return undefined;
  let straight = new StraightLine();
  for (const { at, next, instruction } of instructions.slice(0, -1)) {
    if (targets.has(at)) straight = new StraightLine();
    straight.step(instruction, next);
  }
  return targets.has(last.at) ? undefined : straight;
}

/** `offset` of rsp counts from where it stood at the beginning of the line. */
class StraightLine {
  private readonly registers = new Map<number, OriginOfArgument>();
  private stack = 0;
  /** Places of 8 bytes that were added to the stack and not written. */
  private readonly unwritten = new Set<number>();

  constructor() {
    this.forgetAll();
  }

  step({ effect, flow }: Instruction, next: number): void {
    switch (effect.kind) {
      case 'copy':
        this.copy(effect, next);
        break;
      case 'address':
        this.set(effect.to, this.addressOf(effect.of, next));
        break;
      case 'add':
        if (effect.to === rsp) this.moveStack(effect.value);
        else this.set(effect.to, undefined);
        break;
      case 'push':
        // Below all that is in use.
        this.stack -= 8;
        break;
      case 'pop':
        this.moveStack(8);
        if (effect.to.kind === 'register') this.set(effect.to.number, undefined);
        else this.written(effect.to, 8, next);
        break;
      case 'leave':
        this.forgetStack();
        break;
      case 'write':
        if (effect.memory !== undefined) this.written(effect.memory.operand, effect.memory.bytes, next);
        for (const number of effect.registers)
          this.set(
            number,
            effect.constant === undefined ? undefined : { kind: 'constant', value: effect.constant },
            64,
          );
        break;
      case 'writeString':
        this.forgetMemory();
        for (const number of [1, 6, 7]) this.set(number, undefined);
        break;
    }
    if (flow.kind === 'call' || flow.kind === 'indirectCall') {
      this.forgetMemory();
      for (const number of scratchRegisters) this.set(number, undefined);
    }
    if (flow.kind === 'jump' || flow.kind === 'indirectJump' || flow.kind === 'end') this.forgetAll();
  }

  isUnwritten(offset: number): boolean {
    return this.unwritten.has(this.stack + offset);
  }

  private moveStack(by: number): void {
    const before = this.stack;
    this.stack += by;
    for (let place = before - 8; place >= this.stack && place >= before - maxAdded; place -= 8)
      this.unwritten.add(place);
    for (const place of this.unwritten) if (place < this.stack) this.unwritten.delete(place);
  }

  /** A variable whose address is passed may be what the call has written to. */
  atCall(): ReadonlyMap<number, OriginOfArgument> {
    const passed = argumentRegisters.flatMap((register, index) => {
      const known = this.registers.get(register);
      return known === undefined ? [] : ([[index, { ...known, origin: this.fromEnd(known.origin) }]] as const);
    });
    const isPassed = ({ origin }: OriginOfArgument): boolean =>
      passed.some(
        ([, { origin: other }]) =>
          (origin.kind === 'memory' &&
            other.kind === 'place' &&
            origin.base === other.base &&
            origin.offset === other.offset) ||
          (origin.kind === 'global' && other.kind === 'address' && origin.address === other.address),
      );
    return new Map(passed.filter(([, each]) => !isPassed(each)));
  }

  /** Places on the stack by where rsp stands at the call. */
  private fromEnd(origin: Origin): Origin {
    const isOfStack = (origin.kind === 'place' || origin.kind === 'memory') && origin.base === rsp;
    return isOfStack ? { ...origin, offset: origin.offset - this.stack } : origin;
  }

  private copy({ to, from, bytes, isExtended }: Extract<Instruction['effect'], { kind: 'copy' }>, next: number): void {
    if (to.kind === 'memory') return this.written(to, isExtended ? 8 : bytes, next);
    if (to.number === rsp) return this.forgetStack();
    const value = this.read(from, next);
    const bits = bytes === 8 && !isExtended ? (value?.bits ?? 64) : 32;
    this.set(to.number, value?.origin, bits);
  }

  private read(from: Operand, next: number): OriginOfArgument | undefined {
    if (from.kind === 'register') return this.registers.get(from.number);
    const address = this.addressOf(from, next);
    if (address?.kind === 'address') return { origin: { kind: 'global', address: address.address }, bits: 64 };
    if (address?.kind === 'place') return { origin: { ...address, kind: 'memory' }, bits: 64 };
    return undefined;
  }

  private addressOf({ base, index, displacement, isRelative, isExact }: MemoryOperand, next: number) {
    if (index !== undefined || !isExact) return undefined;
    if (isRelative) return { kind: 'address', address: next + displacement } as const;
    if (base === rsp && Number.isNaN(this.stack)) return undefined;
    if (base === rsp) return { kind: 'place', base: rsp, offset: this.stack + displacement } as const;
    const origin = base === undefined ? undefined : this.registers.get(base)?.origin;
    if (origin?.kind === 'register') return { kind: 'place', base: origin.number, offset: displacement } as const;
    if (origin?.kind === 'place') return { ...origin, offset: origin.offset + displacement };
    return undefined;
  }

  private set(number: number, origin: Origin | undefined, bits: 32 | 64 = 64): void {
    if (number === rsp) return this.forgetStack();
    if (!(savedRegisters as readonly number[]).includes(number)) {
      if (origin === undefined) this.registers.delete(number);
      else this.registers.set(number, { origin, bits });
      return;
    }
    // What was told by its old value cannot be found any more. What it holds at the call, whatever that is, can.
    for (const [register, { origin: of }] of this.registers) if (isBy(of, number)) this.registers.delete(register);
    this.registers.set(number, { origin: { kind: 'register', number }, bits: 64 });
  }

  /** Memory elsewhere may be what another pointer leads to. */
  private written(operand: MemoryOperand, bytes: number, next: number): void {
    const to = this.addressOf(operand, next);
    if (to?.kind === 'place' && to.base === rsp) {
      for (const place of this.unwritten)
        if (place < to.offset + bytes && to.offset < place + 8) this.unwritten.delete(place);
    } else this.unwritten.clear();
    for (const [register, { origin }] of this.registers) {
      if (origin.kind !== 'memory' && origin.kind !== 'global') continue;
      const isApart =
        to !== undefined &&
        (to.kind === 'place' && origin.kind === 'memory'
          ? to.base === origin.base && (to.offset + bytes <= origin.offset || origin.offset + 8 <= to.offset)
          : to.kind === 'address' && origin.kind === 'global'
            ? to.address + bytes <= origin.address || origin.address + 8 <= to.address
            : to.kind === 'place' && to.base === rsp && origin.kind === 'global');
      if (!isApart) this.registers.delete(register);
    }
  }

  private forgetMemory(): void {
    this.unwritten.clear();
    for (const [register, { origin }] of this.registers)
      if (origin.kind === 'memory' || origin.kind === 'global') this.registers.delete(register);
  }

  /** It stands where nobody knows. */
  private forgetStack(): void {
    for (const [register, { origin }] of this.registers) if (isBy(origin, rsp)) this.registers.delete(register);
    this.stack = NaN;
    this.unwritten.clear();
  }

  private forgetAll(): void {
    this.registers.clear();
    this.unwritten.clear();
    for (const number of savedRegisters) this.registers.set(number, { origin: { kind: 'register', number }, bits: 64 });
  }
}

function isBy(origin: Origin, number: number): boolean {
  return (
    (origin.kind === 'register' && origin.number === number) ||
    ((origin.kind === 'place' || origin.kind === 'memory') && origin.base === number)
  );
}
