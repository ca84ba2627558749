/** The halo exchange of halo.c, as it is and behind commands of mpidbg. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchers, type Mpi } from '../test/support/sample-job';

/** `mpidbg run`, to be followed by its options and "--". */
export const run = [process.execPath, join(__dirname, '..', 'dist', 'cli.js'), 'run'];

/** What comes before the launcher, by a name. */
export type Variants = Readonly<Record<string, readonly string[]>>;

export class HaloJob {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));

  constructor(readonly mpi: Mpi) {
    execFileSync(`mpicc.${mpi}`, ['-O2', '-g', '-w', '-o', this.program, join(__dirname, 'halo.c')]);
  }

  get program(): string {
    return join(this.folder, 'halo');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  launch(ranks: number, before: readonly string[], words: readonly string[]) {
    const { command, args, env } = launchers[this.mpi];
    const [first = '', ...others] = [...before, command, ...args, '-n', String(ranks), ...words];
    return { first, others, options: { env: { ...process.env, ...env }, encoding: 'utf8' as const } };
  }

  /** The cost of one exchange of so many bytes, in instructions; the first ones, in which functions are bound, are not counted. */
  instructions(before: readonly string[], bytes: number): number {
    const [few, many] = ([10, 1010] as const).map((count) => {
      const grind = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', '--collect-atstart=no'];
      const words = [...grind, '--toggle-collect=exchange', this.program, String(count), String(bytes)];
      const { first, others, options } = this.launch(1, before, words);
      const { stderr } = spawnSync(first, others, options);
      const [, collected] = /Collected : (\d+)/.exec(stderr) ?? [];
      if (collected === undefined) throw new Error(`callgrind has counted nothing: ${stderr}`);
      return Number(collected);
    });
    return (many! - few!) / 1000;
  }

  /** What the program is told, so that a measurement of so many bytes takes a moment. */
  static words(bytes: number): string[] {
    return [String(bytes > 100_000 ? 500 : 20_000), String(bytes)];
  }

  /** Nanoseconds of one exchange of two ranks. */
  time(before: readonly string[], bytes: number): number {
    const { first, others, options } = this.launch(2, before, [this.program, ...HaloJob.words(bytes)]);
    return Number(execFileSync(first, others, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }));
  }
}

/** "12.3 (11.9 to 14.0)": the median, and from the least to the most. */
export function spread(values: readonly number[], digits = 0): string {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  return `${median.toFixed(digits)} (${sorted[0]!.toFixed(digits)} to ${sorted.at(-1)!.toFixed(digits)})`;
}
