/** Variables whose values differ between ranks in the same function. */
import type { GdbValue } from '../gdb/mi/value';
import type { LocalValue } from '../query/across-ranks/local-values';
import type { ReportedProcess } from './report';

/** A variable of a function that several ranks are in. */
export interface VariableOverRanks {
  /** "residual in solve" */
  name: string;
  values: { rank: ReportedProcess; value: GdbValue; text: string }[];
}

/** In the order of the first rank that has them, which is innermost frame first. */
export function differingVariables(processes: readonly ReportedProcess[]): VariableOverRanks[] {
  const found = new Map<string, VariableOverRanks>();
  for (const rank of processes) {
    for (const variable of rank.variables) {
      const name = nameOf(variable);
      const known = found.get(name) ?? { name, values: [] };
      known.values.push({ rank, value: variable.value, text: variable.text });
      found.set(name, known);
    }
  }
  return [...found.values()].filter(({ values }) => new Set(values.map(({ text }) => text)).size > 1);
}

function nameOf({ name, frame }: LocalValue): string {
  return frame === '' ? name : `${name} in ${frame}`;
}
