/** What is known of registers and the stack at one place of a function. */
import { argumentRegisters, rbp, rsp } from '../x86-64/registers';
import { argument, common, frameAddress, type Value } from './value';

const registerCount = 16;
/** Its offset from the CFA. */
const returnAddress = -8;
const maxStackArguments = 16;

interface Slot {
  value: Value;
  bytes: 4 | 8;
}

export class FrameState {
  private constructor(
    readonly registers: (Value | undefined)[],
    /** By their offset from the CFA. */
    private readonly slots: Map<number, Slot>,
    /** From here on upwards, local variables whose address is known elsewhere; calls may change them. */
    private exposedLocals: number,
    /** From here on upwards, arguments from the caller whose address is known elsewhere; calls may change them. */
    private exposedArguments: number,
  ) {}

  /** Where a function begins. */
  static atEntry(): FrameState {
    const registers = new Array<Value | undefined>(registerCount).fill(undefined);
    argumentRegisters.forEach((register, index) => (registers[register] = argument(index)));
    registers[rsp] = frameAddress(-8);
    const slots = new Map<number, Slot>();
    for (let i = 0; i < maxStackArguments; i++)
      slots.set(8 * i, { value: argument(argumentRegisters.length + i), bytes: 8 });
    return new FrameState(registers, slots, Infinity, Infinity);
  }

  copy(): FrameState {
    return new FrameState([...this.registers], new Map(this.slots), this.exposedLocals, this.exposedArguments);
  }

  /** Keeps what both know; true when that is less than before. */
  join(other: FrameState): boolean {
    let isLess = false;
    for (let i = 0; i < registerCount; i++) {
      const kept = common(this.registers[i], other.registers[i]);
      if (kept === this.registers[i]) continue;
      this.registers[i] = kept;
      isLess = true;
    }
    for (const [offset, { value, bytes }] of this.slots) {
      const same = other.slots.get(offset);
      const kept = common(value, same?.value);
      if (kept === value && same?.bytes === bytes) continue;
      if (kept?.kind === 'argument' && same !== undefined)
        this.slots.set(offset, { value: argument(kept.index, 32), bytes: 4 });
      else this.slots.delete(offset);
      isLess ||= kept !== value || bytes === 8;
    }
    if (other.exposedLocals < this.exposedLocals || other.exposedArguments < this.exposedArguments) {
      this.exposedLocals = Math.min(this.exposedLocals, other.exposedLocals);
      this.exposedArguments = Math.min(this.exposedArguments, other.exposedArguments);
      isLess = true;
    }
    return isLess;
  }

  /** The offset of the stack pointer from the CFA; undefined: not known. */
  get stackOffset(): number | undefined {
    const value = this.registers[rsp];
    return value?.kind === 'frame' ? value.offset : undefined;
  }

  setRegister(register: number, value: Value | undefined): void {
    this.registers[register] = value;
    if (value?.kind === 'frame' && register !== rsp && register !== rbp) this.expose(value.offset);
  }

  /** undefined: nothing is known of it. */
  slot(offset: number, bytes: 4 | 8): Value | undefined {
    const slot = this.slots.get(offset);
    if (slot === undefined || slot.bytes < bytes) return undefined;
    if (slot.bytes === bytes) return slot.value;
    return slot.value.kind === 'argument' ? argument(slot.value.index, 32) : undefined;
  }

  /** The argument that a function gets when it begins here, in place of this one. */
  passed(index: number): Value | undefined {
    const register = argumentRegisters[index];
    return register === undefined ? this.slot(8 * (index - argumentRegisters.length), 8) : this.registers[register];
  }

  /** All slots with what is in them. */
  *known(): Iterable<{ offset: number; value: Value }> {
    for (const [offset, { value }] of this.slots) yield { offset, value };
  }

  setSlot(offset: number, bytes: 4 | 8, value: Value | undefined): void {
    this.forget(offset, bytes);
    if (value?.kind === 'frame') this.expose(value.offset);
    if (value !== undefined && !this.isExposed(offset)) this.slots.set(offset, { value, bytes });
  }

  /** So many bytes have been written. */
  forget(offset: number, bytes: number): void {
    for (const [at, slot] of this.slots) if (at < offset + bytes && offset < at + slot.bytes) this.slots.delete(at);
  }

  /** The callee's own memory. */
  forgetBelow(offset: number): void {
    for (const at of this.slots.keys()) if (at < offset) this.slots.delete(at);
  }

  /** Forgets an array or struct that begins there: it does not reach beyond the return address. */
  forgetFrom(offset: number): void {
    const end = offset < returnAddress ? returnAddress : Infinity;
    for (const at of this.slots.keys()) if (at >= offset && at < end) this.slots.delete(at);
  }

  /** The address of something that begins there gets known. */
  expose(offset: number): void {
    if (offset < returnAddress) this.exposedLocals = Math.min(this.exposedLocals, offset);
    else this.exposedArguments = Math.min(this.exposedArguments, offset);
    this.forgetFrom(offset);
  }

  private isExposed(offset: number): boolean {
    return offset >= (offset < returnAddress ? this.exposedLocals : this.exposedArguments);
  }
}
