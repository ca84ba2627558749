/** The summary: programs, ranks, hosts, and the MPI library with each check of its layouts. */
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import { inWorld } from '../../plugin-api/mpi/worlds';
import type { Implementation, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { capabilityInWords } from '../../plugin-api/mpi/words';
import { handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import { isUnavailable } from '../../plugin-api/result';
import { mergeEqual } from '../../plugin-api/answers/merge';
import { ownHandles } from './handles-section';
import { html, type Html } from './html';
import { rankBadge } from './rank-badge';
import type { Report } from './report';
import { sentences } from './sentences';

export function summarySection(report: Report): Html {
  const { processes, handles, stacks, crash, hang, ended, notes } = report;
  const asked = handles.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const facts: [name: string, texts: { rank: RankId; text: string }[]][] = [
    ['Program', processes.flatMap((rank) => textOf(rank, rank.program))],
    ['Host', processes.flatMap((rank) => textOf(rank, rank.host || undefined))],
    ['MPI library', asked.map((rank) => ({ rank, text: libraryOf(rank) }))],
    [
      'Layouts',
      asked.flatMap((rank) =>
        textOf(
          rank,
          known(rank, ({ layout }) => layout),
        ),
      ),
    ],
    ['Checks', asked.flatMap((rank) => textOf(rank, known(rank, checksOf)))],
    [
      'Built for',
      asked.flatMap((rank) =>
        textOf(
          rank,
          known(rank, ({ abi }) => abi),
        ),
      ),
    ],
    ['Handles', asked.map((rank) => ({ rank, text: countsOf(rank) }))],
  ];
  return html` ${sentences([
      ...(hang === undefined ? crash : [hang]),
      ...(ended === undefined ? [] : [ended]),
      ...leaksOf(asked),
      ...stacks.outliers,
    ])}
    <table>
      <tbody>
        ${facts.map(([name, texts]) => factRow(name, texts, handles.ranks.length))}
      </tbody>
    </table>
    ${sentences(notes)} ${checksTable(asked)}${decodedTable(asked)}${processTable(report)}`;
}

function textOf(rank: RankId, text: string | undefined): { rank: RankId; text: string }[] {
  return text === undefined ? [] : [{ rank, text }];
}

function known({ implementation }: RankAnswer, text: (mpi: Implementation) => string | undefined): string | undefined {
  return isUnavailable(implementation) ? undefined : text(implementation);
}

function libraryOf({ implementation }: RankAnswer): string {
  if (isUnavailable(implementation)) return implementation.reason;
  return `${implementation.name} ${implementation.version}, ${implementation.state}`;
}

function checksOf({ checks = [] }: Implementation): string {
  const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name);
  if (checks.length === 0) return 'none could be made';
  if (failed.length === 0) return `all ${checks.length} passed`;
  return `${failed.length} of ${checks.length} FAILED: ${failed.join(', ')}`;
}

function countsOf(rank: RankAnswer): string {
  const counts = ownCounts(rank);
  if (counts.length > 0) return counts.join(', ');
  // Where lists can be read, that of communicators is never empty.
  const why = isUnavailable(rank.implementation) ? rank.implementation.reason : ownHandles(rank, 'comm');
  return typeof why === 'string' ? `unknown: ${why}` : 'predefined ones only';
}

function ownCounts(rank: RankAnswer): string[] {
  return handleKinds.flatMap((kind) => {
    const count = ownHandles(rank, kind);
    return typeof count === 'string' || count === 0 ? [] : [`${count} ${typeNames[kind]}`];
  });
}

/** Ranks in MPI_Finalize with objects that were not freed. */
function leaksOf(asked: readonly RankAnswer[]): string[] {
  const leaks = asked.flatMap((rank) => {
    const counts = ownCounts(rank);
    return rank.ending === undefined || counts.length === 0
      ? []
      : [{ rank, text: `in ${rank.ending}, not freed: ${counts.join(', ')}` }];
  });
  return mergeEqual(leaks).map(({ ranks, text }) => `${namedRanks(ranks)} ${text}`);
}

function factRow(name: string, texts: { rank: RankId; text: string }[], of: number): Html | undefined {
  if (texts.length === 0) return undefined;
  const merged = mergeEqual(texts);
  const lines = merged.map(({ ranks, text }) =>
    merged.length === 1 && texts.length === of
      ? html`<span class="value">${text}</span>`
      : html`<div>${rankBadge(ranks)} <span class="value">${text}</span></div>`,
  );
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${lines}</td>
  </tr>`;
}

function checksTable(asked: readonly RankAnswer[]): Html | undefined {
  const texts = asked.flatMap((rank) =>
    isUnavailable(rank.implementation)
      ? []
      : (rank.implementation.checks ?? []).map(({ name, passed, found, expected }) => ({
          ...{ rank, passed },
          text: passed ? `passed: ${name}` : `FAILED: ${name}: found ${found}, expected ${expected}`,
        })),
  );
  if (texts.length === 0) return undefined;
  const rows = (passed: boolean, look: CellLook): Row[] =>
    mergeEqual(texts.filter((each) => each.passed === passed)).map((row) => ({ ...row, look }));
  return folded('Layout checks', ['Ranks', 'Check'], [...rows(false, 'bad'), ...rows(true, 'value')]);
}

function decodedTable(asked: readonly RankAnswer[]): Html | undefined {
  const texts = asked.flatMap((rank) =>
    isUnavailable(rank.implementation)
      ? []
      : Object.entries(rank.implementation.capabilities).map(([kind, names]) => ({
          rank,
          text: `${kind}: ${names.map(capabilityInWords).join(', ')}`,
        })),
  );
  return texts.length === 0 ? undefined : folded('What can be decoded', ['Ranks', 'Kind'], mergeEqual(texts));
}

/** The style sheet's class of a cell. */
type CellLook = 'bad' | 'value';

interface Row {
  ranks: string;
  text: string;
  look?: CellLook;
}

function folded(title: string, head: [string, string], rows: readonly Row[]): Html {
  return html` <details>
    <summary>${title}</summary>
    <table>
      <thead>
        <tr>
          ${head.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ ranks, text, look = 'value' }) =>
            html`<tr>
              <td>${rankBadge(ranks)}</td>
              <td class="${look}">${text}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

function processTable({ processes }: Report): Html {
  const hasCores = processes.some(({ core }) => core !== undefined);
  const rows = processes.map(({ rank, world, host, pid, core, whereabouts, threads }) => {
    const number = rank === null ? '?' : String(rank);
    return html`<tr data-ranks="${inWorld(world, number)}">
      <th scope="row">${number}${world === undefined ? undefined : html` <span class="quiet">${world}</span>`}</th>
      <td>${host}</td>
      <td>${pid}</td>
      ${hasCores ? html`<td>${core}</td>` : undefined}
      <td>${threads}</td>
      <td>${whereabouts}</td>
    </tr>`;
  });
  const names = ['Rank', 'Host', 'Process', ...(hasCores ? ['Core file'] : []), 'Threads', 'Place'];
  return html`
<details${processes.length <= 16 ? html` open` : undefined}><summary>The processes</summary>
<table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></details>`;
}
