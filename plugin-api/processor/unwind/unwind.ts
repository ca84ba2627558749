/** The stack of a stopped thread, by the call frame information of the libraries: no debugger, and no debug information. */
import type { Module, ProcessImage } from '../../image';
import { readPointer } from '../../memory';
import { FaultError } from '../../result';
import { evaluate, type ExpressionContext } from './frame-expression';
import { frameRules, returnAddress, type CfaRule, type FrameRules, type RegisterRule } from './frame-rules';
import { Registers } from '../registers';
import { unwindEntry } from './function-bounds';
import { UnwindError } from './unwind-error';

export interface UnwoundFrame {
  /** The address of the instruction that it goes on with. */
  address: bigint;
  /** When it goes on. */
  registers: Registers;
  /** It has called the frame before it, so its call is before `address`; false: it was interrupted there. */
  isCaller: boolean;
  module: Module | undefined;
}

export interface UnwindOptions {
  moduleAt: (address: bigint) => Promise<Module | undefined>;
  /** The most frames to follow. */
  most: number;
  /** The last frame that is of interest. */
  isLast: (frame: UnwoundFrame) => Promise<boolean>;
  /** `address` is where a call returns to, and not of an instruction that was interrupted. */
  isCaller?: boolean;
  /** For a stack that may be broken: as many frames as can be followed. */
  isPartial?: boolean;
}

/**
 * Innermost first. Unless it may be partial, rejects with UnwindError when it cannot be followed to its end or to the most frames:
 * half a stack may mean something else.
 */
export async function unwind(
  image: ProcessImage,
  address: bigint,
  registers: Registers,
  { moduleAt, most, isLast, isCaller = false, isPartial = false }: UnwindOptions,
): Promise<UnwoundFrame[]> {
  const frames: UnwoundFrame[] = [];
  let next: Omit<UnwoundFrame, 'module'> | undefined = { address, registers, isCaller };
  try {
    while (next !== undefined && frames.length < most) {
      const frame: UnwoundFrame = { ...next, module: await moduleAt(codeAddress(next)) };
      frames.push(frame);
      if (await isLast(frame)) break;
      const isWild: boolean = isPartial && frames.length === 1 && !isInCode(frame);
      next = isWild ? await wildCallerOf(image, frame) : await callerOf(image, frame);
      if (next !== undefined && (next.registers.stackPointer ?? 0n) <= (frame.registers.stackPointer ?? 0n))
        throw new UnwindError('the stack turns back');
    }
  } catch (error) {
    if (!isPartial || !(error instanceof UnwindError)) throw error;
  }
  return frames;
}

function isInCode({ address, module }: UnwoundFrame): boolean {
  const holds = ({ address: start, size }: Module['segments'][number]): boolean =>
    start <= address && address < start + BigInt(size);
  return module?.segments.some((segment) => segment.executable && holds(segment)) ?? false;
}

/** The caller after a call through a pointer that leads to no code: the return address alone has been pushed. */
async function wildCallerOf(
  image: ProcessImage,
  { registers }: UnwoundFrame,
): Promise<Omit<UnwoundFrame, 'module'> | undefined> {
  const { processor, values, stackPointer: top } = registers;
  if (top === undefined) return undefined;
  try {
    const address = await readPointer(image, top);
    const outer = values.map((each, number) => (number === processor.stackPointer ? top + 8n : each));
    return { address, registers: new Registers(processor, outer), isCaller: true };
  } catch (error) {
    if (error instanceof FaultError) throw new UnwindError('the stack cannot be read');
    throw error;
  }
}

/** In the instruction that the frame is at: behind a call there may be another function. */
export function codeAddress({ address, isCaller }: Pick<UnwoundFrame, 'address' | 'isCaller'>): bigint {
  return isCaller ? address - 1n : address;
}

async function callerOf(image: ProcessImage, frame: UnwoundFrame): Promise<Omit<UnwoundFrame, 'module'> | undefined> {
  try {
    return await unwound(image, frame, await rulesOf(image, frame));
  } catch (error) {
    if (error instanceof FaultError) throw new UnwindError('the stack cannot be read');
    throw error;
  }
}

/** By module and place: the ranks of a job stand in the same functions. */
const known = new Map<string, Promise<FrameRules>>();
const maxKnown = 10_000;

async function rulesOf(image: ProcessImage, frame: UnwoundFrame): Promise<FrameRules> {
  const { module } = frame;
  if (module === undefined) throw new UnwindError('code is in no file');
  const address = codeAddress(frame);
  const find = async (): Promise<FrameRules> => {
    const entry = await unwindEntry(image, module, address);
    if (entry === undefined) throw new UnwindError(`${module.path} has no unwinding information`);
    return frameRules(image, entry.description, address);
  };
  // Without a build-id another file may have this name in another process.
  if (module.buildId === undefined) return find();
  const key = `${module.buildId} ${address - module.bias}`;
  let rules = known.get(key);
  if (rules === undefined) {
    if (known.size >= maxKnown) known.clear();
    known.set(key, (rules = find()));
    rules.catch(() => known.delete(key));
  }
  return rules;
}

async function unwound(
  image: ProcessImage,
  { address: own, registers }: UnwoundFrame,
  { cfa: cfaRule, registers: rules, isSignal, makesThread }: FrameRules,
): Promise<Omit<UnwoundFrame, 'module'> | undefined> {
  const { processor } = registers;
  const numberOf = (dwarf: number): number => processor.dwarfNumbers.indexOf(dwarf);
  if (makesThread && registers.at(processor.result) === 0n) return undefined;
  const context: ExpressionContext = {
    register: (number) => {
      const value = number === returnAddress ? own : registers.at(numberOf(number));
      if (value === undefined) throw new UnwindError('a register that is needed is not known');
      return value;
    },
    readPointer: (address) => readPointer(image, address),
  };
  if (cfaRule.kind === 'register' && numberOf(cfaRule.register) < 0)
    throw new UnwindError('unwinding information is of another machine');
  const cfa = await cfaOf(cfaRule, context);
  const valueOf = (rule: RegisterRule): Promise<bigint> | bigint | undefined => {
    switch (rule.kind) {
      case 'offset':
        return readPointer(image, cfa + BigInt(rule.offset));
      case 'value':
        return cfa + BigInt(rule.offset);
      case 'register':
        return context.register(rule.register);
      case 'expression':
        return evaluate(rule.expression, context, cfa).then((address) => readPointer(image, address));
      case 'valueExpression':
        return evaluate(rule.expression, context, cfa);
      case 'undefined':
        return undefined;
    }
  };
  const rule = rules.get(returnAddress);
  if (rule === undefined) throw new UnwindError('unwinding information defines no return address');
  const address = await valueOf(rule);
  if (address === undefined || address === 0n) return undefined;
  const caller: (bigint | undefined)[] = Array.from({ length: processor.registerCount }, () => undefined);
  for (const saved of processor.keptByCalls) caller[saved] = registers.at(saved);
  caller[processor.stackPointer] = cfa;
  for (const [number, each] of rules) {
    const place = numberOf(number);
    if (place >= 0) caller[place] = await valueOf(each);
  }
  return { address, registers: new Registers(processor, caller), isCaller: !isSignal };
}

async function cfaOf(rule: CfaRule, context: ExpressionContext): Promise<bigint> {
  if (rule.kind === 'expression') return evaluate(rule.expression, context);
  return BigInt.asUintN(64, context.register(rule.register) + BigInt(rule.offset));
}
