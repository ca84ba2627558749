/** What a function was given, by the code that has called it: where the function itself no longer keeps it. */
import type { Module, ProcessImage } from '../../../plugin-api/image';
import { readPointer } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import {
  argumentsAtCall,
  isLeftOut,
  type Origin,
  type OriginOfArgument,
} from '../../../plugin-api/processor/code/call-site';
import { ModuleCode } from '../../../plugin-api/processor/code/code';
import { functionAt } from '../../../plugin-api/processor/unwind/function-bounds';
import type { Registers } from '../../../plugin-api/processor/registers';
import { UnknownInstructionError } from '../../../plugin-api/processor/instruction';
import { isCBinding, nameOfCall } from '../across-ranks/mpi-calls';
import { KnownCode } from './known-code';
import { calledFunction, moduleAt } from './called-function';
import type { Passed, StoppedStack } from './passed-arguments';

const knownCalls = new KnownCode<ReadonlyMap<number, OriginOfArgument>>();

/** The arguments of the function that begins at `start`, whose frame is at `level`. Empty: the code does not tell. */
export async function argumentsOfCaller(
  { frames, image, registers }: StoppedStack,
  level: number,
  start: bigint,
): Promise<ReadonlyMap<number, Passed>> {
  const address = frames[level + 1]?.address;
  const own = await registers(level + 1);
  if (address === undefined || own === undefined) return new Map();
  try {
    const site = await callSite(image, address);
    if (site === undefined || !(await isCall(image, address, start))) return new Map();
    const { module, caller, behind } = site;
    const { bias } = module;
    const told = await knownCalls.of(module, behind, () =>
      argumentsAtCall(new ModuleCode(image, module), caller, behind),
    );
    const found = new Map<number, Passed>();
    for (const [index, { origin, bits }] of told) {
      const value = await valueOf(origin, { image, bias, registers: own });
      if (value !== undefined) found.set(index, { value, bits });
    }
    return found;
  } catch (error) {
    if (error instanceof UnknownInstructionError || error instanceof FaultError) return new Map();
    throw error;
  }
}

/** Whether the code of the frame at `level` has certainly not given the argument in memory with this index to the function that it has called. */
export async function isLeftOutByCaller(
  { frames, image }: StoppedStack,
  level: number,
  index: number,
): Promise<boolean> {
  const address = frames[level]?.address;
  try {
    const site = address === undefined ? undefined : await callSite(image, address);
    return site !== undefined && (await isLeftOut(new ModuleCode(image, site.module), site.caller, site.behind, index));
  } catch (error) {
    if (error instanceof UnknownInstructionError || error instanceof FaultError) return false;
    throw error;
  }
}

/** As the module's file counts: where the calling function begins, and the address that the call returns to. */
async function callSite(
  image: ProcessImage,
  returnAddress: bigint,
): Promise<{ module: Module; caller: number; behind: number } | undefined> {
  const module = await moduleAt(image, returnAddress);
  const bounds = module && (await functionAt(image, module, returnAddress - 1n));
  if (module === undefined || bounds === undefined) return undefined;
  return { module, caller: Number(bounds.start - module.bias), behind: Number(returnAddress - module.bias) };
}

/** Belongs to that function, or to one of ours that stands before it and has its name. */
async function isCall(image: ProcessImage, returnAddress: bigint, start: bigint): Promise<boolean> {
  const [called, meant] = await Promise.all([calledFunction(image, returnAddress), image.symbolAt(start)]);
  if (called === undefined || called.address === start) return called !== undefined;
  return isCBinding(meant?.name) && nameOfCall(called.name) === nameOfCall(meant?.name);
}

async function valueOf(
  origin: Origin,
  { image, bias, registers }: { image: ProcessImage; bias: bigint; registers: Registers },
): Promise<bigint | undefined> {
  const at = (base: number, offset: number): bigint | undefined => {
    const register = registers.at(base);
    return register === undefined ? undefined : register + BigInt(offset);
  };
  switch (origin.kind) {
    case 'constant':
      return origin.value;
    case 'register':
      return registers.at(origin.number);
    case 'address':
      return bias + BigInt(origin.address);
    case 'place':
      return at(origin.base, origin.offset);
    case 'global':
      return readPointer(image, bias + BigInt(origin.address));
    case 'memory': {
      const address = at(origin.base, origin.offset);
      return address === undefined ? undefined : readPointer(image, address);
    }
  }
}
