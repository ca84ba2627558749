/** mpidbg ompt of target regions on the host as a device, with LLVM's runtime: against what the program says of itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ompt, OmptRecord } from '../../plugin-api/overlays/ompt-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';

interface Offloaded {
  rank: number;
  devices: number;
  regions: number;
  sum: number;
}

const samples = join(__dirname, '../../samples');
const source = join(__dirname, 'offloaded.c');
const clang = realpathSync('/usr/bin/clang');
/** "/usr/lib/llvm-19" */
const llvm = dirname(dirname(clang));

function lineOf(marker: string): number {
  const lines = readFileSync(source, 'utf8').split('\n');
  return 1 + lines.findIndex((line) => line.includes(`stop: ${marker} `));
}

function compile(mpi: Mpi): void {
  const flags = (of: string): string[] => execFileSync(`mpicc.${mpi}`, [of], { encoding: 'utf8' }).trim().split(/\s+/);
  const ofMpi = mpi === 'openmpi' ? ['--showme:compile', '--showme:link'] : ['-compile_info', '-link_info'];
  const words = ofMpi.flatMap((of) => flags(of)).filter((word) => /^-[ILlW]/.test(word));
  const folder = join(samples, 'build', mpi);
  mkdirSync(folder, { recursive: true });
  const offload = ['-g', '-O0', '-fopenmp', '-fopenmp-targets=x86_64-pc-linux-gnu', '-I', samples];
  const output = ['-o', join(folder, 'offloaded'), source];
  const env = { ...process.env, PATH: `${llvm}/bin:${process.env.PATH}` };
  execFileSync(clang, [...offload, ...output, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function askOmpt(args: readonly string[]): Promise<Ompt[]> {
  const { stdout, stderr, status } = await runCli(['ompt', '--last', '1000', ...args, '--json']);
  assert.equal(status, 0, stderr + stdout);
  return (JSON.parse(stdout) as OverlayDocument).ranks.map((rank) => {
    assert.ok('collector' in rank && rank.ompt !== undefined && !isUnavailable(rank.ompt), JSON.stringify(rank));
    return rank.ompt;
  });
}

function assertSame(job: SampleJob, ranks: readonly Ompt[]): void {
  const prefix = 'OFFLOADED ';
  const told = job.printed.filter((line) => line.startsWith(prefix));
  const own = told.map((line) => JSON.parse(line.slice(prefix.length)) as Offloaded);
  assert.equal(own.length, 2);
  for (const { rank, devices, regions } of own) {
    const { records, devices: known } = ranks[rank]!;
    const begun = (type: string): OmptRecord[] =>
      records.filter((record) => record.type === type && record.endpoint === 'begin');
    const targets = (kind: string): OmptRecord[] => begun('target_emi').filter(({ fields }) => fields.kind === kind);
    assert.equal(known.length, devices);
    assert.equal(known[0]?.images.length, 1);
    assert.equal(targets('target').length, regions);
    assert.equal(begun('target_submit_emi').length, regions);
    for (const [kind, marker] of [
      ['enter_data', 'data enter'],
      ['update', 'data update'],
      ['exit_data', 'data exit'],
    ] as const) {
      const lines = targets(kind).map(({ code }) => code?.line);
      assert.deepEqual(lines, [lineOf(marker)], kind);
    }
    const moved = begun('target_data_op_emi').filter(({ fields }) => fields.bytes === 4 * 1000);
    assert.deepEqual(
      moved.map(({ fields }) => fields.optype),
      ['alloc', 'transfer_to_device', 'transfer_from_device'],
    );
  }
}

for (const mpi of allMpis)
  describe(`target regions of a program of ${mpi}`, () => {
    const folder = new CoreFolder();
    let job: SampleJob;

    before(async () => {
      compile(mpi);
      const { stdout } = await runCli(['collector', '--collect', 'ompt']);
      const through = [...stdout.trim().split(' '), `LD_LIBRARY_PATH=${llvm}/lib`];
      job = await SampleJob.startWaiting(mpi, 'offloaded', { ranks: 2, through });
    });

    after(async () => {
      await (job as SampleJob | undefined)?.kill();
      folder.remove();
    });

    it('are told with their devices, images, transfers and lines, while it runs and in core files', async () => {
      assertSame(job, await askOmpt(['--launcher', String(job.launcherPid)]));
      assertSame(job, await askOmpt(['--core', ...(await folder.gcore(job.pids))]));
    });

    it('end as they would without', async () => {
      await job.finish();
    });
  });
