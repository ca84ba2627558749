/** x86-64, AArch64, POWER and RISC-V: gdb's names of registers that hold addresses and whole numbers. */
const general =
  /^(r([abcd]x|[sd]i|[bs]p|ip|\d+)|eflags|[cdefgs]s|[fg]s_base|x\d+|sp|pc|cpsr|lr|ctr|cr|xer|ra|gp|tp|[ast]\d+)$/;

export function isGeneralRegister(nameInGdb: string): boolean {
  return general.test(nameInGdb);
}
