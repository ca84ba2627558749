/** What types are, by how gdb writes them. */

/** "double [10000000]", "real(kind=8) (100,100)": no element is anything but a number. */
export function isArrayOfNumbers(type: string): boolean {
  return (
    /^(const |volatile )*((unsigned|signed|long|short|char|int|float|double|_Bool|bool|_Complex)\b ?)+\[/.test(type) ||
    /^(integer|real|complex|logical|character)\b(\(kind=\d+\)|\*\d+)?.*\(/i.test(type)
  );
}

/** gdb writes it as a number; false also where it may be one under another name. */
export function isNumberType(type: string): boolean {
  return /^((unsigned|signed|long|short|char|int|float|double)\b ?)+$|^(integer|real)\b(\(kind=\d+\)|\*\d+)?$/i.test(
    type,
  );
}

/** True for a type of whole numbers, as handles may be, and for an array of them. */
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

/** A number or LOGICAL of Fortran that is a POINTER or ALLOCATABLE: it stands for what it leads to. */
export function isPointedScalar(type: string): boolean {
  return /^PTR TO -> \( (?:integer|real|complex|logical)(?:\(kind=\d+\)|\*\d+)? \)$/i.test(type);
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

/** The bytes of one part of a complex number of this type, as ptype tells it; undefined: it is none of 4 or 8 bytes a part. */
export function partOfComplex(ptype: string): 4 | 8 | undefined {
  const type = /^type = (?:const |volatile )*(?:class |struct )?(.*)/.exec(ptype)?.[1] ?? '';
  const cxx = /^std::(?:__\w+::)?complex<(float|double)>/.exec(type)?.[1];
  const name = cxx ?? /^(?:complex|_Complex) (float|double)\b/.exec(type)?.[1];
  if (name !== undefined) return name === 'float' ? 4 : 8;
  const kind = /^complex(?:\(kind=([48])\)|\*(8|16))/i.exec(type);
  if (kind === null) return undefined;
  return kind[1] === '4' || kind[2] === '8' ? 4 : 8;
}

/** A text of the program: an array of characters of C, or a CHARACTER of Fortran. */
export function isText(type: string, isFortran: boolean): boolean {
  return isFortran ? /^character/i.test(type) : /^(unsigned |signed )?char ?\[\d*\]$/.test(type);
}

/** One character of such a text; false for int8_t and its like, which are numbers. */
export function isCharacter(type: string): boolean {
  const plain = type.replace(/\b(?:const|volatile)\b/g, '').trim();
  return /^(?:(?:unsigned |signed )?char|char(?:8|16|32)_t|wchar_t|character(?:\*1| \(1\)|\(kind=\d+\))?)$/i.test(
    plain,
  );
}

/** Pointers, references, arrays and functions; false for numbers. */
export function mayHaveParts(type: string): boolean {
  return /[*&[(]|^PTR/.test(type.replace(/\(kind=\d+\)/, ''));
}

/** The type of what a pointer of C leads to. */
export function targetType(type: string): string | undefined {
  return /^(.*\S)\s*\*(?:\s*const)?$/.exec(type)?.[1];
}

/** Whether a value, or what a pointer or reference leads to, may be an object of a class; gdb need not be asked where the type rules it out. */
export function mayBeOfClass(type: string): boolean {
  const target = (targetType(type) ?? type).replace(/&+$|\b(?:const|volatile)\b/g, '').trim();
  const isPlain = isNumberType(target) || isVoid(target) || isCharacter(target) || /^(?:bool|_Bool)$/.test(target);
  // A structure of C has its keyword.
  return !isPlain && !isPointerType(target) && !/^(?:struct|union|enum) |\(\*/.test(target);
}

export function isArrayOfPointers(type: string): boolean {
  return /^(.*\*)\s*\[\d*\]$/.test(type);
}

export function isVoid(type: string): boolean {
  return /^(const |volatile )*void$/.test(type);
}

/** A pointer of C or Fortran, by its type as gdb prints it: `int *`, `int (*)[3]`, `PTR TO -> ( integer )`. */
export function isPointerType(type: string | undefined): boolean {
  return /\*(\s*(const|volatile|restrict))*$|^PTR TO|\(\*\)\s*\[/.test(type ?? '');
}

/** The type of C with the same bytes and the same look, as the memory behind it can be watched: `size` in bytes. */
export function typeOfWatched(type: string, size: number): string {
  if (/^(double|real\(kind=8\))$/.test(type) && size === 8) return 'double';
  if (/^(float|real\(kind=4\))$/.test(type) && size === 4) return 'float';
  const isUnsigned = /^unsigned |\bbool$|^_Bool$/.test(type);
  return isUnsigned ? `unsigned ${typeOfBytes(size)}` : typeOfBytes(size);
}

/** The type of a pointer to what has this type of C: `char (*)[5]`. */
export function pointerTo(type: string): string {
  const [, element, bounds] = /^(.*?)\s*(\[.*\])$/.exec(type) ?? [];
  return element === undefined ? `${type} *` : `${element} (*)${bounds}`;
}

/** A type of C that has so many bytes. */
export function typeOfBytes(size: number): string {
  return { 1: 'char', 2: 'short', 4: 'int', 8: 'long' }[size] ?? `char[${size}]`;
}
