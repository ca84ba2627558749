/** Rows of the views: names with characters that turn text around, or that nobody sees, are escaped, whatever the view. */
import assert from 'node:assert/strict';
import type { StackNode } from '../../../plugin-api/mpi/records';
import type { JobClient } from '../../../extension/ranks/job-client';
import type * as HandlesView from '../../../extension/views/handles-view';
import type * as HangView from '../../../extension/views/hang-view';
import type * as QueuesView from '../../../extension/views/queues-view';
import type * as RanksView from '../../../extension/views/ranks-view';
import type * as Rows from '../../../extension/views/row';
import type * as StacksView from '../../../extension/views/stacks-view';
import type * as ValuesView from '../../../extension/views/values-view';
import { visible } from '../../../plugin-api/visible-text';
import { oddName, unseen } from '../../support/odd-name';
import { loadWithEditor } from '../../support/with-editor';

const frame = { name: oddName, source: `/tmp/${oddName}.c`, line: 3 } as StackNode['frame'];
const job = {
  ranksWithPlaces: () =>
    Promise.resolve([
      { rank: 0, host: oddName, state: 'stopped', place: `${oddName} at ${oddName}.c:3`, threadIds: [1] },
      { rank: null, host: 'a', state: 'core', core: `core.${oddName}`, signal: oddName, threadIds: [] },
    ]),
  focus: () => Promise.resolve({ ranks: '0', all: true, scope: 'focus' }),
  stacks: () =>
    Promise.resolve({
      outliers: [oddName],
      tree: [{ frame, ranks: '0', threads: 1, children: [{ frame, ranks: '0', threads: 1, children: [] }] }],
      errors: [{ rank: 1, error: { reason: oddName } }],
    }),
  hang: () =>
    Promise.resolve({
      ...{ verdict: 'deadlock', type: 'p2p-cycle', culprits: [0], sentence: oddName },
      evidence: [{ rank: 0, fact: oddName }],
      ranks: [
        { rank: 0, thread: 1, state: 'blocked', call: oddName, where: oddName, code: { file: oddName, line: 3 } },
        { rank: 1, error: { reason: oddName } },
      ],
    }),
  queues: () =>
    Promise.resolve({
      ranks: [
        {
          ...{ rank: 0, notes: [oddName] },
          comms: [
            {
              comm: { kind: 'comm', handle: '0x1', name: oddName },
              posted: [{ peer: 1, tag: 7, bytes: 4, collective: oddName }],
              unexpected: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: oddName },
              sends: [],
            },
          ],
        },
        { rank: 1, error: { reason: oddName } },
      ],
    }),
  handles: () =>
    Promise.resolve({
      ranks: [
        {
          rank: 0,
          implementation: {},
          answers: [
            {
              ...{ kind: 'info', code: 'MPIDBG_SUCCESS' },
              info: { handle: '0x1', name: '', flags: [], entries: [{ key: oddName, value: oddName }] },
            },
          ],
        },
        { rank: 1, error: { reason: oddName } },
      ],
    }),
  differences: () =>
    Promise.resolve({
      ...{ function: oddName, ranks: '0-1', alike: [oddName] },
      variables: [
        {
          expression: oddName,
          values: [
            { ranks: '0', text: oddName },
            { ranks: '1', text: '2' },
          ],
          errors: [],
        },
      ],
    }),
  value: (expression: string) =>
    expression === oddName
      ? Promise.resolve({
          values: [
            { ranks: '0', text: oddName },
            { ranks: '1', text: 'b' },
          ],
          errors: [{ ranks: '2', text: oddName }],
        })
      : Promise.reject(new Error(oddName)),
} as unknown as JobClient;

describe('the rows of the views', () => {
  it('have names with nothing in them that is obeyed or cannot be seen', async () => {
    const { treeItemOf } = loadWithEditor<typeof Rows>('views/row');
    const { rankRows } = loadWithEditor<typeof RanksView>('views/ranks-view');
    const { hangRows } = loadWithEditor<typeof HangView>('views/hang-view');
    const { queueRows } = loadWithEditor<typeof QueuesView>('views/queues-view');
    const { stackRows } = loadWithEditor<typeof StacksView>('views/stacks-view');
    const { Values } = loadWithEditor<typeof ValuesView>('views/values-view');
    const { Handles } = loadWithEditor<typeof HandlesView>('views/handles-view');
    const values = new Values({ get: () => [oddName, 'other'] } as never);
    const shown: string[] = [];
    const show = (row: Rows.Row, tooltipLines: number): void => {
      const { label, description, tooltip, accessibilityInformation: { label: spoken = '' } = {} } = treeItemOf(row);
      assert.ok(spoken.startsWith(label as string), spoken);
      for (const text of [label, description, tooltip, spoken]) if (typeof text === 'string') shown.push(text);
      if (typeof tooltip === 'string') assert.equal(tooltip.split('\n').length, tooltipLines, tooltip);
      row.children?.forEach((child) => show(child, tooltipLines));
    };
    const [ofRanks, ...others] = [
      rankRows(job),
      stackRows(job),
      job.hang().then(hangRows),
      queueRows(job),
      values.rows(job),
    ];
    others.push(new Handles().rows(job));
    for (const rows of [ofRanks, ...others]) {
      const isOfRanks = rows === ofRanks;
      const before = shown.length;
      // A rank's row says what it does, and where.
      (await rows).forEach((row) => show(row, isOfRanks ? 2 : 1));
      const texts = shown.slice(before);
      assert.ok(
        texts.some((text) => text.includes(visible(oddName))),
        texts.join('\n'),
      );
    }
    for (const text of shown) assert.doesNotMatch(text, unseen);
  });
});
