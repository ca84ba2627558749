/** What types are, by how gdb writes them. */

/** "double [10000000]", "real(kind=8) (100,100)": no element is anything but a number. */
export function isArrayOfNumbers(type: string): boolean {
  return (
    /^(const |volatile )*((unsigned|signed|long|short|char|int|float|double|_Bool|bool|_Complex)\b ?)+\[/.test(type) ||
    /^(integer|real|complex|logical|character)\b(\(kind=\d+\)|\*\d+)?.*\(/i.test(type)
  );
}

/** Of a number, or an array of them: it is a whole number, as handles may be. */
export function isOfWholeNumbers(type: string): boolean {
  return !/float|double|_Complex|real|^complex|^logical|^character/i.test(type);
}

/** gdb writes the text that it leads to. */
export function isCharPointer(type: string): boolean {
  return /^(const |volatile )*char \*( const)?$/.test(type);
}

/** A CHARACTER of deferred length. `isComponent`: of a derived type; gdb does not know its length then. */
export function deferredCharacter(type: string): { isComponent: boolean } | undefined {
  if (!/^PTR TO -> \( character/.test(type)) return undefined;
  return { isComponent: type.endsWith('character*0 )') };
}

export function isReference(type: string): boolean {
  return type.endsWith('&');
}

export function isFortranInteger(type: string): boolean {
  return /^integer\(kind=4\)/.test(type);
}

/** A base class is listed under the name of its type; a member of C has the keyword struct in its type. */
export function isBaseClass({ type, expression }: { type: string | undefined; expression: string }): boolean {
  return type?.replace(/^class /, '') === expression;
}
