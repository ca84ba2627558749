/** The arguments and the environment that a process was started with, from the stack in its core file. */
import { onceByKey } from '../../../plugin-api/once';
import { FaultError } from '../../../plugin-api/result';
import type { CoreFile } from './core-file';
import type { CoreMemory } from './core-memory';
import { rangeAt } from './core-memory';

/** AT_EXECFN: the address of the program's path, which lies above the environment. */
const AT_EXECFN = 31;
const AT_RANDOM = 25;
/** Bytes that the kernel lets arguments and environment have at most; the stack limit is rarely raised that far. */
const maxAreaLength = 1 << 23;
const maxEntries = 1 << 16;
/** MAX_ARG_STRLEN */
const maxTextLength = 1 << 17;
/** Most texts are shorter; a longer one is read a second time. */
const usualText = 256;

/**
 * What main got. It lies right below the auxiliary vector, whose bytes the notes hold too: argc, argv, 0, envp, 0.
 * Empty where the core does not hold that part of the stack.
 */
export function readEnvironment(core: CoreFile, memory: CoreMemory): ReadonlyMap<string, string> {
  const environment = new Map<string, string>();
  let rest = maxAreaLength;
  for (const address of startPointers(core, memory).environment) {
    const entry = readText(memory, core, address);
    rest -= Math.max(usualText, entry.length);
    if (rest < 0) break;
    const equals = entry.indexOf('=');
    // As getenv does: of two entries with one name the first counts.
    if (equals > 0 && !environment.has(entry.slice(0, equals)))
      environment.set(entry.slice(0, equals), entry.slice(equals + 1));
  }
  return environment;
}

/** The program's name and its arguments; undefined where the core does not hold all of them. */
export function readArguments(core: CoreFile, memory: CoreMemory): string[] | undefined {
  const pointers = startPointers(core, memory).arguments;
  const texts = pointers?.map((address) => (isDumped(core, address) ? readText(memory, core, address) : undefined));
  return texts?.every((text) => text !== undefined) === true ? texts : undefined;
}

/** `arguments`: undefined where argc is not what their number is. */
interface StartPointers {
  arguments: bigint[] | undefined;
  environment: bigint[];
}

const noPointers: StartPointers = { arguments: undefined, environment: [] };

const startPointers = onceByKey((core: CoreFile, memory: CoreMemory): StartPointers => {
  const near = core.auxiliary.get(AT_EXECFN) ?? core.auxiliary.get(AT_RANDOM);
  const segment = near === undefined ? undefined : rangeAt(core.segments, Number(near));
  if (segment === undefined || core.auxiliaryBytes.length === 0) return noPointers;
  const end = Math.min(Number(near), segment.start + segment.dumped);
  const start = Math.max(segment.start, end - maxAreaLength);
  if (end <= start) return noPointers;
  const stack = readOrNothing(memory, BigInt(start), end - start);
  const found = stack.lastIndexOf(core.auxiliaryBytes);
  const environment: bigint[] = [];
  let at = found - 8;
  // The end of the list; unsetenv leaves more of them.
  while (at >= 0 && stack.readBigUInt64LE(at) === 0n) at -= 8;
  for (; at >= 0 && environment.length < maxEntries; at -= 8) {
    const pointer = stack.readBigUInt64LE(at);
    if (pointer === 0n) break;
    environment.push(pointer);
  }
  return { arguments: argumentPointers(stack, at), environment: environment.reverse() };
});

/** `end`: where the 0 behind them lies. */
function argumentPointers(stack: Buffer, end: number): bigint[] | undefined {
  const pointers: bigint[] = [];
  for (let at = end - 8; at >= 0 && pointers.length < maxEntries; at -= 8) {
    const word = stack.readBigUInt64LE(at);
    if (word === BigInt(pointers.length)) return pointers.reverse();
    if (word === 0n) return undefined;
    pointers.push(word);
  }
  return undefined;
}

function isDumped(core: CoreFile, address: bigint): boolean {
  const segment = rangeAt(core.segments, Number(address));
  return segment !== undefined && Number(address) < segment.start + segment.dumped;
}

function readText(memory: CoreMemory, core: CoreFile, address: bigint): string {
  const segment = rangeAt(core.segments, Number(address));
  if (segment === undefined) return '';
  const there = Math.max(0, segment.start + segment.dumped - Number(address));
  for (const length of [Math.min(usualText, there), Math.min(maxTextLength, there)]) {
    const bytes = readOrNothing(memory, address, length);
    const end = bytes.indexOf(0);
    if (end >= 0) return bytes.toString('utf8', 0, end);
  }
  return '';
}

function readOrNothing(memory: CoreMemory, address: bigint, length: number): Buffer {
  try {
    return Buffer.from(memory.readDumped(address, length));
  } catch (error) {
    if (error instanceof FaultError) return Buffer.alloc(0);
    throw error;
  }
}
