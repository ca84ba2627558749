/**
 * Variables that a process has several times under one name: globals of several libraries, statics of several files, and those of a
 * library that is loaded twice (dlmopen). gdb takes the first one that it finds, and of globals that of the first library even in the
 * code of another one.
 */
import { basename } from 'node:path';
import type { Module, ProcessImage } from '../../plugin-api/image';
import { LinkedNames } from '../../plugin-api/processor/code/linked-names';
import { guard } from '../../plugin-api/result';
import { loadedCopies, type LoadedCopies, type LoadedCopy } from '../gdb/python/loaded-copies';
import type { ProcessCode } from './code-modules';
import { isForeignLibrary, languageOf, type ThreadFrame } from './frames';

export interface MeantVariables {
  /** The expression with the variables that the frame's code means, where gdb would take others. */
  source: string;
  /** Of each name that the frame does not decide, which of several is meant, as in "liba.so (a.c); another is 'b.c'::lap in libb.so". */
  told?: string;
}

// Skips texts, characters, members and gdb's own words.
const token =
  /"(?:[^"\\]|\\.)*"|('[^'\\]+'::[A-Za-z_]\w*)|'(?:[^'\\]|\\.)*'|(?:\.|->|%|\$)\s*[A-Za-z_]\w*|\d\w*|((?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)/g;

/** Which variables the names of an expression mean. What cannot be read is left to gdb. */
export async function meantVariables(
  { thread, frame }: ThreadFrame,
  source: string,
  image: ProcessImage,
  code: ProcessCode,
): Promise<MeantVariables> {
  const isC = languageOf(frame) === 'c';
  const names = [...new Set([...source.matchAll(token)].flatMap(([, ofFile, name]) => ofFile ?? name ?? []))];
  if (names.length === 0) return { source };
  const asked = isC ? names : names.map((name) => name.toLowerCase());
  const found = await loadedCopies(asked, { thread, frame: frame.level });
  const told: string[] = [];
  const places = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const several = found[i];
    if (several === undefined) continue;
    const meant = await guard(async () => {
      const copies = await copiesIn(several, image, code);
      return {
        copies,
        address: copies.length < 2 ? undefined : await variableOf(several, copies, frame.address, image),
      };
    });
    if (!meant.ok || meant.value.copies.length < 2) continue;
    const { copies, address } = meant.value;
    const taken = BigInt(several.address);
    if (address === undefined) told.push(wordsFor(taken, copies, names.length > 1 ? `${name}: ` : ''));
    else if (address !== taken && isC) places.set(name, `(*(typeof(&${name})) 0x${address.toString(16)})`);
    else if (address !== taken) told.push(wordsFor(taken, copies, ''));
  }
  const written = source.replace(token, (whole: string, ofFile?: string, name?: string) => {
    const place = places.get(ofFile ?? name ?? '');
    return place === undefined ? whole : whole.replace(ofFile ?? name!, () => place);
  });
  return { source: written, ...(told.length === 0 ? {} : { told: told.join('; ') }) };
}

interface Copy extends Pick<LoadedCopy, 'file' | 'written'> {
  module: Module;
  address: bigint;
  /** Which one of those that its library is loaded as; 1 of 1. */
  nth: number;
  times: number;
}

/** Those of libraries that the user may mean, in the order in which they were loaded. Rejects with QueryError. */
async function copiesIn(
  { address, linkage, copies }: LoadedCopies,
  image: ProcessImage,
  code: ProcessCode,
): Promise<Copy[]> {
  const modules = await image.modules();
  const found = new Map<bigint, Copy>();
  for (const { file, written, ...copy } of copies) {
    const inMemory = [linkage === null ? copy.address : copy.code, copy.code].map(BigInt);
    const module = inMemory.map((at) => modules.find((each) => isIn(each, at))).find((each) => each !== undefined);
    if (module === undefined || (copy.address !== address && isForeignLibrary(module.path, code.mpis))) continue;
    const own = linkage === null ? BigInt(copy.address) : (await image.findSymbol(linkage, module))?.address;
    if (own === undefined) continue;
    const loaded = modules.filter(({ path }) => path === module.path);
    found.set(own, { file, written, module, address: own, nth: 1 + loaded.indexOf(module), times: loaded.length });
  }
  return [...found.values()].sort((a, b) => modules.indexOf(a.module) - modules.indexOf(b.module));
}

/** Where the variable is that code means, at an address or of a file; undefined: that does not decide. Rejects with QueryError. */
async function variableOf(
  { linkage, from, isOfFile }: LoadedCopies,
  copies: readonly Copy[],
  at: bigint | undefined,
  image: ProcessImage,
): Promise<bigint | undefined> {
  if (linkage === null) return undefined;
  const modules = await image.modules();
  const origin = isOfFile ? (from === null ? undefined : BigInt(from)) : at;
  const here = modules.find((each) => isIn(each, origin));
  if (here === undefined) return undefined;
  // The dynamic linker has written down what the code of this library uses.
  const slot = await new LinkedNames(image, here).slotOf(linkage);
  const linked = slot === undefined ? 0n : await readWord(image, here.bias + BigInt(slot));
  if (linked !== 0n) return linked;
  const own = await image.findSymbol(linkage, here);
  return own?.address ?? copies.find(({ module }) => module.isExecutable)?.address;
}

function isIn({ segments }: Module, address: bigint | undefined): boolean {
  return (
    address !== undefined &&
    segments.some((each) => each.address <= address && address < each.address + BigInt(each.size))
  );
}

async function readWord(image: ProcessImage, address: bigint): Promise<bigint> {
  return Buffer.from(await image.readMemory(address, 8)).readBigUInt64LE();
}

const maxOthers = 3;

function wordsFor(address: bigint, copies: readonly Copy[], before: string): string {
  const shown = copies.find((each) => each.address === address);
  const others = copies.filter((each) => each !== shown);
  const named = others.slice(0, maxOthers).map(wordsForOther);
  const rest = others.length > maxOthers ? [`${others.length - maxOthers} more`] : [];
  const another = `${others.length > 1 ? 'others are' : 'another is'} ${[...named, ...rest].join(', ')}`;
  return `${before}${shown === undefined ? 'one of several libraries' : placeOf(shown)}; ${another}`;
}

function wordsForOther(copy: Copy): string {
  return copy.written === null || copy.times > 1
    ? `in ${placeOf(copy)}`
    : `${copy.written} in ${basename(copy.module.path)}`;
}

function placeOf({ module, file, nth, times }: Copy): string {
  return `${basename(module.path)} (${file}${times > 1 ? `, copy ${nth} of ${times}` : ''})`;
}
