/** What one instruction leaves of what was known. */
import type { FrameState } from './frame-state';
import { rbp, rsp, scratchRegisters } from '../x86-64/registers';
import type { Instruction, MemoryOperand, Operand } from '../instruction';
import { frameAddress, loaded, lowerHalf, moduleAddress, type Value } from './value';

/** Changes `state` into that behind the instruction; `next`: its end's address in the module. */
export function step(state: FrameState, { effect, flow }: Instruction, next: number): void {
  switch (effect.kind) {
    case 'copy':
      copy(state, effect, next);
      break;
    case 'address':
      exposePart(state, effect.of);
      state.setRegister(effect.to, addressOf(state, effect.of, next));
      break;
    case 'add':
      state.setRegister(effect.to, shifted(state.registers[effect.to], effect.value));
      break;
    case 'push':
      moveStack(state, -8);
      // It may be an argument of a call, which belongs to the callee.
      if (state.stackOffset === undefined) state.forgetFrom(-Infinity);
      else state.forget(state.stackOffset, 8);
      break;
    case 'pop':
      pop(state, effect.to, next);
      break;
    case 'leave':
      state.setRegister(rsp, state.registers[rbp]);
      pop(state, { kind: 'register', number: rbp }, next);
      break;
    case 'write':
      if (effect.memory !== undefined) write(state, effect.memory.operand, effect.memory.bytes, next);
      for (const register of effect.registers) state.setRegister(register, undefined);
      break;
    case 'writeString': {
      const to = state.registers[7];
      if (to?.kind === 'frame') state.forgetFrom(to.offset);
      for (const register of [1, 6, 7]) state.setRegister(register, undefined);
      break;
    }
  }
  if (flow.kind === 'call' || flow.kind === 'indirectCall') {
    for (const register of scratchRegisters) state.setRegister(register, undefined);
    if (state.stackOffset !== undefined) state.forgetBelow(state.stackOffset);
  }
}

/** What an operand of 8 bytes holds. */
export function valueOf(state: FrameState, operand: Operand, next: number): Value | undefined {
  return read(state, operand, 8, next);
}

type Copy = Extract<Instruction['effect'], { kind: 'copy' }>;

function copy(state: FrameState, { to, from, bytes, isExtended }: Copy, next: number): void {
  const value = read(state, from, bytes, next);
  if (to.kind === 'register') return state.setRegister(to.number, value);
  const target = addressOf(state, to, next);
  if (target?.kind === 'frame') state.setSlot(target.offset, isExtended ? 8 : bytes, value);
  else write(state, to, bytes, next);
}

function read(state: FrameState, from: Operand, bytes: 4 | 8, next: number): Value | undefined {
  if (from.kind === 'register') {
    const value = state.registers[from.number];
    return bytes === 8 ? value : lowerHalf(value);
  }
  const address = addressOf(state, from, next);
  if (address?.kind === 'frame') return state.slot(address.offset, bytes);
  if (bytes !== 8 || from.index !== undefined || !from.isExact) return undefined;
  if (address?.kind === 'module') return loaded(address, 0);
  const base = from.base === undefined ? undefined : state.registers[from.base];
  return base === undefined ? undefined : loaded(base, from.displacement);
}

/** undefined: it is not known, or is no place of the stack or the module. */
function addressOf(state: FrameState, operand: MemoryOperand, next: number): Value | undefined {
  const { base, index, displacement, isRelative, isExact } = operand;
  if (index !== undefined || !isExact) return undefined;
  if (isRelative) return moduleAddress(next + displacement);
  return base === undefined ? undefined : shifted(state.registers[base], displacement);
}

/** An address inside an array: it is known from its beginning on. */
function exposePart(state: FrameState, { base, index, displacement }: MemoryOperand): void {
  if (index === undefined) return;
  for (const register of [base, index]) {
    const start = register === undefined ? undefined : state.registers[register];
    if (start?.kind === 'frame') state.expose(start.offset + Math.min(0, displacement));
  }
}

function shifted(value: Value | undefined, by: number): Value | undefined {
  if (value?.kind === 'frame') return frameAddress(value.offset + by);
  return by === 0 ? value : undefined;
}

/** Memory that is not on the stack has no slots: their addresses are known to nobody else. */
function write(state: FrameState, operand: MemoryOperand, bytes: number, next: number): void {
  const target = addressOf(state, operand, next);
  if (target?.kind === 'frame') return state.forget(target.offset, bytes);
  const { base, index } = operand;
  for (const register of [base, index]) {
    if (register === undefined) continue;
    const start = state.registers[register];
    if (start?.kind === 'frame') state.forgetFrom(start.offset + Math.min(0, operand.displacement));
    else if (register === rsp) state.forgetFrom(-Infinity); // aligned: somewhere on the stack
  }
}

function moveStack(state: FrameState, by: number): void {
  state.setRegister(rsp, shifted(state.registers[rsp], by));
}

function pop(state: FrameState, to: Operand, next: number): void {
  const offset = state.stackOffset;
  const value = offset === undefined ? undefined : state.slot(offset, 8);
  moveStack(state, 8);
  if (to.kind === 'register') state.setRegister(to.number, value);
  else write(state, to, 8, next);
}
