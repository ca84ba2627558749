/** The Values over Ranks view: the user's expressions, each evaluated in all ranks of the focus. */
import type * as vscode from 'vscode';
import { textOfMerged, type ValueOverRanks } from '../../adapter/query/across-ranks/value-over-ranks';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { valuesPicture } from '../pictures/values-picture';
import type { Row } from './row';

const stateKey = 'mpidbg.values';

export class Values {
  constructor(private readonly state: vscode.Memento) {}

  get expressions(): readonly string[] {
    return this.state.get<string[]>(stateKey, []);
  }

  async add(expression: string): Promise<void> {
    await this.state.update(stateKey, [...new Set([...this.expressions, expression])]);
  }

  async remove(expression: string): Promise<void> {
    await this.state.update(
      stateKey,
      this.expressions.filter((each) => each !== expression),
    );
  }

  rows(job: JobClient): Promise<Row[]> {
    return Promise.all(
      this.expressions.map(async (expression): Promise<Row> => {
        const row = { id: expression, label: expression, context: 'value' as const };
        try {
          const value = await job.value(expression);
          const picture = valuesPicture(value);
          const drawn = picture === undefined ? {} : { context: 'value picture' as const, picture: () => picture };
          return { ...row, ...describe(value), ...drawn };
        } catch (error) {
          return { ...row, description: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
  }
}

function describe({ values, minimum, maximum, nan, differ, errors }: ValueOverRanks): Partial<Row> {
  const [only, second] = values;
  const [fault, another] = errors;
  const agreed =
    second === undefined && another === undefined && (only === undefined || fault === undefined)
      ? only === undefined
        ? fault?.text
        : textOfMerged(only)
      : undefined;
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum.text} … ${maximum.text}`];
  const none = nan === undefined ? [] : [`not a number in ${nan}`];
  const odd = differ === undefined ? [] : [`differs in ${differ}`];
  return {
    description: agreed ?? ([...range, ...none, ...odd].join(' · ') || `${values.length} values`),
    children: [...values, ...errors].map(({ ranks, text, ...value }) => ({
      id: `${ranks}: ${text}`,
      label: textOfMerged({ ranks, text, ...value }),
      description: `${ranks}${text === minimum?.text ? ' · minimum' : ''}${text === maximum?.text ? ' · maximum' : ''}`,
      ...(/^[\d,-]+$/.test(ranks)
        ? {
            context: 'ranks' as const,
            ranks,
            command: { command: rankCommands.showRow, title: 'Show', arguments: [{ ranks }] },
          }
        : {}),
    })),
  };
}
