/** Processors as ELF files name them. */

/** e_machine of the processors that Node runs on. */
const machines: Partial<Record<NodeJS.Architecture, number>> = { x64: 62, arm64: 183, ppc64: 21, riscv64: 243 };
const names: Readonly<Record<number, string>> = {
  3: 'x86 (32 bits)',
  21: 'POWER',
  40: 'ARM (32 bits)',
  62: 'x86-64',
  183: 'AArch64',
  243: 'RISC-V',
};

/** "AArch64" */
export function machineName(machine: number): string {
  return names[machine] ?? `unknown (number ${machine})`;
}

/** False when a file is certain to be for another processor than this machine's. */
export function isForThisMachine(machine: number): boolean {
  const own = machines[process.arch];
  return own === undefined || machine === own;
}
