/** The descriptors that a system call waits for, as it was given them. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { Registers } from '../../../plugin-api/processor/registers';
import { guard } from '../../../plugin-api/result';

/** first: the first argument is one. polled: an array of pollfd and its length. selected: the number of bits in each of three sets. */
export type Descriptors = 'first' | 'polled' | 'selected';

const maxDescriptors = 1024;
/** sizeof(struct pollfd) */
const polledSize = 8;

/** undefined: they are not known, or there are none. */
export async function descriptorsOf(
  where: Descriptors | undefined,
  registers: Registers | undefined,
  image: ProcessImage,
): Promise<number[] | undefined> {
  const argument = (index: number): bigint => registers?.systemCallArgument(index) ?? 0n;
  switch (where) {
    case undefined:
      return undefined;
    case 'first':
      return registers === undefined ? undefined : [Number(BigInt.asIntN(32, argument(0)))];
    case 'polled': {
      const bytes = await bytesAt(image, argument(0), Number(BigInt.asUintN(32, argument(1))) * polledSize);
      if (bytes === undefined) return undefined;
      const each = Array.from({ length: bytes.byteLength / polledSize }, (_, i) =>
        bytes.getInt32(i * polledSize, true),
      );
      return each.filter((descriptor) => descriptor >= 0);
    }
    case 'selected': {
      const length = Math.ceil(Number(BigInt.asUintN(32, argument(0))) / 8);
      const sets = [1, 2, 3].map(argument).filter((address) => address !== 0n);
      const bytes = await Promise.all(sets.map((address) => bytesAt(image, address, length)));
      return bytes.flatMap((set) => (set === undefined ? [] : membersOf(set)));
    }
  }
}

function membersOf(set: DataView): number[] {
  return Array.from({ length: set.byteLength * 8 }, (_, bit) => bit).filter(
    (bit) => (set.getUint8(bit >> 3) & (1 << (bit & 7))) !== 0,
  );
}

async function bytesAt(image: ProcessImage, address: bigint, length: number): Promise<DataView | undefined> {
  if (length === 0 || length > maxDescriptors * polledSize) return undefined;
  const read = await guard(() => image.readMemory(address, length));
  return read.ok ? new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength) : undefined;
}
