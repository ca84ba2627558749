/** How gcc's code without optimization names places of its stack frame, as regular expressions over what gdb disassembles. */
export const frameCode = {
  /** Where a function's variables are counted from. */
  base: 'rbp',
  /** The offset of one of them. */
  place: String.raw`(-?)0x([0-9a-f]+)\(%rbp\)`,
  /** Uses of that register that reach no variable. */
  enters: String.raw`(push|pop)\s+%rbp$|mov\s+%rsp,%rbp$`,
  /** Behind this the register is the frame's own. */
  isSet: String.raw`mov\s+%rsp,%rbp`,
  /** A function within this one has its variables by this register, which the code for a pointer to it (49 ba or 49 bb) sets. */
  reachesFromInner: '%r10|0xb[ab]49|nested_func_ptr',
} as const;
