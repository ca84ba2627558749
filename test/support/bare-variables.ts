/** The truth of variables that are asked for by their bare names: the program alone says which handles they are. */
import type { TruthRecord } from './truth';

/** A number that no call of MPI is made with cannot be known; the samples have one each. */
const unexplained = 'garbage';

/** Records without the kinds that their expressions name for a debugger that cannot infer; of a status, the array it is in. */
export function bareVariables(truth: readonly TruthRecord[]): TruthRecord[] {
  return truth
    .map((record) => ({
      ...record,
      expression: withoutKind(record.expression),
      ask: withoutKind(record.ask).replace(/\(:,\d+\)$/, ''),
    }))
    .filter(({ expression }) => expression !== unexplained);
}

function withoutKind(expression: string): string {
  return expression.replace(/^\w+(\.f)?:(?!:)/, '');
}
