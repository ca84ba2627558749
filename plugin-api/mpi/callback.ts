/** Functions of the program that the library calls. */
import type { ProcessImage } from '../image';
import type { Callback } from './records';

/**
 * The function at `address`, by its symbol where one begins there or covers it. If `language` is unknown, the symbol
 * may tell it.
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

/** As gfortran names it. */
const moduleProcedure = /^__(\w+)_MOD_(\w+)$/;

/**
 * A function's name as its source has it, without parameters: "sea::keep", "callbacks::keep". Names that compilers make
 * in other ways, of templates say, stay as they are.
 */
export function functionName(symbol: string, language: Callback['language']): string {
  const [, module, procedure] = moduleProcedure.exec(symbol) ?? [];
  if (module !== undefined) return `${module}::${procedure}`;
  const internal = /^(\w+)\.\d+$/.exec(symbol)?.[1];
  if (internal !== undefined) return internal;
  if (language === 'fortran') return symbol.replace(/_$/, '');
  return cxxName(symbol) ?? symbol;
}

/** Of a plain function, or one in namespaces and classes. */
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

/** "4keepPKv" begins with a length. */
function takeName(text: string): { name: string; rest: string } | undefined {
  const [prefix, length] = /^L?(\d+)/.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  const end = prefix.length + Number(length);
  const name = text.slice(prefix.length, end);
  // Of a namespace without a name.
  return { name: name === '_GLOBAL__N_1' ? '(anonymous namespace)' : name, rest: text.slice(end) };
}
