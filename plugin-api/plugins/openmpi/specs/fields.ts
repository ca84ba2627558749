/** Fields that releases keep in different types. */
import { chars, type Field } from '../../../struct';

/** A name that is an inline char array (4.x) or a char pointer (since 5.0.0): its text, or the address of its text. */
export const text = (path: string): Field<string | bigint> => {
  const { kind: _array, ...inline } = chars(path);
  return {
    ...inline,
    decode: (bytes, offset, size, struct, inStruct) =>
      size === 8 ? bytes.getBigUint64(offset, true) : inline.decode(bytes, offset, size, struct, inStruct),
  };
};

/** A 32-bit value that later became a struct: undefined where it has another size. */
export const u32IfPlain = (path: string): Field<number | undefined> => ({
  path,
  size: undefined,
  isOptional: false,
  decode: (bytes, offset, size) => (size === 4 ? bytes.getUint32(offset, true) : undefined),
});

/** The bytes of the struct that it became as one number. */
export const wordIfStruct = (path: string): Field<bigint | undefined> => ({
  path,
  size: undefined,
  isOptional: false,
  decode: (bytes, offset, size) =>
    size === 16 ? (bytes.getBigUint64(offset, true) << 64n) | bytes.getBigUint64(offset + 8, true) : undefined,
});

/** A count that was an int until 5.0 and is a size_t since 6.0; beyond 2^53 rounded, which no bound lets pass. */
export const intOrSize = (path: string): Field<number> => ({
  path,
  size: undefined,
  isOptional: false,
  decode: (bytes, offset, size) =>
    size === 8 ? Number(bytes.getBigUint64(offset, true)) : bytes.getInt32(offset, true),
});
