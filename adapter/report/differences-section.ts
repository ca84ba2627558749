/** How ranks differ: where they are, what they run, how many handles they have, and their variables. */
import { countRanks, namedRanks } from '../../plugin-api/mpi/rank-names';
import { counted } from '../../plugin-api/counted';
import { handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import type { Implementation, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import { mergeEqual, type MergedText } from '../../plugin-api/answers/merge';
import { valueOf } from '../gdb/mi/value';
import { allWithShortNumbers, withShortNumbers } from '../../plugin-api/answers/values/short-numbers';
import { valueOverRanks, type RankValue } from '../../plugin-api/answers/value-over-ranks';
import { ownHandles } from './handles-section';
import { html, type Html } from './html';
import { rankBadge, rankKey } from './rank-badge';
import type { Report } from './report';
import { differingVariables } from './variables';

/** One property that every rank has, with each rank's text; at least two ranks. */
interface Aspect {
  name: string;
  texts: Pick<RankValue, 'rank' | 'text' | 'value'>[];
}

export function differencesSection(report: Report): Html {
  if (report.processes.length === 0) return html`<p>No rank could be read.</p>`;
  if (report.processes.length === 1) return html`<p>There is only one rank.</p>`;
  const differing = aspectsOf(report).flatMap(withValues);
  const variables = differingVariables(report.processes).map(({ name, values }) => ({ name, texts: values }));
  const shown = variables.slice(0, maxVariables).flatMap(withValues);
  if (differing.length === 0 && shown.length === 0)
    return html`<p>
      None: they are at the same place, run the same program with the same MPI library, and have the same number of
      handles of each kind; no number or text differs among the variables of their functions.
    </p>`;
  return html`${sentencesOf(oddRanks([...differing, ...shown]))}${table('What', differing)}${table('Variable', shown)}
  ${variables.length > maxVariables ? html`<p>and ${counted(variables.length - maxVariables, 'more variable')}</p>` : undefined}`;
}

/** Nobody reads a longer table. */
const maxVariables = 100;

interface Differing extends Aspect {
  /** What most have comes first. */
  values: readonly MergedText[];
}

/** None when all ranks have the same. */
function withValues({ name, texts }: Aspect): Differing[] {
  const values = mergeEqual(texts).sort((a, b) => countRanks(b.ranks) - countRanks(a.ranks));
  return values.length < 2 ? [] : [{ name, texts, values }];
}

function sentencesOf(odd: readonly MergedText[]): Html | undefined {
  if (odd.length === 0) return undefined;
  return html`<ul class="sentences">
    ${odd.map(
      ({ ranks, text }) => html`<li data-ranks="${ranks}">${namedRanks(ranks)}: differs from most in ${text}</li>`,
    )}
  </ul>`;
}

function table(head: string, rows: readonly Differing[]): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${head}</th>
        <th scope="col">In which ranks</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(({ name, texts, values }) => row(name, values, texts))}
    </tbody>
  </table>`;
}

/** With more values than this, only their number and range are shown. */
const maxValues = 8;

function row(name: string, values: readonly MergedText[], texts: Aspect['texts']): Html {
  const short = allWithShortNumbers(values.map(({ text }) => text));
  const isRange = values.length > maxValues && 2 * countRanks(values[0]!.ranks) <= texts.length;
  const lines = isRange
    ? rangeLines(name, texts)
    : values.map(({ ranks, text }) => {
        const odd = 2 * countRanks(ranks) < texts.length ? html` class="odd"` : undefined;
        return html`<div${odd} data-ranks="${ranks}">${rankBadge(ranks)} <span class="value">${short.get(text)}</span></div>`;
      });
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${lines}</td>
  </tr>`;
}

function rangeLines(name: string, texts: Aspect['texts']): Html[] {
  const { values, minimum, maximum } = valueOverRanks(name, texts);
  const line = ({ ranks, text }: MergedText, what: string): Html =>
    html`<div data-ranks="${ranks}">
      ${rankBadge(ranks)} <span class="value">${withShortNumbers(text)}</span> ${what}
    </div>`;
  return [
    html`<div>${values.length} different values</div>`,
    ...(minimum === undefined ? [] : [line(minimum, 'is the smallest')]),
    ...(maximum === undefined ? [] : [line(maximum, 'is the greatest')]),
  ];
}

/** The ranks that differ from the majority, and how. */
function oddRanks(differing: readonly Differing[]): MergedText[] {
  const namesOf = new Map<string, { rank: RankId; names: string[] }>();
  for (const { name, texts, values } of differing) {
    const [most] = values;
    if (most === undefined || 2 * countRanks(most.ranks) <= texts.length) continue;
    for (const { rank, text } of texts) {
      if (text === most.text) continue;
      const key = rankKey(rank);
      namesOf.set(key, { rank, names: [...(namesOf.get(key)?.names ?? []), name] });
    }
  }
  return mergeEqual([...namesOf.values()].map(({ rank, names }) => ({ rank, text: inWords(names) })));
}

function inWords(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, maxNames), names.length - maxNames];
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const maxNames = 6;

function aspectsOf({ processes, handles }: Report): Aspect[] {
  const asked = handles.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const aspect = <T extends RankId>(
    name: string,
    ranks: readonly T[],
    answer: (rank: T) => string | number | undefined,
  ): Aspect => ({
    name,
    texts: ranks.flatMap((rank) => {
      const own = answer(rank);
      if (own === undefined) return [];
      return [{ rank, text: String(own), value: typeof own === 'number' ? valueOf(String(own)) : undefined }];
    }),
  });
  const ofMpi = (name: string, text: (mpi: Implementation) => string): Aspect =>
    aspect(name, asked, ({ implementation }) =>
      isUnavailable(implementation) ? implementation.reason : text(implementation),
    );
  return [
    aspect('place', processes, ({ whereabouts }) => whereabouts),
    aspect('threads', processes, ({ threads }) => threads),
    aspect('program', processes, ({ program }) => program),
    ofMpi('MPI library', ({ name, version }) => `${name} ${version}`),
    ofMpi('state of MPI', ({ state }) => state),
    ...handleKinds.map((kind) =>
      aspect(`number of ${typeNames[kind]}`, asked, (rank) => {
        const count = ownHandles(rank, kind);
        return typeof count === 'string' ? 'unknown' : count;
      }),
    ),
    aspect('answer', handles.ranks, (rank) => ('error' in rank ? rank.error.reason : 'can be read')),
  ];
}
