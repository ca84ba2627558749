/** In what ranks differ from each other: where they are, what runs in them, and how many handles they have. */
import { handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import type { Implementation, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import { mergeEqual, type MergedText } from '../query/merge';
import { ownHandles } from './handles-section';
import { html, type Html } from './html';
import { countRanks, rankBadge, rankKey, ranksInWords } from './rank-badge';
import type { Report } from './report';

/** One thing that every rank has, in the ranks' words; `texts` of more than one rank. */
interface Aspect {
  name: string;
  texts: { rank: RankId; text: string }[];
}

export function differencesSection(report: Report): Html {
  if (report.processes.length < 2) return html`<p>There is only one.</p>`;
  const differing = aspectsOf(report).flatMap(({ name, texts }) => {
    const values = mergeEqual(texts).sort((a, b) => countRanks(b.ranks) - countRanks(a.ranks));
    return values.length < 2 ? [] : [{ name, texts, values }];
  });
  if (differing.length === 0)
    return html`<p>
      None: they are at the same place, run the same program with the same MPI library, and have as many handles of each
      kind.
    </p>`;
  return html` <ul class="sentences">
      ${oddRanks(differing).map(
        ({ ranks, text }) => html`<li data-ranks="${ranks}">${ranksInWords(ranks)}: differs from most in ${text}</li>`,
      )}
    </ul>
    <table>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">In which ranks</th>
        </tr>
      </thead>
      <tbody>
        ${differing.map(({ name, texts, values }) => row(name, values, texts.length))}
      </tbody>
    </table>`;
}

function row(name: string, values: readonly MergedText[], of: number): Html {
  const lines = values.map(({ ranks, text }) => {
    const odd = 2 * countRanks(ranks) < of ? html` class="odd"` : undefined;
    return html`<div${odd} data-ranks="${ranks}">${rankBadge(ranks)} <span class="value">${text}</span></div>`;
  });
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${lines}</td>
  </tr>`;
}

/** Who differs from what more than half of the ranks have, and in what. */
function oddRanks(differing: readonly (Aspect & { values: readonly MergedText[] })[]): MergedText[] {
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
  return mergeEqual([...namesOf.values()].map(({ rank, names }) => ({ rank, text: names.join(', ') })));
}

function aspectsOf({ processes, handles }: Report): Aspect[] {
  const asked = handles.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const aspect = <T extends RankId>(
    name: string,
    ranks: readonly T[],
    text: (rank: T) => string | undefined,
  ): Aspect => ({
    name,
    texts: ranks.flatMap((rank) => {
      const said = text(rank);
      return said === undefined ? [] : [{ rank, text: said }];
    }),
  });
  const ofMpi = (name: string, text: (mpi: Implementation) => string): Aspect =>
    aspect(name, asked, ({ implementation }) =>
      isUnavailable(implementation) ? implementation.reason : text(implementation),
    );
  return [
    aspect('place', processes, ({ place }) => place),
    aspect('threads', processes, ({ threads }) => String(threads)),
    aspect('program', processes, ({ program }) => program),
    ofMpi('MPI library', ({ name, version }) => `${name} ${version}`),
    ofMpi('state of MPI', ({ state }) => state),
    ...handleKinds.map((kind) =>
      aspect(`number of ${typeNames[kind]}`, asked, (rank) => String(ownHandles(rank, kind))),
    ),
    aspect('answer', handles.ranks, (rank) => ('error' in rank ? rank.error.reason : 'can be read')),
  ];
}
