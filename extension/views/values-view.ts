/**
 * The Values over Ranks view: the user's expressions, each evaluated in all ranks of the focus, and below them the variables of
 * the selected frame that differ between these ranks.
 */
import * as vscode from 'vscode';
import { textOfMerged, type ValueOverRanks } from '../../adapter/query/across-ranks/value-over-ranks';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { slicePicture } from '../pictures/slice-picture';
import { valuesPicture } from '../pictures/values-picture';
import { wordsOfRanks } from '../ranks/rank-text';
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

  async rows(job: JobClient): Promise<Row[]> {
    const [differences, ...own] = await Promise.all([
      differenceRows(job),
      ...this.expressions.map(async (expression): Promise<Row> => {
        const row = { id: expression, label: expression, context: 'value' as const };
        try {
          return { ...row, ...valueRow(await job.value(expression), 'value') };
        } catch (error) {
          return { ...row, description: error instanceof Error ? error.message : String(error) };
        }
      }),
    ]);
    return [...own, ...differences];
  }
}

/** None while no frame is selected, or with a single rank in it. */
async function differenceRows(job: JobClient): Promise<Row[]> {
  // The frame may be gone, when the job has gone on meanwhile.
  const found = await job.differences().catch(() => undefined);
  if (found === undefined || /^\d*$/.test(found.ranks)) return [];
  const { function: name, ranks, variables, alike } = found;
  return [
    {
      id: 'differences',
      label: variables.length === 0 ? `No differences in ${name}` : `Differences in ${name}`,
      description: wordsOfRanks(ranks),
      tooltip:
        alike.length === 0
          ? 'Every number and text differs.'
          : `Equal in all these ranks: ${visible(alike.join(', '))}`,
      icon: new vscode.ThemeIcon('diff'),
      isOpen: true,
      children: variables.map((value) => {
        const row = valueRow(value, 'difference');
        return { ...row, id: `difference ${value.expression}`, label: value.expression };
      }),
    },
  ];
}

/** `what`: of the row's menu. */
function valueRow(value: ValueOverRanks, what: 'value' | 'difference'): Partial<Row> {
  const picture = valuesPicture(value) ?? slicePicture(value);
  return {
    ...describe(value),
    ...(picture === undefined ? { context: what } : { context: `${what} picture`, picture: () => picture }),
  };
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
