/** Where the kernel's user_regs_struct has the registers; a core file's elf_gregset_t is the same. */

/** By the registers' numbers; each has 8 bytes. */
const places = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];
const instructionPointer = 16;
const codeSegment = 17;
/** fs_base */
const threadBase = 21;
/** In a process of 64 bits. */
const code64 = 0x33n;
/** Bytes. */
export const userRegistersLength = 27 * 8;

/** See Processor.registersOf. */
export function generalRegisters(
  bytes: Uint8Array,
): { programCounter: bigint; general: readonly bigint[]; threadPointer: bigint } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (place: number): bigint => view.getBigUint64(8 * place, true);
  if (bytes.length < userRegistersLength || at(codeSegment) !== code64) return undefined;
  return { programCounter: at(instructionPointer), general: places.map(at), threadPointer: at(threadBase) };
}
