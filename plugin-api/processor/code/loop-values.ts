/** What the instructions of a loop compute, as far as it depends on nothing but places in memory that the loop itself does not write. */
import { ruleOf } from '../x86-64/instruction-reads';
import type { Effect, Instruction, InstructionForm, MemoryOperand, Operand } from '../instruction';
import { rax, rcx } from '../x86-64/registers';

export interface PolledPlace {
  address: bigint;
  bytes: number;
}

/**
 * The same each time that the loop comes there, as long as nobody writes to `places`. undefined: it may differ each time.
 * `value`: what it is, if that is known. `madeAt`: the instruction that has computed it; what it computes does not change. `bytes`: so many
 * of a register's are known.
 */
export type Steady = { places: readonly PolledPlace[]; value?: bigint; madeAt?: number; bytes?: 1 | 2 } | undefined;

/** The process, and the frame that the loop is in. */
export interface LoopFrame {
  /** undefined: it is not known. */
  register: (number: number) => bigint | undefined;
  /** What is added to an address of the module. */
  bias: bigint;
  /** undefined: it cannot be read. */
  read: (place: PolledPlace) => Promise<bigint | undefined>;
}

const constant: Steady = { places: [] };

/** What holds at one instruction of the loop. */
export class LoopState {
  private constructor(
    private readonly frame: LoopFrame,
    /** Where the loop writes. */
    private readonly written: readonly PolledPlace[],
    private readonly registers: Steady[],
    private readonly slots: Map<bigint, Steady>,
    public flags: Steady,
  ) {}

  /** Nothing is known of what the loop writes. */
  static before(frame: LoopFrame, changed: ReadonlySet<number>, written: readonly PolledPlace[]): LoopState {
    const registers = Array.from({ length: 16 }, (_, number): Steady => {
      if (changed.has(number)) return undefined;
      const value = frame.register(number);
      return value === undefined ? constant : { places: [], value };
    });
    return new LoopState(frame, written, registers, new Map(), undefined);
  }

  copy(): LoopState {
    return new LoopState(this.frame, this.written, [...this.registers], new Map(this.slots), this.flags);
  }

  /** Keeps what holds in both; false: nothing has changed. */
  join(other: LoopState): boolean {
    let isChanged = false;
    const joined = (one: Steady, another: Steady): Steady => {
      if (one === undefined || isSame(one, another)) return one;
      isChanged = true;
      return undefined;
    };
    this.registers.forEach((own, number) => (this.registers[number] = joined(own, other.registers[number])));
    for (const [address, own] of this.slots) this.slots.set(address, joined(own, other.slots.get(address)));
    this.flags = joined(this.flags, other.flags);
    return isChanged;
  }

  /** Changes it into what holds behind the instruction; `next`: the address behind it. */
  async step(instruction: Instruction, next: number): Promise<void> {
    const { effect, form } = instruction;
    switch (effect.kind) {
      case 'copy': {
        const from = await this.operand(effect.from, effect.bytes, next);
        const value = effect.isExtended ? extended(from, 32) : from;
        return this.assign(effect.to, effect.isExtended ? 8 : effect.bytes, value, next);
      }
      case 'address':
        this.registers[effect.to] = this.addressOf(effect.of, next);
        return;
      case 'add': {
        const own = this.register(effect.to, 8);
        const value = own?.value === undefined ? {} : { value: BigInt.asUintN(64, own.value + BigInt(effect.value)) };
        this.registers[effect.to] = own && { places: own.places, madeAt: next, ...value };
        this.flags = this.registers[effect.to];
        return;
      }
      case 'write':
        return this.write(effect, form, next);
      default:
        throw new UnknownLoopError();
    }
  }

  /** Behind a call that keeps memory and returns `result`. */
  called(scratch: readonly number[], result: Steady): void {
    for (const number of scratch) this.registers[number] = undefined;
    this.registers[rax] = result;
    this.flags = undefined;
  }

  async load(address: bigint | undefined, bytes: number): Promise<Steady> {
    if (address === undefined) return undefined;
    const place = { address, bytes };
    if (this.written.some((each) => overlaps(each, place))) {
      const slot = this.written.find((each) => each.address === address && each.bytes === bytes);
      return slot === undefined ? undefined : this.slots.get(address);
    }
    const value = await this.frame.read(place);
    return { places: [place], ...(value === undefined ? {} : { value }) };
  }

  /** Its lowest bytes. */
  register(number: number, bytes: number): Steady {
    const own = this.registers[number];
    return own?.bytes !== undefined && own.bytes < bytes ? undefined : own;
  }

  /** The address itself, and what it depends on. */
  addressOf({ base, index, scale, displacement, isRelative, isExact }: MemoryOperand, next: number): Steady {
    if (!isExact) return undefined;
    if (isRelative) return { places: [], value: this.frame.bias + BigInt(next + displacement) };
    const parts = [base, index].flatMap((number) => (number === undefined ? [] : [this.register(number, 8)]));
    const all = united(parts);
    if (all === undefined) return undefined;
    const valueOf = (number: number | undefined): bigint | undefined =>
      number === undefined ? 0n : this.registers[number]?.value;
    const [from, by] = [valueOf(base), valueOf(index)];
    if (from === undefined || by === undefined) return { places: all.places };
    return { places: all.places, value: BigInt.asUintN(64, from + by * BigInt(scale) + BigInt(displacement)) };
  }

  private async operand(operand: Operand, bytes: number, next: number): Promise<Steady> {
    if (operand.kind === 'memory') return this.load(this.addressOf(operand, next)?.value, bytes);
    const own = this.register(operand.number, bytes);
    return own?.value === undefined || bytes === 8 ? own : { ...own, value: BigInt.asUintN(8 * bytes, own.value) };
  }

  private assign(to: Operand, bytes: number, value: Steady, next: number): void {
    if (to.kind === 'register') this.registers[to.number] = value;
    else this.store(to, bytes, value, next);
  }

  private store(to: MemoryOperand, bytes: number, value: Steady, next: number): void {
    const address = this.addressOf(to, next)?.value;
    if (address === undefined) throw new UnknownLoopError();
    const place = { address, bytes };
    // What the first walk did not see, as it did not know this address yet.
    if (!this.written.some((each) => each.address === address && each.bytes === bytes)) throw new UnknownLoopError();
    for (const each of this.slots.keys())
      if (overlaps(place, { address: each, bytes: 8 })) this.slots.set(each, undefined);
    this.slots.set(address, value);
  }

  private async write(effect: Extract<Effect, { kind: 'write' }>, form: InstructionForm, next: number): Promise<void> {
    const { registers, memory, constant: value } = effect;
    if (value !== undefined) {
      for (const number of registers) this.registers[number] = { places: [], value };
      // A register that is combined with itself.
      if ((form.opcode ?? 0) < 0x40) this.flags = { places: [] };
      return;
    }
    const computed = await this.computed(form, next);
    for (const number of registers) this.registers[number] = computed.result;
    if (memory !== undefined) this.store(memory.operand, memory.bytes, computed.result, next);
    if (computed.flags !== 'kept') this.flags = computed.flags;
  }

  private async computed(form: InstructionForm, next: number): Promise<{ result: Steady; flags: Steady | 'kept' }> {
    const rule = ruleOf(form);
    if (rule === undefined) return { result: undefined, flags: undefined };
    const { operands } = form;
    const bytes = rule.bytes ?? form.bytes;
    const parts: Steady[] = [];
    for (const from of rule.from) {
      if (from === 'register') parts.push(operands && this.register(operands.register, bytes));
      if (from === 'other') parts.push(operands && (await this.operand(operands.other, bytes, next)));
      if (from === 'rax') parts.push(this.register(rax, bytes));
      if (from === 'rcx') parts.push(this.register(rcx, 1));
      if (from === 'flags') parts.push(this.flags);
    }
    const all = united(parts);
    const value = rule.bytes === undefined ? computedValue(form, parts) : undefined;
    const made = all && { places: all.places, madeAt: next, ...(value === undefined ? {} : { value }) };
    const [only] = parts;
    const result = rule.extends === true ? extended(only, 32) : made;
    const written = rule.writes ?? bytes;
    return {
      result: result && written < 4 ? { ...result, bytes: written as 1 | 2 } : result,
      flags: rule.setsFlags ? made : 'kept',
    };
  }
}

/** The loop does something whose effect is not followed. */
export class UnknownLoopError extends Error {}

function overlaps(one: PolledPlace, other: PolledPlace): boolean {
  return one.address < other.address + BigInt(other.bytes) && other.address < one.address + BigInt(one.bytes);
}

/** What depends on all of them. */
export function united(all: readonly Steady[]): Steady {
  const places = new Map<string, PolledPlace>();
  for (const each of all) {
    if (each === undefined) return undefined;
    for (const place of each.places) places.set(`${place.address} ${place.bytes}`, place);
  }
  return { places: [...places.values()] };
}

/** For sums, differences, products and shifts to the left, as addresses of elements are made of them; `parts`: the register's, then the other operand. */
function computedValue(form: InstructionForm, parts: readonly Steady[]): bigint | undefined {
  const { opcode, bytes, immediate, operands } = form;
  const [register, other] = parts.map((part) => part?.value);
  const isShift = opcode === 0xc1 && ((operands?.register ?? 0) & 7) === 4 && bytes >= 4;
  // The operand of a shift is its first part. Processors count in so many bits.
  if (isShift && register !== undefined && immediate !== undefined)
    return BigInt.asUintN(8 * bytes, register << BigInt(immediate & (8 * bytes - 1)));
  if (register === undefined || other === undefined || bytes < 4) return undefined;
  const result = ((): bigint | undefined => {
    switch (opcode) {
      case 0x01:
      case 0x03:
        return register + other;
      case 0x29:
        return other - register;
      case 0x2b:
        return register - other;
      case 0x0faf:
        return register * other;
      default:
        return undefined;
    }
  })();
  return result === undefined ? undefined : BigInt.asUintN(8 * bytes, result);
}

function isSame(one: NonNullable<Steady>, other: Steady): boolean {
  return (
    other !== undefined &&
    one.value === other.value &&
    one.bytes === other.bytes &&
    (one.value !== undefined || (one.madeAt !== undefined && one.madeAt === other.madeAt)) &&
    united([one, other])!.places.length === one.places.length &&
    one.places.length === other.places.length
  );
}

function extended(value: Steady, bits: number): Steady {
  return value?.value === undefined ? value : { ...value, value: BigInt.asUintN(64, BigInt.asIntN(bits, value.value)) };
}
