/**
 * The scripting time of a frame of the live charts and of the timeline, with 64 ranks: their pages in Chromium, with what the
 * extension would send. Needs `npm run build` and Chromium.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { RankSample, ToCharts } from '../extension/charts/chart-messages';
import type { ToTimeline } from '../extension/timeline/timeline-messages';
import { launchChromium } from '../test/e2e/chromium';

const ranks = 64;
const frames = 50;
const fileOf = (name: string): string => readFileSync(path.join(__dirname, '../dist/web', name), 'utf8');

/** Milliseconds of each frame's scripts: `act` and the drawing after it. */
async function measure(page: Page, act: (frame: number) => Promise<unknown>): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scripting = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0);
  };
  const times: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const before = await scripting();
    await act(frame);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    times.push((await scripting()) - before);
  }
  return times.sort((a, b) => a - b);
}

function report(what: string, times: readonly number[]): void {
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2);
  console.log(`${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms`);
}

async function openPage(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 900, height: 900 });
  await page.setContent('<!DOCTYPE html><html><body></body></html>');
  await page.addStyleTag({ content: fileOf(`${name}.css`) });
  await page.evaluate('globalThis.acquireVsCodeApi = () => ({ postMessage() {} })');
  await page.addScriptTag({ content: fileOf(`${name}.js`) });
}

/** What runs in the page is text: here is no page whose names could be checked. */
const send = (page: Page, message: ToCharts | ToTimeline): Promise<void> =>
  page.evaluate(`void dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(message)} }))`);

async function measureCharts(page: Page): Promise<void> {
  await openPage(page, 'charts');
  const variable = {
    id: 'v',
    name: 'length',
    class: 'COUNTER',
    words: 'counter',
    description: '',
    isCounter: true,
  } as const;
  await send(page, { kind: 'charts', charts: [variable] });
  const samplesAt = (frame: number): RankSample[] =>
    Array.from({ length: ranks }, (_, rank) => ({
      ...{
        rank: String(rank),
        time: frame / 10,
        values: { '': frame * (rank % 7) + (rank === 9 ? frame * frame : 0) },
      },
    }));
  for (let frame = 0; frame < 650; frame++)
    await send(page, { kind: 'samples', at: frame / 10, samples: { v: samplesAt(frame) } });
  const times = await measure(page, (frame) =>
    send(page, { kind: 'samples', at: 65 + frame / 10, samples: { v: samplesAt(650 + frame) } }),
  );
  report(`a frame of a chart, ${ranks} ranks, a minute`, times);
}

async function measureTimeline(page: Page): Promise<void> {
  await openPage(page, 'timeline');
  const perRank = 5000;
  await sendCalls(page, 0, ranks, perRank);
  await send(page, { kind: 'asked', notes: [], now: perRank / 100 });
  await page.locator('canvas').focus();
  await page.keyboard.press('0');
  const times = await measure(page, (frame) =>
    page.keyboard.press(frame % 2 === 0 ? 'Shift+ArrowLeft' : 'Shift+ArrowRight'),
  );
  report(`a frame of the timeline, ${ranks} ranks, ${perRank} calls each, all shown`, times);
  report(
    '500 new calls of a rank',
    await measure(page, (frame) => sendCalls(page, frame % ranks, 1, 500, perRank + frame * 500)),
  );
}

/** Sends so many calls each of `count` ranks from `first` on. They are made in the page: to send them there takes longer. */
function sendCalls(page: Page, first: number, count: number, calls: number, from = 0): Promise<void> {
  return page.evaluate(`
    for (let rank = ${first}; rank < ${first + count}; rank++) {
      const items = Array.from({ length: ${calls} }, (_, i) => ({
        name: i % 3 === 0 ? 'MPI_Recv' : 'MPI_Allreduce', sort: 'call', words: 'MPI_Recv from 1',
        begin: (${from} + i) / 100, end: (${from} + i) / 100 + 0.008,
      }));
      dispatchEvent(new MessageEvent('message', { data: { kind: 'items', rank, threads: [{ thread: rank, items }] } }));
    }`);
}

async function main(): Promise<void> {
  const browser = await launchChromium();
  try {
    await measureCharts(await browser.newPage());
    await measureTimeline(await browser.newPage());
  } finally {
    await browser.close();
  }
}

void main();
