/**
 * ProcessImage: the only way in which decoders see a process. A live process, a core file, a recording and the bytes of
 * a unit test all implement it, so every decoder gives the same answers on each.
 */
import type { TypeLayout } from './layout';

/** One loadable segment of a module as it lies in the process. */
export interface Segment {
  address: bigint;
  /** Bytes in memory; those beyond fileSize are the zero-initialised part (.bss). */
  size: number;
  fileSize: number;
  writable: boolean;
  executable: boolean;
}

/** An executable or shared library of the process. */
export interface Module {
  /** Absolute path as the process sees it. */
  path: string;
  /** What is added to an address of the ELF file to get the address in the process. */
  bias: bigint;
  /** Lower-case hexadecimal; undefined when the file has none. */
  buildId: string | undefined;
  isExecutable: boolean;
  segments: readonly Segment[];
}

export interface Symbol {
  name: string;
  address: bigint;
  /** st_size; 0 when the symbol table does not say. */
  size: number;
  module: Module;
}

/** What a search has found. */
export interface Search {
  addresses: readonly bigint[];
  /** Why there may be more; undefined: all was searched. */
  gap?: string;
}

export interface ProcessImage {
  readonly target: 'live' | 'core';

  /** Exactly `length` bytes. Throws FaultError when one of them cannot be read: there are no short reads. */
  readMemory(address: bigint, length: number): Promise<Uint8Array>;

  /**
   * The same bytes where an image has them already: promises are most of what small reads of a million objects cost. To
   * be read at once and not to be changed. undefined: readMemory() may get them.
   */
  knownMemory?(address: bigint, length: number): Uint8Array | undefined;

  /** Executable first, then the libraries in load order, each once. */
  modules(): Promise<readonly Module[]>;

  /**
   * The definition of a data or function symbol that the running program uses: the executable's own when it has one
   * (copy relocations), else the first library's. With `module`, the definition in that module only. Looked up in
   * .dynsym, and in .symtab where the file has one.
   */
  findSymbol(name: string, module?: Module): Promise<Symbol | undefined>;

  /** The function or object that contains or starts at this address; undefined when no symbol covers it. */
  symbolAt(address: bigint): Promise<Symbol | undefined>;

  /** The struct's layout from debug information, the named fields only ("a.b" for a nested one); undefined without it. */
  findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined>;

  /**
   * Where memory that the process has allocated holds this 32-bit word, at addresses that malloc may give. For objects
   * that nothing points to; it reads a lot. undefined: what the process has allocated is unknown.
   */
  findAllocated(word: number): Promise<Search | undefined>;

  /** The environment that the process was started with; empty when it cannot be read. */
  environment(): Promise<ReadonlyMap<string, string>>;
}
