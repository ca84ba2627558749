/** What could not be read, and why: ranks, and fields of handles. */
import { typeNames } from '../../plugin-api/mpi/describe';
import type { Answer, RankError, RankId } from '../../plugin-api/mpi/records';
import { fieldInWords } from '../../plugin-api/mpi/words';
import { isUnavailable } from '../../plugin-api/result';
import { mergeAlike, type MergedText } from '../../plugin-api/answers/merge';
import { html, type Html } from './html';
import { rankBadge, rankKey } from './rank-badge';
import type { Report } from './report';

interface Missing {
  rank: RankId;
  /** "MPI_Request count"; for a whole rank "everything". */
  what: string;
  reason: string;
}

export function unavailableSection({ handles, stacks }: Report): Html {
  const unread = handles.ranks.filter((rank): rank is RankError => 'error' in rank);
  const missing: Missing[] = [
    ...unread.map((rank) => ({ rank, what: 'MPI and its handles', reason: rank.error.reason })),
    ...stacks.errors.map((rank) => ({ rank, what: 'stacks', reason: rank.error.reason })),
    ...handles.ranks.flatMap((rank) =>
      'answers' in rank ? rank.answers.flatMap((answer) => missingIn(answer).map((found) => ({ rank, ...found }))) : [],
    ),
  ];
  if (missing.length === 0) return html`<p>Nothing.</p>`;
  return html` <table>
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">Why</th>
        <th scope="col">Ranks</th>
      </tr>
    </thead>
    <tbody>
      ${byReason(missing).map(
        ({ what, text, ranks }) =>
          html`<tr data-ranks="${ranks}">
            <th scope="row">${what}</th>
            <td>${text}</td>
            <td>${rankBadge(ranks)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function missingIn(answer: Answer): Omit<Missing, 'rank'>[] {
  const { kind } = answer;
  if (answer.code !== 'MPIDBG_SUCCESS')
    return [{ what: kind === undefined ? 'MPI and its handles' : typeNames[kind], reason: answer.reason }];
  return Object.entries(answer.info).flatMap(([field, value]) =>
    reasonsIn(value).map((reason) => ({ what: `${typeNames[answer.kind]} ${fieldInWords(field)}`, reason })),
  );
}

function reasonsIn(value: unknown): string[] {
  if (isUnavailable(value)) return [value.reason];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(reasonsIn);
}

/** Items missing in the same ranks for the same reason are grouped. */
function byReason(missing: readonly Missing[]): (MergedText & { what: string })[] {
  const ofWhat = new Map<string, Map<string, { rank: RankId; text: string }>>();
  for (const { rank, what, reason } of missing) {
    const rows = ofWhat.get(what) ?? new Map<string, { rank: RankId; text: string }>();
    ofWhat.set(what, rows.set(`${rankKey(rank)} ${reason}`, { rank, text: reason }));
  }
  const found = new Map<string, MergedText & { what: string }>();
  for (const [what, rows] of ofWhat)
    for (const merged of mergeAlike([...rows.values()])) {
      const key = `${merged.ranks} ${merged.text}`;
      const known = found.get(key);
      found.set(key, { ...merged, what: known === undefined ? what : `${known.what}, ${what}` });
    }
  return [...found.values()];
}
