/** Names of C++ types as the ABI mangles them, of the kinds that exceptions have. */

const builtin: Readonly<Record<string, string>> = {
  ...{ b: 'bool', c: 'char', a: 'signed char', h: 'unsigned char', s: 'short', t: 'unsigned short', i: 'int' },
  ...{ j: 'unsigned int', l: 'long', m: 'unsigned long', x: 'long long', y: 'unsigned long long', f: 'float' },
  ...{ d: 'double', e: 'long double', v: 'void', w: 'wchar_t', Ss: 'std::string' },
};

/** "St12out_of_range" is std::out_of_range, "PKc" const char*; what is not understood stays as it is. Without the library's inline namespace. */
export function typeText(mangled: string): string {
  // The library throws one of its own, derived from what programs catch.
  if (mangled === 'St13__ios_failure') return 'std::ios_base::failure';
  if (/^NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE$/.test(mangled)) return 'std::string';
  return parsed(mangled) ?? mangled;
}

function parsed(mangled: string): string | undefined {
  const known = Object.hasOwn(builtin, mangled) ? builtin[mangled] : undefined;
  if (known !== undefined) return known;
  const [, pointer, isConst, of = ''] = /^(P)(K?)(.+)$/.exec(mangled) ?? [];
  if (pointer !== undefined) {
    const target = parsed(of);
    return target && `${isConst === '' ? '' : 'const '}${target}*`;
  }
  const nested = /^N(.+)E$/.exec(mangled)?.[1] ?? mangled;
  const parts: string[] = [];
  let rest = nested;
  if (rest.startsWith('St')) {
    parts.push('std');
    rest = rest.slice(2);
  }
  while (rest !== '') {
    const [digits] = /^\d+/.exec(rest) ?? [];
    if (digits === undefined) return undefined;
    const name = rest.slice(digits.length, digits.length + Number(digits));
    if (name.length < Number(digits) || !/^\w+$/.test(name)) return undefined;
    if (name !== '__cxx11') parts.push(name.startsWith('_GLOBAL__N_') ? '(anonymous namespace)' : name);
    rest = rest.slice(digits.length + Number(digits));
  }
  return parts.length === 0 ? undefined : parts.join('::');
}
