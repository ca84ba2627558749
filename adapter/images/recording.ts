/** The content of a recording: everything that queries read from a process, as plain JSON. */
import type { TypeLayout } from '../../plugin-api/layout';

/** One process. Addresses are hexadecimal without 0x; bytes are pairs of hexadecimal digits. */
export interface Recording {
  target: 'live' | 'core';
  environment: Record<string, string>;
  modules: RecordedModule[];
  /** By symbolKey(); null: looked up and not found. */
  symbols: Record<string, RecordedSymbol | null>;
  /** By the word in decimal; absent: none was made. */
  searches?: Record<string, { addresses: string[]; gap?: string } | null>;
  /** By address. */
  symbolsAt: Record<string, RecordedSymbol | null>;
  /** By typeKey(). */
  types: Record<string, TypeLayout | null>;
  /** Ascending, no two touch. */
  memory: { address: string; bytes: string }[];
  /** Reads that failed, exactly as they were asked for. */
  faults: { address: string; length: number }[];
}

export interface RecordedModule {
  path: string;
  bias: string;
  buildId: string | null;
  isExecutable: boolean;
  segments: { address: string; size: number; fileSize: number; writable: boolean; executable: boolean }[];
}

export interface RecordedSymbol {
  name: string;
  address: string;
  size: number;
  /** Index into modules. */
  module: number;
}

/** `module`: index of the module that the look-up was limited to. */
export function symbolKey(name: string, module: number | undefined): string {
  return module === undefined ? name : `${module}:${name}`;
}

export function typeKey(name: string, fields: readonly string[]): string {
  return `${name} { ${fields.join(' ')} }`;
}

export function faultKey(address: bigint, length: number): string {
  return `${address.toString(16)}+${length}`;
}
