/**
 * What the library's machine code refers to, for what has no symbol. Only x86-64 is supported: on other machines
 * nothing is found. The bytes are not disassembled: a match may be part of another instruction, so the caller must be
 * able to verify it.
 */
import type { Module, ProcessImage, Segment } from '../../image';
import { guard } from '../../result';
import { vendorOf } from '../../mpi/vendors';

const opcodes = {
  ...{ call: 0xe8, lea: 0x8d, load: 0x8b, setEdx: 0xba },
  ...{ compareEax: 0x3d, compare: 0x81, addByte: 0x83, addWord: 0x81 },
  /** The prefix of instructions that work with addresses. */
  ...{ rexMask: 0xfb, rexWide: 0x48 },
};
const rsi = 6;
const rdi = 7;
/** An operand with one byte more. */
const withIndex = 4;
/** addq $number, %register. */
const addMode = 0b11_000;
const modeMask = 0xc7;
const relativeMode = 0x05;
const compareMode = 0xf8;
/** The most bytes between loading a word and comparing it: a stack protector's instructions may lie between. */
const nearby = 48;
/** Bytes between a call's arguments. */
const aroundLength = 16;

interface Code {
  address: bigint;
  bytes: DataView;
}

/** The targets of the code's calls, inside the module. */
export function callsIn({ address, bytes }: Code, module: Module): bigint[] {
  const calls: bigint[] = [];
  for (let at = 0; at + 5 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.call) continue;
    const target = targetAt(address, bytes, at + 1);
    if (segmentOf(module, target)?.executable === true) calls.push(target);
  }
  return calls;
}

/** The addresses of constants of the module that the code takes. */
export function constantsIn({ address, bytes }: Code, module: Module): bigint[] {
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

/** The addresses of the module's 32-bit variables that the code loads and then compares with a constant. */
export function variablesComparedWith({ address, bytes }: Code, module: Module, constant: number): bigint[] {
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

/** The offsets of a struct's members of this size that the code copies from or to. */
export function offsetsCopied({ bytes }: Code, length: number): Set<number> {
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

/**
 * Searches an exported function, the functions that it calls, and so on, `depth` levels deep, since it may delegate the
 * work. Reads the whole code of the exported function, and the start of the others.
 */
export async function codeFrom(image: ProcessImage, module: Module, name: string, depth: number): Promise<Code[]> {
  const symbol = await image.findSymbol(name, module);
  if (symbol === undefined) return [];
  const found: Code[] = [];
  const seen = new Set([symbol.address]);
  let functions = [symbol.address];
  for (let level = 0, length = symbol.size || exportedBytes; level <= depth; level++, length = startBytes) {
    const codes = await Promise.all(functions.map((address) => codeAt(image, module, address, length)));
    const read = codes.filter((code) => code !== undefined);
    found.push(...read);
    functions = [...new Set(read.flatMap((code) => callsIn(code, module)))].filter((address) => !seen.has(address));
    for (const address of functions) seen.add(address);
  }
  return found;
}

/** The size of an exported function whose symbol has none, and of the start of a called one. */
const exportedBytes = 1024;
const startBytes = 128;

/** At most `length` bytes of the module's code; undefined where there is none that can, or may, be read. */
export async function codeAt(
  image: ProcessImage,
  module: Module,
  address: bigint,
  length: number,
): Promise<Code | undefined> {
  const segment = segmentOf(module, address);
  if (segment === undefined || !segment.executable) return undefined;
  if ((await vendorOf(image, module)) !== undefined) return undefined;
  const left = Number(segment.address + BigInt(segment.size) - address);
  const read = await guard(() => image.readMemory(address, Math.min(length, left)));
  if (!read.ok) return undefined;
  return { address, bytes: new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength) };
}
