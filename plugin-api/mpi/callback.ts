/** Callbacks: functions of the program that the MPI library calls. */
import type { ProcessImage } from '../image';
import type { Callback } from './records';

/**
 * The function at `address`, with its symbol if one starts there or covers it. If `language` is 'unknown', it is
 * derived from the symbol if possible.
 */
export async function callbackAt(
  image: ProcessImage,
  address: bigint,
  language: Callback['language'],
): Promise<Callback> {
  const hex: Callback['address'] = `0x${address.toString(16)}`;
  const symbol = await image.symbolAt(address);
  if (symbol === undefined) return { address: hex, language };
  const isFortran = language === 'unknown' && moduleProcedure.test(symbol.name);
  return { address: hex, symbol: functionName(symbol.name, language), language: isFortran ? 'fortran' : language };
}

/** A module procedure's symbol, as gfortran writes it. */
const moduleProcedure = /^__(\w+)_MOD_(\w+)$/;

/**
 * A function's name as in its source, without parameters: "sea::keep", "callbacks::keep". Symbols with other manglings,
 * such as templates, are returned unchanged.
 */
export function functionName(symbol: string, language: Callback['language']): string {
  const [, module, procedure] = moduleProcedure.exec(symbol) ?? [];
  if (module !== undefined) return `${module}::${procedure}`;
  const internal = /^(\w+)\.\d+$/.exec(symbol)?.[1];
  if (internal !== undefined) return internal;
  if (language === 'fortran') return symbol.replace(/_$/, '');
  return cxxName(symbol) ?? symbol;
}

/** Demangles plain functions and those in namespaces or classes; undefined for all other symbols. */
function cxxName(symbol: string): string | undefined {
  const [, nested, plain] = /^_Z(?:N([rVK]*\w+)|(L?\d\w*))$/.exec(symbol) ?? [];
  if (nested === undefined) return plain === undefined ? undefined : takeName(plain)?.name;
  const names: string[] = [];
  let rest = nested.replace(/^[rVK]+/, '');
  for (let next = takeName(rest); next !== undefined; next = takeName(rest)) {
    names.push(next.name);
    rest = next.rest;
  }
  return rest.startsWith('E') ? names.join('::') : undefined;
}

/** Takes a length-prefixed name off the front: "keep" off "4keepPKv". */
function takeName(text: string): { name: string; rest: string } | undefined {
  const [prefix, length] = /^L?(\d+)/.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  const end = prefix.length + Number(length);
  const name = text.slice(prefix.length, end);
  // How compilers mangle an anonymous namespace.
  return { name: name === '_GLOBAL__N_1' ? '(anonymous namespace)' : name, rest: text.slice(end) };
}
