/** General-purpose registers of x86-64 by their number, and what the System V conventions make of them. */
export const rax = 0;
export const rcx = 1;
export const rdx = 2;
export const rbx = 3;
export const rsp = 4;
export const rbp = 5;
export const rsi = 6;
export const rdi = 7;
export const r10 = 10;

/** In the order of the C arguments. */
export const argumentRegisters = [7, 6, 2, 1, 8, 9] as const;
/** A function may change them. */
export const scratchRegisters = [0, 1, 2, 6, 7, 8, 9, 10, 11] as const;
export const savedRegisters = [3, 5, 12, 13, 14, 15] as const;
