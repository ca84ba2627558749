/** What code of x86-64 refers to, by the bytes that compilers write for it. */
import type { Module, Segment } from '../../image';
import type { Code, CodeReferences } from '../code-references';
import { argumentRegisters, rdi, rsi } from './registers';

const opcodes = {
  ...{ call: 0xe8, lea: 0x8d, load: 0x8b, setEdx: 0xba },
  ...{ compareEax: 0x3d, compare: 0x81, addByte: 0x83, addWord: 0x81, move: 0xc7, return: 0xc3 },
  /** The prefix of instructions that work with addresses. */
  ...{ rexMask: 0xfb, rexWide: 0x48, rexWideHigh: 0x4c, rexBase: 0x41 },
};
/** An operand with one byte more. */
const withIndex = 4;
/** addq $number, %register. */
const addMode = 0b11_000;
const modeMask = 0xc7;
const relativeMode = 0x05;
const compareMode = 0xf8;
/** cmpl of what a register points to. */
const comparePointed = 0x38;
/** The most bytes between loading a word and comparing it: a stack protector's instructions may lie between. */
const nearby = 48;
/** The most bytes between taking a variable's address and comparing what is there. */
const nearbyPointed = 64;
/** Bytes between a call's arguments. */
const aroundLength = 16;

export const references: CodeReferences = {
  callsIn,
  constantsIn,
  variablesComparedWith,
  pointedComparedWith,
  offsetsCopied,
  numbersStored,
};

function callsIn({ address, bytes }: Code, module: Module): bigint[] {
  const calls: bigint[] = [];
  for (let at = 0; at + 5 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.call) continue;
    const target = targetAt(address, bytes, at + 1);
    if (segmentOf(module, target)?.executable === true) calls.push(target);
  }
  return calls;
}

function constantsIn({ address, bytes }: Code, module: Module): bigint[] {
  const constants: bigint[] = [];
  for (let at = 0; at + 7 <= bytes.byteLength; at++) {
    const isLoad =
      (bytes.getUint8(at) & opcodes.rexMask) === opcodes.rexWide &&
      bytes.getUint8(at + 1) === opcodes.lea &&
      (bytes.getUint8(at + 2) & modeMask) === relativeMode;
    if (!isLoad) continue;
    const target = targetAt(address, bytes, at + 3);
    if (segmentOf(module, target)?.writable === false) constants.push(target);
  }
  return constants;
}

function variablesComparedWith({ address, bytes }: Code, module: Module, constant: number): bigint[] {
  const variables: bigint[] = [];
  for (let at = 0; at + 6 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.load || (bytes.getUint8(at + 1) & modeMask) !== relativeMode) continue;
    const register = (bytes.getUint8(at + 1) >> 3) & 7;
    const target = targetAt(address, bytes, at + 2);
    if (segmentOf(module, target)?.writable === true && isComparedIn(bytes, at + 6, register, constant))
      variables.push(target);
  }
  return variables;
}

function offsetsCopied({ bytes }: Code, length: number): Set<number> {
  const offsets = new Set<number>();
  for (let at = 0; at + 5 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.setEdx || bytes.getInt32(at + 1, true) !== length) continue;
    const end = Math.min(at + aroundLength, bytes.byteLength - 8);
    for (let near = Math.max(0, at - aroundLength); near <= end; near++) {
      const offset = offsetOfArgument(bytes, near);
      if (offset !== undefined) offsets.add(offset);
    }
  }
  return offsets;
}

/** What an instruction adds to the address of a struct for a call's first or second argument. */
function offsetOfArgument(bytes: DataView, at: number): number | undefined {
  const [prefix, opcode, operands] = [bytes.getUint8(at), bytes.getUint8(at + 1), bytes.getUint8(at + 2)];
  const register = (operands >> 3) & 7;
  if ((prefix & ~1) === opcodes.rexWide && opcode === opcodes.lea && (register === rsi || register === rdi)) {
    const displacement = at + ((operands & 7) === withIndex ? 4 : 3);
    if (operands >> 6 === 1) return bytes.getInt8(displacement);
    if (operands >> 6 === 2) return bytes.getInt32(displacement, true);
  }
  if (prefix !== opcodes.rexWide || operands >> 3 !== addMode || ![rsi, rdi].includes(operands & 7)) return undefined;
  if (opcode === opcodes.addByte) return bytes.getInt8(at + 3);
  return opcode === opcodes.addWord ? bytes.getInt32(at + 3, true) : undefined;
}

function isComparedIn(bytes: DataView, start: number, register: number, constant: number): boolean {
  const end = Math.min(start + nearby, bytes.byteLength - 6);
  for (let at = start; at <= end; at++) {
    const isCompare = bytes.getUint8(at) === opcodes.compare && bytes.getUint8(at + 1) === compareMode + register;
    if (isCompare && bytes.getInt32(at + 2, true) === constant) return true;
    const isOfEax = register === 0 && bytes.getUint8(at) === opcodes.compareEax;
    if (isOfEax && bytes.getInt32(at + 1, true) === constant) return true;
  }
  return false;
}

/** An address relative to the end of its four bytes, which end the instruction. */
function targetAt(address: bigint, bytes: DataView, at: number): bigint {
  return address + BigInt(at + 4) + BigInt(bytes.getInt32(at, true));
}

function segmentOf({ segments }: Module, address: bigint): Segment | undefined {
  return segments.find((s) => address >= s.address && address < s.address + BigInt(s.size));
}

function pointedComparedWith({ address, bytes }: Code, module: Module, constant: number): bigint[] {
  const variables: bigint[] = [];
  for (let at = 0; at + 7 <= bytes.byteLength; at++) {
    const [prefix, opcode, mode] = [bytes.getUint8(at), bytes.getUint8(at + 1), bytes.getUint8(at + 2)];
    const isHigh = prefix === opcodes.rexWideHigh;
    if ((prefix !== opcodes.rexWide && !isHigh) || opcode !== opcodes.lea) continue;
    if ((mode & modeMask) !== relativeMode) continue;
    const variable = targetAt(address, bytes, at + 3);
    const isVariable = segmentOf(module, variable)?.writable === true;
    if (isVariable && isPointedCompared(bytes, at + 7, (mode >> 3) & 7, isHigh, constant)) variables.push(variable);
  }
  return variables;
}

function isPointedCompared(
  bytes: DataView,
  start: number,
  register: number,
  isHigh: boolean,
  constant: number,
): boolean {
  const end = Math.min(start + nearbyPointed, bytes.byteLength - 6);
  for (let at = start; at <= end; at++) {
    if (bytes.getUint8(at) !== opcodes.compare || bytes.getUint8(at + 1) !== comparePointed + register) continue;
    const hasPrefix = bytes.getUint8(at - 1) === opcodes.rexBase;
    if (hasPrefix === isHigh && bytes.getInt32(at + 2, true) === constant) return true;
  }
  return false;
}

const endbr64 = [0xf3, 0x0f, 0x1e, 0xfa];

/** movl $number,(register), and a ret. */
function numbersStored(code: Uint8Array, count: number): readonly number[] | undefined {
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  const stored = new Map<number, number>();
  let at = endbr64.every((byte, i) => code[i] === byte) ? endbr64.length : 0;
  for (; code[at] === opcodes.move && at + 6 < code.length; at += 6)
    stored.set(code[at + 1]!, view.getUint32(at + 2, true));
  if (code[at] !== opcodes.return) return undefined;
  const numbers = argumentRegisters.slice(0, count).map((register) => stored.get(register));
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
}
