/** The variables of which the source makes an argument, where they differ between ranks: what is seen, not that it is wrong. */
import { namedRanks } from '../mpi/rank-names';
import type { PassedExpression, PassedRole } from './passed-expressions';

/** A variable that has several values. */
export interface PassedVariable {
  name: string;
  /** The most frequent first. */
  values: readonly { ranks: string; text: string }[];
}

/** Those of one expression, in the ranks that are in one function. */
export interface PassedVariables {
  /** The call's place: "halo.c:88" */
  where: string;
  expression: Pick<PassedExpression, 'call' | 'role' | 'text'>;
  variables: readonly PassedVariable[];
}

const roleWords: Readonly<Record<PassedRole, string>> = {
  tag: 'the tag',
  root: 'the root',
  count: 'the count',
  comm: 'the communicator',
};

const maxValues = 3;

/** "the tag of MPI_Irecv (halo.c:88) is 100 * phase + 1, where phase is now 13 in rank 1, 12 in ranks 0,2-3" */
export function passedText({ where, expression, variables }: PassedVariables): string {
  const { call, role, text } = expression;
  const own = variables.find(({ name }) => name === text);
  const made = variables.map((variable) => `${variable.name} is now ${valuesText(variable)}`);
  const what = own === undefined ? `, where ${made.join(', and ')}` : `, now ${valuesText(own)}`;
  return `${roleWords[role]} of ${call} (${where}) is ${text}${what}`;
}

/** "13 in rank 1, 12 in ranks 0,2-3": what few have is told first. */
function valuesText({ values }: PassedVariable): string {
  const shown = values.slice(0, maxValues).reverse();
  const rest = values.length > maxValues ? ', and others elsewhere' : '';
  return shown.map(({ ranks, text }) => `${text} in ${namedRanks(ranks)}`).join(', ') + rest;
}
