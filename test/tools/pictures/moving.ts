/**
 * npm run pictures:moving: makes the moving picture of README.md, from F5 to why the job hangs, out of pictures that
 * `npm run pictures:states -- openmpi 4 1280x720 dark` has taken. Needs ffmpeg.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
/** Which states, for how many seconds. */
const shown = [
  ['1-question', 2],
  ['2-stopped', 3],
  ['4-values', 3],
  ['5-hang', 6],
] as const;
const pictureOf = (state: string): string =>
  path.join(root, 'test/e2e/screenshots', `openmpi-4-1280x720-dark-${state}.png`);
/** Few colours, chosen from all pictures; of each picture only what has changed. */
const filter = 'fps=1,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';

const folder = mkdtempSync(path.join(tmpdir(), 'mpidbg-moving-'));
try {
  const list = path.join(folder, 'list.txt');
  const lines = shown.map(([state, seconds]) => `file '${pictureOf(state)}'\nduration ${seconds}\n`);
  // ffmpeg passes over the duration of the last one.
  writeFileSync(list, `${lines.join('')}file '${pictureOf(shown.at(-1)![0])}'\n`);
  const output = path.join(root, 'docs/pictures/first-hang.gif');
  const input = ['-f', 'concat', '-safe', '0', '-i', list];
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', ...input, '-vf', filter, '-loop', '0', output], {
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true });
}
