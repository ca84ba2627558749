/** DWARF expressions, as far as call frame information of x86-64 has them: of procedure linkage tables and of signals. */
import { ByteReader } from './byte-reader';
import { UnwindError } from './unwind-error';

export interface ExpressionContext {
  /** The value of the register with DWARF's number. Throws UnwindError where its value is not known. */
  register(number: number): bigint;
  readPointer(address: bigint): Promise<bigint>;
}

/** No compiler writes longer ones. */
const maxSteps = 1000;

const binary: Record<number, (a: bigint, b: bigint) => bigint> = {
  0x1a: (a, b) => a & b,
  0x1c: (a, b) => a - b,
  0x1e: (a, b) => a * b,
  0x21: (a, b) => a | b,
  0x22: (a, b) => a + b,
  0x24: (a, b) => (b < 64n ? a << b : 0n),
  0x25: (a, b) => (b < 64n ? a >> b : 0n),
  0x27: (a, b) => a ^ b,
  0x29: (a, b) => truth(a === b),
  0x2a: (a, b) => truth(signed(a) >= signed(b)),
  0x2b: (a, b) => truth(signed(a) > signed(b)),
  0x2c: (a, b) => truth(signed(a) <= signed(b)),
  0x2d: (a, b) => truth(signed(a) < signed(b)),
  0x2e: (a, b) => truth(a !== b),
};

const truth = (is: boolean): bigint => (is ? 1n : 0n);
const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

/** `first`: what is on the stack before. Rejects with UnwindError, and as readPointer does. */
export async function evaluate(expression: Uint8Array, context: ExpressionContext, first?: bigint): Promise<bigint> {
  const reader = new ByteReader(expression, 0n);
  const stack: bigint[] = first === undefined ? [] : [first];
  const push = (value: bigint): void => void stack.push(BigInt.asUintN(64, value));
  const pop = (): bigint => {
    const value = stack.pop();
    if (value === undefined) throw new UnwindError('an expression of unwinding information takes what is not there');
    return value;
  };
  for (let steps = 0; !reader.isAtEnd; steps++) {
    if (steps > maxSteps) throw new UnwindError('an expression of unwinding information is too long');
    const operation = reader.u8();
    const compute = binary[operation];
    if (compute !== undefined) {
      const second = pop();
      push(compute(pop(), second));
    } else if (operation >= 0x30 && operation <= 0x4f) push(BigInt(operation - 0x30));
    else if (operation >= 0x70 && operation <= 0x8f)
      push(context.register(operation - 0x70) + BigInt(reader.signedLeb()));
    else if (operation === 0x06) push(await context.readPointer(pop()));
    else if (operation === 0x12) {
      const top = pop();
      push(top);
      push(top);
    } else if (operation === 0x23) push(pop() + BigInt(reader.unsigned()));
    else push(constant(reader, operation));
  }
  return pop();
}

function constant(reader: ByteReader, operation: number): bigint {
  switch (operation) {
    case 0x08:
      return BigInt(reader.u8());
    case 0x09:
      return reader.signed(1);
    case 0x0a:
      return BigInt(reader.u16());
    case 0x0b:
      return reader.signed(2);
    case 0x0c:
      return BigInt(reader.u32());
    case 0x0d:
      return reader.signed(4);
    case 0x0e:
      return reader.u64();
    case 0x0f:
      return reader.signed(8);
    case 0x10:
      return BigInt(reader.unsigned());
    case 0x11:
      return BigInt(reader.signedLeb());
    default:
      throw new UnwindError(`an expression of unwinding information has the unknown operation ${operation}`);
  }
}
