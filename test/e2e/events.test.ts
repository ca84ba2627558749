/**
 * MPI_T's events on the screen: no MPI of this machine raises any, so a stand-in replays a recorded region of a library that
 * does, and drops some (replayed-events.ts). Its core files are opened, whose clocks stand still.
 */
import assert from 'node:assert/strict';
import type { RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { eventsOf } from '../support/tool-events';
import { eventually } from '../support/process-state';
import { drawnIn, focusedOf } from './canvas';
import { putLaunchJson } from './project';
import { putReplayedCores } from './replayed-events';
import type { Workbench } from './workbench';
import { workbenchOfEachTest } from './workbench-of-test';

const created = 'ompi.mpi.communicator_created';

function totalsOf({ eventTypes }: RankOverlay): { raised: number; dropped: number } {
  assert.ok(eventTypes !== undefined && !isUnavailable(eventTypes));
  const sum = (numbers: (number | string)[]): number => numbers.reduce((all: number, each) => all + Number(each), 0);
  return { raised: sum(eventTypes.map(({ raised }) => raised)), dropped: sum(eventTypes.map((type) => type.dropped)) };
}

describe('events of MPI_T in VS Code', () => {
  const open = workbenchOfEachTest();

  async function openCores(name: string): Promise<{ workbench: Workbench; recorded: RankOverlay[] }> {
    let recorded: RankOverlay[] = [];
    const workbench = await open(name, async (folder) => {
      recorded = await putReplayedCores(folder);
      putLaunchJson(folder, { request: 'attach', cores: ['${workspaceFolder}/core.*'] });
    });
    await workbench.untilExtensionIsKnown();
    await workbench.page.keyboard.press('Control+Shift+D');
    await workbench.page.locator('.start-debug-action-item', { hasText: 'MPI' }).waitFor();
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    return { workbench, recorded };
  }

  it('are listed with those that the library dropped, and open the communicator that they name', async () => {
    const { workbench, recorded } = await openCores('events');
    await workbench.command('Focus on MPI Events View');
    await workbench.command('View: Toggle Maximized Panel');
    const rows = workbench.rowsOf('MPI Events');
    for (const overlay of recorded) {
      const { raised, dropped } = totalsOf(overlay);
      assert.ok(dropped > 0);
      const row = rows.filter({ hasText: `rank ${overlay.rank}` });
      await row.filter({ hasText: `${raised} events, ${dropped} dropped by the library` }).waitFor();
    }
    const of = rows.filter({ hasText: 'communicator_created' });
    await of.filter({ hasText: '2 events were dropped' }).first().waitFor();
    await workbench.screenshot('list');

    // The oldest one, which names a communicator of this program in each rank.
    const [first] = eventsOf(recorded[0]!);
    const oldest = of.filter({ hasText: `${first!.time.toFixed(6)} s` });
    await workbench.pressInRow(oldest, 'Show the Communicator');
    await workbench.webview.getByText('2 processes').waitFor();
    await workbench.screenshot('communicator');
  });

  it('are in the timeline, with the time in which others were dropped, which the keyboard reaches', async () => {
    const { workbench, recorded } = await openCores('events-timeline');
    const { page, webview } = workbench;
    const events = recorded.flatMap(eventsOf);
    await workbench.command('MPI: Timeline of Calls and Events');
    const timeline = webview.getByRole('application', { name: 'Timeline of MPI calls of 2 ranks' });
    await timeline.waitFor();
    const canvas = webview.locator('canvas');
    await eventually(
      'dropped events are drawn',
      async () => (await drawnIn(canvas, 'editorWarning-foreground')).pixels > 20,
    );
    await workbench.screenshot('all');

    // The text of what has the focus counts only where it is seen.
    const tabTo = async (label: string): Promise<void> => {
      for (let presses = 0; presses < 12; presses++) {
        await page.keyboard.press('Tab');
        const focused = await focusedOf(webview.locator('body'));
        if (!focused.label.startsWith(label)) continue;
        assert.ok(focused.isSeen, `nobody sees that "${label}" has the focus`);
        return;
      }
      assert.fail(`Tab does not reach "${label}"`);
    };
    await page.keyboard.press('Control+2');
    await tabTo('Filter records by name');
    await page.keyboard.type('comm*created');
    const ofType = events.filter(({ type }) => type === created);
    await webview.getByText(`${ofType.length} of ${events.length} records`).waitFor();
    await workbench.screenshot('filter');

    // From the newest one of rank 0 back to the notice.
    await tabTo('Timeline of MPI calls');
    const ofRank = ofType.filter((event) => eventsOf(recorded[0]!).includes(event));
    const notice = ofRank.findIndex(({ dropped }) => dropped !== undefined);
    for (let i = ofRank.length; i > notice; i--) await page.keyboard.press('ArrowLeft');
    const { dropped } = ofRank[notice]!;
    await webview.getByRole('heading', { name: `${created}: ${dropped} events were dropped` }).waitFor();
    await webview.getByText(/^rank 0, thread \d+, some time between [\d.]+ s and [\d.]+ s$/).waitFor();
    for (let i = 0; i < 2; i++) await page.keyboard.press('+');
    await workbench.screenshot('notice');

    for (let i = notice; i > 0; i--) await page.keyboard.press('ArrowLeft');
    await webview.getByRole('heading', { name: /MPI_Comm 0x/ }).waitFor();
    await workbench.screenshot('event');

    // A click selects it, too: where the frame of the selection is.
    const { x, y } = await drawnIn(canvas, 'focusBorder');
    await page.keyboard.press('Escape');
    await webview.getByText('Select a call, an event').waitFor();
    await canvas.click({ position: { x, y } });
    await webview.getByRole('heading', { name: /MPI_Comm 0x/ }).waitFor();
    for (const theme of ['Dark High Contrast', 'Light High Contrast', 'Light Modern']) {
      await workbench.setTheme(theme);
      await workbench.screenshot(theme.toLowerCase().replaceAll(' ', '-'));
    }
    await page.keyboard.press('Control+2');
    await tabTo('Show the communicator');
    await page.keyboard.press('Enter');
    await webview.getByText('2 processes').waitFor();
    await workbench.screenshot('communicator');
  });
});
