/**
 * The Values over Ranks view: the user's expressions, each evaluated in all ranks of the focus, and below them the variables of
 * the selected frame that differ between these ranks, and what looks for NaN in all of them.
 */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isRankText } from '../ranks/rank-numbers';
import { textOfMerged, type ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import { visible } from '../../plugin-api/visible-text';
import { countRanks, isOneRank } from '../../plugin-api/mpi/rank-names';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { slicePicture } from '../pictures/slice-picture';
import { valuesPicture } from '../pictures/values-picture';
import { wordsOfRanks } from '../ranks/rank-text';
import { findNanRow } from './nan-rows';
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
    return [...own, ...differences, findNanRow(job)];
  }
}

/** None while no frame is selected, or with a single rank in it. */
async function differenceRows(job: JobClient): Promise<Row[]> {
  // The frame may be gone, when the job has gone on meanwhile.
  const found = await job.differences().catch(() => undefined);
  if (found === undefined || isOneRank(found.ranks) || found.ranks === '') return [];
  const { function: name, ranks, variables, alike } = found;
  return [
    {
      id: 'differences',
      label: variables.length === 0 ? l10n.t('No differences in {0}', name) : l10n.t('Differences in {0}', name),
      description: wordsOfRanks(ranks),
      tooltip:
        alike.length === 0
          ? l10n.t('Every number and text differs.')
          : l10n.t('Equal in all these ranks: {0}', visible(alike.join(', '))),
      icon: new vscode.ThemeIcon('diff'),
      isOpen: true,
      children: variables.map(differenceRow),
    },
    {
      id: 'compound differences',
      label: l10n.t('Arrays and objects that differ'),
      icon: new vscode.ThemeIcon('symbol-array'),
      load: () => compoundRows(job, [...variables.map(({ expression }) => expression), ...alike]),
    },
  ];
}

/** Read when they are asked for: large containers take seconds. `known`: what is told above. */
async function compoundRows(job: JobClient, known: readonly string[]): Promise<Row[]> {
  const told = new Set(known);
  const found = (await job.differences(true))?.variables.filter(({ expression }) => !told.has(expression)) ?? [];
  return found.length === 0 ? [{ id: 'none', label: l10n.t('None') }] : found.map(differenceRow);
}

function differenceRow(value: ValueOverRanks): Row {
  return { ...valueRow(value, 'difference'), id: `difference ${value.expression}`, label: value.expression };
}

/** `what`: of the row's menu. */
export function valueRow(value: ValueOverRanks, what: 'value' | 'difference'): Partial<Row> {
  const picture = valuesPicture(value) ?? slicePicture(value);
  return {
    ...describe(value),
    ...(picture === undefined ? { context: what } : { context: `${what} picture`, picture: () => picture }),
  };
}

/** Characters of a value that is told beside another. */
const maxBeside = 32;

/** Values that are told each with its ranks. */
const maxEach = 3;

/**
 * "13 in rank 1 · 12 in ranks 0,2-3": the fewest ranks first. Undefined: there are more values, each rank of many has its own, or
 * they are long.
 */
function eachValue({ values, nan, errors }: ValueOverRanks): string | undefined {
  if (values.length < 2 || values.length > maxEach || errors.length > 0 || nan !== undefined) return undefined;
  if (values.some(({ of }) => of !== undefined)) return undefined;
  const ranks = values.reduce((sum, each) => sum + countRanks(each.ranks), 0);
  if (values.length > 2 && ranks === values.length) return undefined;
  const sorted = [...values].sort((a, b) => countRanks(a.ranks) - countRanks(b.ranks));
  const texts = sorted.map(textOfMerged);
  if (texts.some((text) => text.length > maxBeside)) return undefined;
  return sorted.map(({ ranks }, i) => l10n.t('{0} in {1}', texts[i]!, wordsOfRanks(ranks))).join(' · ');
}

function describe(value: ValueOverRanks): Partial<Row> {
  const { values, minimum, maximum, nan, differ, errors } = value;
  const [only, second] = values;
  const [fault, another] = errors;
  const agreed =
    second === undefined && another === undefined && (only === undefined || fault === undefined)
      ? only === undefined
        ? fault?.text
        : textOfMerged(only)
      : undefined;
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum.text} … ${maximum.text}`];
  const none = nan === undefined ? [] : [l10n.t('not a number in {0}', nan)];
  const odd = differ === undefined ? [] : [l10n.t('differs in {0}', differ)];
  return {
    description:
      agreed ?? eachValue(value) ?? ([...range, ...none, ...odd].join(' · ') || l10n.t('{0} values', values.length)),
    children: [...values, ...errors].map(({ ranks, text, ...value }) => ({
      id: `${ranks}: ${text}`,
      label: textOfMerged({ ranks, text, ...value }),
      description: withExtremes(ranks, text === minimum?.text, text === maximum?.text),
      ...(isRankText(ranks)
        ? {
            context: 'ranks' as const,
            ranks,
            command: { command: rankCommands.showRow, title: l10n.t('Show'), arguments: [{ ranks }] },
          }
        : {}),
    })),
  };
}

function withExtremes(ranks: string, isMinimum: boolean, isMaximum: boolean): string {
  if (isMinimum && isMaximum) return l10n.t('{0} · minimum · maximum', ranks);
  if (isMinimum) return l10n.t('{0} · minimum', ranks);
  return isMaximum ? l10n.t('{0} · maximum', ranks) : ranks;
}
