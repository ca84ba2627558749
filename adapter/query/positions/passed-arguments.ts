/**
 * What a function was called with, while it waits for another one: copies of its arguments that its code has put into
 * registers and slots of the stack, also those that the functions it has called have kept.
 */
import type { Module, ProcessImage } from '../../../plugin-api/image';
import { readPointer } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import {
  argumentFlow,
  type FrameFacts,
  tailCall,
  UnknownFlowError,
} from '../../../plugin-api/processor/code/argument-flow';
import { ModuleCode } from '../../../plugin-api/processor/code/code';
import type { Register } from '../../../plugin-api/processor/processor';
import type { Registers } from '../../../plugin-api/processor/registers';
import { functionAt } from '../../../plugin-api/processor/unwind/function-bounds';
import { UnknownInstructionError } from '../../../plugin-api/processor/instruction';
import type { Value } from '../../../plugin-api/processor/code/value';
import { KnownCode } from './known-code';
import { behindPlt, moduleAt } from './called-function';
import type { ReadStack } from '../../stacks/frame';

/** An argument's 8 bytes, or 4 of them. */
export interface Passed {
  value: bigint;
  bits: 32 | 64;
}

/** Why something is not known: a part of a sentence. */
export class LostError extends Error {}

/** For the arguments of a function, by their index, which of the first function's arguments they are. */
type Origins = Map<number, { index: number; bits: 32 | 64 }>;

/** No call of MPI has more. */
const maxArguments = 22;

/** Callees that are looked into. */
const maxDepth = 6;

/** A stack with the memory of its process. */
export interface StoppedStack extends ReadStack {
  image: ProcessImage;
}

/** The frame and what is known there. */
interface KnownFrame {
  level: number;
  module: Module;
  /** Where its function begins. */
  start: bigint;
  registers: Registers;
  cfa: bigint;
  facts: FrameFacts;
}

/**
 * The arguments of the function of this frame, which begins at `start`, by their index. `wanted`: until all of them are found, callees are looked
 * into. Throws LostError when nothing can be known.
 */
export async function passedArguments(
  stack: StoppedStack,
  level: number,
  start: bigint,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, Passed>> {
  const found = new Map<number, Passed>();
  /** For each argument of the function that is looked at, which of the first one's it is. */
  let origin: Origins = new Map(Array.from({ length: maxArguments }, (_, index) => [index, { index, bits: 64 }]));
  for (let depth = 0; depth < maxDepth && level - depth >= 0; depth++) {
    const known = await tryFrame(stack, level - depth, depth);
    if (known === undefined) break;
    if (depth === 0 && known.start !== start) origin = await throughTailCall(stack.image, known, start);
    const copies = await copiesIn(stack.image, known);
    for (const [index, passed] of copies) {
      const of = origin.get(index);
      if (of === undefined || (found.get(of.index)?.bits ?? 0) >= Math.min(passed.bits, of.bits)) continue;
      found.set(of.index, { value: passed.value, bits: of.bits === 32 ? 32 : passed.bits });
    }
    if (wanted.every((index) => found.has(index))) break;
    if (!(await isCallee(stack, known, copies))) break;
    origin = passedOn(known, origin);
  }
  return found;
}

async function tryFrame(stack: StoppedStack, level: number, depth: number): Promise<KnownFrame | undefined> {
  try {
    return await knownFrameAt(stack, level);
  } catch (error) {
    const isUnknown =
      error instanceof LostError || error instanceof UnknownFlowError || error instanceof UnknownInstructionError;
    if (!isUnknown) throw error;
    if (depth === 0) throw new LostError(error.message);
    return undefined;
  }
}

async function knownFrameAt(
  { frames, image, registers: registersOf }: StoppedStack,
  level: number,
): Promise<KnownFrame> {
  const address = frames[level]?.address;
  const module = address === undefined ? undefined : await moduleAt(image, address);
  if (address === undefined || module === undefined) throw new LostError('its code is in no file');
  const [registers, outer] = await Promise.all([registersOf(level), registersOf(level + 1)]);
  if (registers === undefined || outer === undefined)
    throw new LostError('the registers of this machine are not followed');
  const cfa = outer.stackPointer;
  if (cfa === undefined) throw new LostError('where its frame lies is not known');
  // A call that never returns may be the last instruction of its function.
  const start = (await functionAt(image, module, level === 0 ? address : address - 1n))?.start;
  if (start === undefined) throw new LostError('where its function begins is not known');
  const facts = await factsOf(image, module, start, address);
  checkFrame(facts, registers, cfa, level);
  return { level, module, start, registers, cfa, facts };
}

const knownFlows = new KnownCode<FrameFacts>();

function factsOf(image: ProcessImage, module: Module, start: bigint, address: bigint): Promise<FrameFacts> {
  const { bias } = module;
  const at = Number(address - bias);
  return knownFlows.of(module, at, () => argumentFlow(new ModuleCode(image, module), Number(start - bias), at));
}

/** What the code tells of the stack has to be what gdb's unwinder tells. Throws LostError. */
function checkFrame({ state }: FrameFacts, registers: Registers, cfa: bigint, level: number): void {
  for (const register of [registers.processor.stackPointer, ...keptRegisters(registers, level)]) {
    const value = state.registers[register];
    const actual = registers.at(register);
    if (value?.kind === 'frame' && actual !== undefined && cfa + BigInt(value.offset) !== actual)
      throw new LostError('its stack does not match its code');
  }
}

/** The innermost frame has called nobody. */
function keptRegisters({ processor }: Registers, level: number): readonly Register[] {
  const { keptByCalls, lostByCalls } = processor;
  return level === 0 ? [...lostByCalls, ...keptByCalls] : keptByCalls;
}

/** The arguments of the frame's own function that are somewhere. */
async function copiesIn(image: ProcessImage, known: KnownFrame): Promise<Map<number, Passed>> {
  const { state } = known.facts;
  const found = new Map<number, Passed>();
  const differing = new Set<number>();
  const add = (index: number, passed: Passed): void => {
    const other = found.get(index);
    if (other !== undefined && BigInt.asUintN(32, other.value) !== BigInt.asUintN(32, passed.value))
      differing.add(index);
    if (other === undefined || passed.bits > other.bits) found.set(index, passed);
  };
  for (const register of keptRegisters(known.registers, known.level)) {
    const value = state.registers[register];
    const actual = known.registers.at(register);
    if (value?.kind === 'argument' && actual !== undefined) add(value.index, { value: actual, bits: value.bits });
  }
  for (const { offset, value } of state.known()) {
    if (value.kind !== 'argument') continue;
    add(value.index, { value: await readPointer(image, known.cfa + BigInt(offset)), bits: value.bits });
  }
  for (const index of differing) found.delete(index);
  return found;
}

/** Whether the next frame inwards is of the function that this one has called, and not of one that took its place. */
async function isCallee(
  { frames, image }: StoppedStack,
  known: KnownFrame,
  copies: ReadonlyMap<number, Passed>,
): Promise<boolean> {
  const inner = frames[known.level - 1]?.address;
  const target = known.facts.call?.target;
  if (inner === undefined || target === undefined) return false;
  const module = await moduleAt(image, inner);
  if (module === undefined) return false;
  try {
    const start = (await functionAt(image, module, known.level === 1 ? inner : inner - 1n))?.start;
    const called = await addressOf(target, image, known.module, copies);
    return (
      start !== undefined && called !== undefined && (called === start || (await behindPlt(image, called)) === start)
    );
  } catch (error) {
    if (error instanceof FaultError || error instanceof UnknownInstructionError) return false;
    throw error;
  }
}

async function addressOf(
  value: Value,
  image: ProcessImage,
  module: Module,
  copies: ReadonlyMap<number, Passed>,
): Promise<bigint | undefined> {
  switch (value.kind) {
    case 'module':
      return module.bias + BigInt(value.address);
    case 'argument': {
      const passed = value.bits === 64 ? copies.get(value.index) : undefined;
      return passed?.bits === 64 ? passed.value : undefined;
    }
    case 'loaded': {
      const from = await addressOf(value.from, image, module, copies);
      return from === undefined ? undefined : readPointer(image, from + BigInt(value.displacement));
    }
    case 'frame':
      return undefined;
  }
}

/** The function that jumped to this frame's instead of calling it has left its arguments to it. */
async function throughTailCall(
  image: ProcessImage,
  { module, start: own }: KnownFrame,
  start: bigint,
): Promise<Origins> {
  const { bias } = module;
  try {
    const state = await tailCall(new ModuleCode(image, module), Number(start - bias), Number(own - bias));
    const origins: Origins = new Map();
    for (let index = 0; index < maxArguments; index++) {
      const value = state.passed(index);
      if (value?.kind === 'argument') origins.set(index, { index: value.index, bits: value.bits });
    }
    return origins;
  } catch (error) {
    if (error instanceof UnknownFlowError || error instanceof UnknownInstructionError)
      throw new LostError(error.message);
    throw error;
  }
}

/** Which of the first function's arguments the called one has got, by its own index. */
function passedOn({ facts: { call }, registers }: KnownFrame, origin: Origins): Origins {
  const next: Origins = new Map();
  registers.processor.argumentRegisters.forEach((register, index) => {
    const value = call?.state.registers[register];
    const of = value?.kind === 'argument' ? origin.get(value.index) : undefined;
    if (value?.kind === 'argument' && of !== undefined)
      next.set(index, { ...of, bits: value.bits === 32 ? 32 : of.bits });
  });
  return next;
}
