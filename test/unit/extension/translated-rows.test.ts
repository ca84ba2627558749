/** No row of a view has a text that is in English only, but for what the adapter says. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { OverlayDocument } from '../../../plugin-api/overlays/records';
import { pvarClassWords } from '../../../plugin-api/answers/text/variables-text';
import { noCategory } from '../../../plugin-api/answers/text/overlay-categories';
import { equalItems, queueNames } from '../../../plugin-api/answers/text/queue-item';
import type { CommQueues } from '../../../plugin-api/mpi/queue-records';
import type { JobClient, RankRow } from '../../../extension/ranks/job-client';
import { doingOf, nameOf } from '../../../extension/ranks/rank-text';
import { wordOfPosition, wordOfState, wordOfStop } from '../../../extension/ranks/state-words';
import type * as EventsView from '../../../extension/views/events-view';
import type * as HandlesView from '../../../extension/views/handles-view';
import type * as HangView from '../../../extension/views/hang-view';
import type * as PerformanceView from '../../../extension/views/performance-view';
import type * as QueuesView from '../../../extension/views/queues-view';
import type * as RanksView from '../../../extension/views/ranks-view';
import type { Row } from '../../../extension/views/row';
import type * as StacksView from '../../../extension/views/stacks-view';
import type * as ValuesView from '../../../extension/views/values-view';
import { assertTranslated, speakInBrackets } from '../../support/translation';
import { loadWithEditor } from '../../support/with-editor';

/** The texts of the row and all below it. */
async function textsOf(rows: readonly Row[]): Promise<string[]> {
  const texts = rows.flatMap(({ label, description, tooltip, iconText, command }) =>
    [label, description, tooltip, iconText, command?.title].filter((text) => text !== undefined),
  );
  for (const { children, load } of rows) texts.push(...(await textsOf(children ?? (await load?.()) ?? [])));
  return texts;
}

const job = (answers: Record<string, unknown>): JobClient =>
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, () => Promise.resolve(answer)]),
  ) as unknown as JobClient;

const failed = [
  { rank: 8, error: { reason: 'αβγ' } },
  { rank: null, pid: 9, error: { reason: 'δεζ' } },
];

describe('the texts of rows, translated,', () => {
  speakInBrackets();

  it('of ranks', async () => {
    const { rankRows } = loadWithEditor<typeof RanksView>('views/ranks-view');
    const row = (rank: number | null, rest: object): object => ({ rank, pid: 7, host: 'α', threadIds: [], ...rest });
    const ranks = [
      row(0, { state: 'stopped', place: 'φ', source: { file: '/χ', line: 3 }, stopReason: 'breakpoint' }),
      row(1, { state: 'stopped', place: 'φ', source: { file: '/χ', line: 3 }, stopReason: 'breakpoint' }),
      row(2, { state: 'running' }),
      row(3, { state: 'exited', exitCode: 3 }),
      row(null, { state: 'core' }),
    ];
    const focus = { ranks: '0-2', all: false, scope: 'focus' };
    assertTranslated(await textsOf(await rankRows(job({ ranksWithPlaces: ranks, focus }))));
  });

  it('of what ranks do', () => {
    const states = ['starting', 'running', 'stopped', 'exited', 'lost', 'core'] as const;
    const positions = ['blocked', 'polling', 'running', 'finalizing', 'ended', 'unknown'] as const;
    const stops = ['entry', 'breakpoint', 'step', 'pause', 'signal', 'attach'];
    const ended: RankRow = { rank: null, host: 'α', state: 'core', exitCode: 3, threadIds: [] };
    assertTranslated([
      ...states.map(wordOfState),
      ...positions.map(wordOfPosition),
      ...stops.map(wordOfStop),
      ...[doingOf(ended), nameOf(ended)],
    ]);
  });

  it('of stacks', async () => {
    const { stackRows } = loadWithEditor<typeof StacksView>('views/stacks-view');
    const frame = { name: 'α', source: '/β', line: 3 };
    const stacks = { outliers: ['γ'], tree: [{ frame, ranks: '0', threads: 4, children: [] }], errors: failed };
    assertTranslated(await textsOf(await stackRows(job({ stacks }))));
  });

  it('of a hang', async () => {
    const { hangRows } = loadWithEditor<typeof HangView>('views/hang-view');
    const waiting = (rank: number, rest: object): object => ({ rank, thread: 1, state: 'blocked', ...rest });
    const ranks = [
      waiting(0, { call: 'MPI_Recv', where: 'α:3', waitsFor: [1] }),
      waiting(1, { call: 'MPI_Recv', where: 'α:3', waitsFor: [0, 2], mode: 'OR' }),
      waiting(2, { waitsFor: [1] }),
      waiting(3, { waitsFor: [1], mode: 'OR', thread: 2 }),
      waiting(4, { state: 'running', where: 'α:3' }),
      waiting(5, { state: 'ended' }),
      ...failed,
    ];
    const rest = { sentence: 'αβγ', culprits: [0], evidence: [0, 1].map((rank) => ({ rank, fact: 'δ' })) };
    for (const [verdict, type] of [
      ['deadlock', 'rma'],
      ['progress', null],
      ['unknown', null],
    ])
      assertTranslated(await textsOf(hangRows({ ...rest, verdict, type, ranks } as HangDocument)));
  });

  it('of message queues', async () => {
    const { queueRows } = loadWithEditor<typeof QueuesView>('views/queues-view');
    const comm = {
      comm: { kind: 'comm', handle: '0x1', name: 'αβγ' },
      posted: [{ peer: 1, tag: 7, bytes: 4 }],
      unexpected: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'δ' },
      sends: [],
    } as unknown as CommQueues;
    const ranks = [
      { rank: 0, comms: [comm], notes: ['ε'] },
      { rank: 1, comms: [] },
      { rank: 2, comms: [] },
      { rank: null, pid: 7, comms: [] },
      ...failed,
    ];
    const said = [...Object.values(queueNames), ...equalItems(comm).flatMap(({ what, text }) => [what, text])];
    assertTranslated(await textsOf(await queueRows(job({ queues: { ranks } }))), said);
  });

  it('of handles, but for what is known of each', async () => {
    const { Handles } = loadWithEditor<typeof HandlesView>('views/handles-view');
    const comm = (flags: string[]): object => ({
      ...{ kind: 'comm', code: 'MPIDBG_SUCCESS' },
      info: { handle: '0x1', name: 'α', flags, rank: 0, size: 2, localProcs: [0, 1] },
    });
    const answers = [{ rank: 0, implementation: {}, answers: [comm([]), comm(['predefined'])] }, ...failed];
    const [kind, ...others] = await new Handles().rows(job({ handles: { ranks: answers } }));
    assertTranslated([kind!.description!, ...(await textsOf(others))]);
    assertTranslated([kind!.children![0]!.picture!().title]);
    const handles = new Handles();
    assertTranslated(await textsOf(await handles.rows(job({ handles: { ranks: [] } }))));
    handles.filter = 'α';
    assertTranslated(await textsOf(await handles.rows(job({ handles: { ranks: [] } }))));
  });

  it('of values over ranks', async () => {
    const { Values } = loadWithEditor<typeof ValuesView>('views/values-view');
    const values = [
      { ranks: '0', text: '1' },
      { ranks: '1', text: '2' },
    ];
    const [low, high] = values;
    const number = { expression: 'α', values, minimum: low, maximum: high, nan: '3', differ: '1', errors: [] };
    const text = { expression: 'β', values: [...values, { ranks: '2', text: 'γ' }], errors: [] };
    const same = { ...number, minimum: low, maximum: low };
    const differences = { function: 'δ', ranks: '0-1', alike: ['ε'], variables: [number, text, same] };
    const stored = new Values({ get: () => ['α'] } as never);
    const nan = { found: [], notLookedAt: [], lookedAt: [{}], errors: [] };
    assertTranslated(await textsOf(await stored.rows(job({ differences, value: number, nan }))));
    const none = { ...differences, alike: [], variables: [] };
    assertTranslated(await textsOf(await new Values({ get: () => [] } as never).rows(job({ differences: none, nan }))));
  });

  it('of events', async () => {
    const { eventRows } = loadWithEditor<typeof EventsView>('views/events-view');
    const event = (rest: object): object => ({ type: 'ε', time: 1, thread: 2, source: 'σ', elements: [], ...rest });
    const events = [event({}), event({ source: '' }), event({ dropped: 1 }), event({ dropped: 3 })];
    const rank = (number: number | null, raised: number, dropped: number): object => ({
      ...{ rank: number, pid: 7, collector: { denied: [], overwritten: 0 }, events },
      eventTypes: [{ name: 'ε', raised, dropped, registrations: [{}] }],
    });
    const said = [/\d+ (raised|dropped by the library)/g, /(\d+ events were|1 event was) dropped/g];
    const rows = await eventRows(job({ events: { ranks: [rank(0, 1, 0), rank(null, 4, 2), ...failed] } }));
    const texts = (await textsOf(rows)).map((text) => said.reduce((left, each) => left.replace(each, ''), text));
    // Seconds, by the symbol that all languages have.
    assertTranslated(texts.map((text) => text.replace(/\d s {2}/g, '')));
  });

  it('of performance and control variables', async () => {
    const { Performance } = loadWithEditor<typeof PerformanceView>('views/performance-view');
    const collector = { denied: [] };
    const pvar = (name: string, value: number): object => ({
      ...{ name, class: 'COUNTER', bind: 'NO_OBJECT', description: 'δ', datatype: 'MPI_INT', origin: 'collector' },
      instances: [{ count: 1, values: [value], started: true }],
    });
    const scopes = ['CONSTANT', 'READONLY', 'LOCAL', 'GROUP', 'GROUP_EQ', 'ALL', 'ALL_EQ'];
    const cvars = (value: number): object[] =>
      scopes.map((scope, i) => ({ name: `β${i}`, scope, datatype: 'MPI_INT', description: 'γ', value: [value] }));
    const documentOf = (rest: (rank: number) => object): OverlayDocument =>
      ({ ranks: [0, 1].map((rank) => ({ rank, collector, ...rest(rank) })) }) as unknown as OverlayDocument;
    const answers = {
      pvars: documentOf((rank) => ({ pvars: [pvar('α', 1), pvar('β', rank)] })),
      overlay: documentOf((rank) => ({ cvars: cvars(rank) })),
      focus: { ranks: '0-1' },
    };
    const said = [...Object.values(pvarClassWords), noCategory];
    assertTranslated(await textsOf(await new Performance().rows(job(answers))), said);
    const filtered = new Performance();
    filtered.filter = 'ω';
    assertTranslated(await textsOf(await filtered.rows(job(answers))), said);
  });
});
