/** The live handles of all ranks, kind by kind: what is alike in several ranks is one line, its fields below it. */
import { describeAnswer, describeFields, fullText, handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import { inWords } from '../../plugin-api/mpi/words';
import type { Answer, Document, HandleKind, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { groupAlike, mergeAlike, mergeEqual, type MergedText } from '../../plugin-api/answers/merge';
import { html, type Html } from './html';
import { rankBadge } from './rank-badge';

/** An object of one rank; `text` is its line. */
interface Entry {
  rank: RankId;
  text: string;
  answer: Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;
}

/** For one kind: the program's objects, the predefined ones, and the library's own. */
interface Sorted {
  own: Entry[];
  predefined: Entry[];
  internal: Entry[];
  /** The ranks whose list cannot be read or may lack objects. */
  reasons: { rank: RankId; text: string }[];
}

export function handlesSection({ ranks }: Document): Html {
  const asked = ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const kinds = handleKinds.flatMap((kind) => kindSection(kind, sorted(asked, kind)) ?? []);
  if (kinds.length === 0) return html`<p>No handle could be read.</p>`;
  return html` <p class="quiet">
      Handles that are alike in several ranks share one line, with differing numbers in rank order; unfold it to see
      every field of every rank.
    </p>
    ${kinds}`;
}

/** How many objects of this kind the program made itself in this rank; a text tells why that is not known. */
export function ownHandles(rank: RankAnswer, kind: HandleKind): number | string {
  const { own, predefined, internal, reasons } = sorted([rank], kind);
  const [unread] = reasons;
  return unread !== undefined && own.length + predefined.length + internal.length === 0 ? unread.text : own.length;
}

function sorted(asked: readonly RankAnswer[], kind: HandleKind): Sorted {
  const found: Sorted = { own: [], predefined: [], internal: [], reasons: [] };
  for (const rank of asked)
    for (const answer of rank.answers) {
      if (answer.kind !== kind) continue;
      if (answer.code !== 'MPIDBG_SUCCESS') {
        found.reasons.push({ rank, text: answer.reason });
        continue;
      }
      const flags: readonly string[] = 'flags' in answer.info ? answer.info.flags : [];
      const handle = 'handle' in answer.info ? `  (${answer.info.handle})` : '';
      const entry: Entry = { rank, text: `${describeAnswer(answer)}${handle}`, answer };
      if (flags.includes('internal')) found.internal.push(entry);
      else if (flags.includes('predefined')) found.predefined.push(entry);
      else found.own.push(entry);
    }
  return found;
}

function kindSection(kind: HandleKind, { own, predefined, internal, reasons }: Sorted): Html | undefined {
  if (own.length + predefined.length + internal.length + reasons.length === 0) return undefined;
  const groups = groupAlike(own);
  return html` <details class="kind" ${groups.length === 0 ? undefined : html` open`}>
    <summary>
      <h3>${typeNames[kind]}</h3>
      <span class="quiet">${contents(groups.length, predefined, internal, reasons.length > 0)}</span>
    </summary>
    ${groups.map(entryLine)}${more('Predefined', predefined)}${more("The MPI library's own", internal)}${mergeEqual(reasons).map(reasonLine)}
  </details>`;
}

function contents(
  own: number,
  predefined: readonly Entry[],
  internal: readonly Entry[],
  areSomeUnread: boolean,
): string {
  const none = areSomeUnread ? 'none that could be read' : 'none';
  const parts = [
    own > 0 ? String(own) : predefined.length > 0 ? 'only predefined ones' : none,
    ...(own > 0 && predefined.length > 0 ? ['predefined ones folded'] : []),
    ...(internal.length > 0 ? ["the library's own folded"] : []),
  ];
  return parts.join(', ');
}

function reasonLine({ ranks, text }: MergedText): Html {
  return html`<p class="entry" data-ranks="${ranks}">${rankBadge(ranks)} <span class="quiet">${text}</span></p>`;
}

function more(title: string, entries: readonly Entry[]): Html | undefined {
  if (entries.length === 0) return undefined;
  const groups = groupAlike(entries);
  return html`<details>
    <summary class="quiet">${title} (${groups.length})</summary>
    ${groups.map(entryLine)}
  </details>`;
}

function entryLine(group: readonly Entry[]): Html {
  const [{ ranks, text } = { ranks: '', text: '' }] = mergeAlike(group);
  return html` <details class="entry" data-ranks="${ranks}">
    <summary>${rankBadge(ranks)} <span class="line">${text}</span></summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        ${fieldRows(group)}
      </tbody>
    </table>
  </details>`;
}

/** A row for each field; within a field the ranks with equal values together. */
function fieldRows(group: readonly Entry[]): Html[] {
  const byName = new Map<string, { rank: RankId; text: string }[]>();
  for (const { rank, answer } of group)
    for (const field of describeFields(answer.info).map(inWords)) {
      const values = byName.get(field.name) ?? [];
      byName.set(field.name, values);
      values.push({ rank, text: fullText(field) });
    }
  return [...byName].map(([name, values]) => {
    const merged = mergeEqual(values);
    const isSame = merged.length === 1 && values.length === group.length;
    const lines = merged.map((value) => valueLine(value, isSame));
    const shown =
      lines.length > 4
        ? html`<details>
            <summary>${lines.length} values</summary>
            ${lines}
          </details>`
        : lines;
    return html`<tr>
      <th scope="row">${name}</th>
      <td>${shown}</td>
    </tr>`;
  });
}

function valueLine({ ranks, text }: MergedText, isSame: boolean): Html {
  const value =
    text.length > 300
      ? html`<details>
          <summary class="value">${text.slice(0, 120)} …</summary>
          <span class="value">${text}</span>
        </details>`
      : html`<span class="value">${text}</span>`;
  return isSame ? value : html`<div>${rankBadge(ranks)} ${value}</div>`;
}
