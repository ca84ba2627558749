/**
 * One session in a window of 1280×720, as VS Code opens it, from F5 to why the job hangs: what its user reads at each moment, and
 * that it is not cut and lies in the window.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/process-state';
import { compile, mpiOfTest } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

const source = path.join(__dirname, '../tools/pictures/ripple.cpp');
const lines = readFileSync(source, 'utf8').split('\n');
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;
const size = { width: 1280, height: 720 };

/** What is to be read in one place of the window. */
interface Look {
  what: string;
  /** Rows, or parts of the page; with none there is nothing to read. */
  at: Locator;
  /** Each is in one of them. */
  reads?: readonly RegExp[];
  /** Is in none of them. */
  never?: RegExp;
  /** The most of them. */
  most?: number;
  /** The texts that are not cut. */
  whole?: RegExp;
  /** Pixels of the highest. */
  high?: number;
}

/** Words of gdb, of the compiler and of our own command, and addresses. */
const wordsOfOthers = /std::\w+ (of|with)|_M_|__\w|0x[0-9a-f]{5}|no data fields|contained value|\{$|perl|MPIDBG/i;

describe('one look at the window of VS Code', () => {
  const open = workbenchOfEachTest();
  const mpi = mpiOfTest('openmpi');
  // MPICH has completed these sends in their calls.
  const requestsTold = mpi === 'openmpi' ? '4 receives, 4 sends' : '4 receives pending';

  it('says it, from F5 to why the job hangs', async () => {
    const workbench = await open('one-look', (folder) => {
      copyFileSync(source, path.join(folder, 'ripple.cpp'));
      compile(folder, 'ripple.cpp', mpi, ['-std=c++17']);
    });
    const { page, variables, console: printed, callStack, statusBar } = workbench;
    const inEditor = page.locator('.monaco-editor .view-line');
    const values = workbench.rowsOf('Values over Ranks');
    const why = workbench.rowsOf('Why It Hangs');
    const ranks = workbench.rowsOf('Ranks', 'sidebar');
    await page.setViewportSize(size);
    await workbench.openFile('ripple.cpp');
    await workbench.untilExtensionIsKnown();
    await workbench.setBreakpoint(lineOf('stop: messages on their way'));

    await workbench.startOrContinue();
    const question = page.locator('.quick-input-widget');
    await areRead([{ what: 'the question', at: question, reads: [/ripple: number of ranks/] }]);
    await page.locator('.quick-input-widget input').fill('4');
    await page.keyboard.press('Enter');

    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    const command = new RegExp(`^mpi(run|exec)\\S* .*-n 4 \\./ripple$`);
    await areRead([
      {
        what: 'the first line of the console',
        at: printed,
        reads: [command],
        never: wordsOfOthers,
        whole: /./,
        most: 1,
      },
      { what: 'the status bar', at: statusBar, reads: [/^focus: all ranks$/], never: /Starting/ },
      {
        what: 'the values at line ends',
        at: inEditor,
        // The line that has stopped, above all; each name once in a line.
        reads: [new RegExp(`MPI_Waitall\\(.*requests = ${requestsTold}`)],
        never: /\b(\w+) = .*, \1 = |= 0x|_M_|= std::|lambda at/,
      },
      { what: 'the Call Stack', at: callStack, reads: [/^rank 0\b.*breakpoint/i], never: /Load More|\bPAUSE\b/ },
    ]);
    await workbench.showOnlyViews('Variables');
    await areRead([
      {
        what: 'Variables',
        at: variables,
        reads: [
          new RegExp(`^requests = ${requestsTold}`),
          /^incoming = \[Side::west: 600 numbers/,
          /^post = lambda at ripple\.cpp:\d+$/,
          /^phase = 1$/,
          /^this = \{cart_ "torus", me_ 0/,
        ],
        never: wordsOfOthers,
        // As much of an object as there is room for.
        whole: /^(phase|post) /,
      },
    ]);
    await workbench.expand(variables.filter({ hasText: /^\s*requests\b/ }));
    await areRead([
      {
        what: 'elements',
        at: variables,
        reads: [/^\[0\] = receive from \d · tag 10[01] · (600 MPI_DOUBLE|4800 bytes)/],
      },
    ]);
    // There may be no room for it here: its hover has all of it.
    const requests = variables.filter({ hasText: /^\s*requests\b/ }).locator('.value');
    const told = await requests.innerText();
    await requests.hover();
    await page.locator('.monaco-hover', { hasText: told }).waitFor();
    await workbench.screenshot('stopped');

    await workbench.command('Focus on Values over Ranks View');
    await areRead([
      {
        what: 'Values over Ranks',
        at: values,
        reads: [/^Differences in Torus::exchange/, /^this->me_\s?0 … 3$/],
        never: wordsOfOthers,
        whole: /./,
      },
    ]);
    await workbench.command('Debug Console: Focus on Debug Console View');
    await page.locator('.repl-input-wrapper').click();
    await page.keyboard.type('requests');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await areRead([
      {
        what: 'an answer of the console',
        at: printed,
        reads: [new RegExp(`\\d: ${requestsTold}`)],
        never: /\b0x|libc/,
      },
    ]);

    await workbench.removeAllBreakpoints();
    await workbench.startOrContinue();
    await printed.filter({ hasText: 'rank 1 is in phase 13' }).first().waitFor();
    await page.keyboard.press('F6');
    await workbench.untilStopped();
    // MPICH counts no messages, so that one look proves nothing.
    if (mpi === 'mpich') {
      // What comes later moves the rows.
      await why.filter({ hasText: /^\s*phase/ }).waitFor();
      await why.filter({ hasText: 'Look Again' }).click();
    }
    await areRead([
      {
        what: 'the reason',
        at: page.locator('.panel .pane .message'),
        reads: [/^The tags of rank 1 are 100 higher than those of ranks/],
        never: /tag-mismatch/,
        whole: /./,
        // Four lines.
        high: 84,
      },
      {
        what: 'what it rests on',
        at: why,
        reads: [/^Deadlock: the tags differ$/, /^phase\s?1[23] in ranks? [\d,-]+ · 1[23] in ranks? [\d,-]+$/],
        never: /tag-mismatch|incoming|outgoing|\bpause\b/,
        whole: /./,
      },
      { what: 'where ranks are, equal ones in one row', at: why.filter({ hasText: /MPI_Waitall at/ }), most: 4 },
    ]);
    await workbench.screenshot('hang');
    await workbench.showOnlyViews('Variables');
    await areRead([{ what: 'requests of which some wait', at: variables, reads: [/^requests = \d of 8 pending: /] }]);
    await workbench.showOnlyViews('Ranks', 'Call Stack');
    await areRead([
      {
        what: 'the title of the verdict',
        at: page.locator('.sidebar .pane .message'),
        reads: [/^Deadlock: the tags differ · ranks? [\d,-]+$/],
        whole: /./,
        // Two lines.
        high: 48,
      },
      { what: 'Ranks', at: ranks, reads: [/^ranks 0-3\s?MPI_Waitall · ripple\.cpp:\d+ · paused/], never: /pause\b/ },
      { what: 'the Call Stack', at: callStack, reads: [/^rank 1\s?paused/i], never: /Load More|\bpause\b/i },
    ]);
    await workbench.command('Debug Console: Focus on Debug Console View');
    await areRead([
      { what: 'the console', at: printed, reads: [/Deadlock: the tags differ/], never: /gdb|tag-mismatch/ },
      { what: 'its link', at: printed.locator('a'), reads: [/ripple\.cpp:\d+/] },
    ]);
    // VS Code breaks a long line anywhere, also within words.
    const inConsole = await printed.evaluateAll((rows: { innerText: string; clientHeight: number }[]) =>
      rows.map(({ innerText, clientHeight }) => ({ text: innerText.trim(), height: clientHeight })),
    );
    const verdict = inConsole.slice(inConsole.findLastIndex(({ text }) => text === 'Deadlock: the tags differ'));
    assert.ok(verdict.length > 2);
    for (const { text, height } of verdict) assert.equal(height, verdict[0]!.height, text);
    await workbench.screenshot('console');
    await workbench.startOrContinue();
    await areRead([
      { what: 'the verdict of an earlier stop', at: page.locator('.sidebar .pane .message'), never: /Deadlock/ },
    ]);
  });
});

/** Waits for what is to be read, and then measures it. */
async function areRead(looks: readonly Look[]): Promise<void> {
  for (const { what, at, reads = [], never, most = Infinity, whole, high = Infinity } of looks) {
    let texts: string[] = [];
    const isRead = async (): Promise<boolean> => {
      texts = (await at.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
      return (
        reads.every((each) => texts.some((text) => each.test(text))) &&
        (never === undefined || !texts.some((text) => never.test(text)))
      );
    };
    await eventually(what, isRead).catch((error: unknown) => {
      assert.fail(`${what}: ${String(error)}\n  ${texts.join('\n  ')}`);
    });
    assert.ok(texts.length <= most, `${what}: ${texts.length} in place of ${most}\n  ${texts.join('\n  ')}`);
    assert.deepEqual(await faultsOf(at, whole, high), [], what);
  }
}

/** What is cut, lies outside the window, or is too high. */
async function faultsOf(at: Locator, whole: RegExp | undefined, high: number): Promise<string[]> {
  return at.evaluateAll(
    (boxes: unknown[], [pattern, highest, width]) => {
      interface Box {
        scrollWidth: number;
        clientWidth: number;
        clientHeight: number;
        textContent: string;
        getBoundingClientRect(): { left: number; right: number; width: number };
        querySelectorAll(selector: string): Iterable<Box>;
      }
      return (boxes as Box[]).flatMap((box) => {
        const text = box.textContent.replace(/\s+/g, ' ').trim();
        const { left, right } = box.getBoundingClientRect();
        const parts = [box, ...box.querySelectorAll('.monaco-icon-label, .expression, .value')];
        const isCut = parts.some(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1);
        const isOutside = right > left && (left < 0 || right > width);
        return [
          ...(pattern !== null && new RegExp(pattern).test(text) && isCut ? [`cut: ${text}`] : []),
          ...(pattern !== null && isOutside ? [`outside the window: ${text}`] : []),
          ...(box.clientHeight > highest ? [`${box.clientHeight} pixels high: ${text}`] : []),
        ];
      });
    },
    [whole?.source ?? null, high === Infinity ? Number.MAX_VALUE : high, size.width] as const,
  );
}
