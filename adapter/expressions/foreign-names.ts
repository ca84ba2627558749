/**
 * Names that gdb finds in a library that the user does not mean. Where a frame lacks a name, gdb takes it from whatever
 * has debug symbols: `done` is then a constant of the C library.
 */
import { basename } from 'node:path';
import { listed } from '../../plugin-api/listed';
import { addressOf } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { staticsCalled } from '../gdb/python/loaded-copies';
import { codeOfFileWith } from '../gdb/python/file-scope';
import { moduleOf, type CodeModule, type ProcessCode } from './code-modules';
import { freeNames } from './expression';
import { isForeignLibrary, languageOf, type ThreadFrame } from './frames';

/**
 * Lets only those names of the expression through that belong to the frame, to the program or to the frame's own library, or
 * that other libraries of the program offer to all. Rejects with GdbError for any other.
 */
export async function refuseForeignNames(at: ThreadFrame, source: string, code: ProcessCode): Promise<void> {
  for (const name of freeNames(source)) {
    // What is called is refused for being called, and MPI's own names are no variables.
    if ((languageOf(at.frame) === 'c' && isCalled(name, source)) || /^MPIX?_/i.test(name)) continue;
    const module = await foreignModule(at, name, source, code);
    if (module === undefined) continue;
    const statics = await staticsCalled(name, { thread: at.thread, frame: at.frame.level });
    const others = statics.flatMap(({ code: address, written }) => {
      const path = moduleOf({ address: BigInt(address) }, code)?.path;
      return path === undefined || isForeignLibrary(path, code.mpis) ? [] : [{ path, written }];
    });
    throw new GdbError(`No symbol "${name}" in current context, only in ${elsewhere(module, others)}`, '');
  }
}

function elsewhere({ path }: CodeModule, statics: readonly { path: string; written: string | null }[]): string {
  const libraries = [...new Set([path, ...statics.map((each) => each.path)].map((each) => basename(each)))];
  const written = [...new Set(statics.flatMap((each) => each.written ?? []))];
  const how = written.length === 0 ? '' : `: write ${written.slice(0, maxWritten).join(' or ')}`;
  return `${listed(libraries, 'and')}, which ${libraries.length > 1 ? 'are' : 'is'} not the program's${how}`;
}

const maxWritten = 4;

/** The library that gdb takes the name from, if it is not meant. */
async function foreignModule(
  at: ThreadFrame,
  name: string,
  source: string,
  code: ProcessCode,
): Promise<CodeModule | undefined> {
  const { thread, frame } = at;
  const language = languageOf(frame);
  const isOther = (module: CodeModule | undefined) =>
    module !== undefined && !module.isExecutable && module !== moduleOf(frame, code);
  const address = await addressOfName(at, name);
  if (address !== undefined) {
    const module = moduleOf({ address }, code);
    if (module === undefined || !isOther(module)) return undefined;
    if (!isCode(address, module) && isForeignLibrary(module.path, code.mpis)) return module;
  }
  // In Fortran these may be intrinsic functions.
  if (language === 'fortran' && isCalled(name, source)) return undefined;
  const file = await codeOfFileWith(name, { thread, frame: frame.level, language });
  const module = moduleOf({ address: file }, code);
  return isOther(module) ? module : undefined;
}

/** Or, in Fortran, an element of an array. */
function isCalled(name: string, source: string): boolean {
  return new RegExp(String.raw`\b${name}\s*\(`).test(source);
}

/** A function, of whatever library. */
function isCode(address: bigint, { segments }: CodeModule): boolean {
  return segments.some(
    (each) => each.executable && each.address <= address && address < each.address + BigInt(each.size),
  );
}

/** undefined: gdb does not know it, or it is nowhere in memory, as a constant. */
async function addressOfName({ thread, frame }: ThreadFrame, name: string): Promise<bigint | undefined> {
  try {
    return await addressOf(thread, frame.level, `&${name}`);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
