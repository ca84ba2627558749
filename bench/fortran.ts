/**
 * What the language server for handles in Fortran costs: npm run bench:fortran. A workspace of 100 000 lines in 200 files is
 * made in a temporary folder, like those of a code on a grid: modules, derived types, calls of MPI and of each other.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InlayHintRequest } from 'vscode-languageserver-protocol/node';
import { LanguageClient } from '../test/fortran/language-client';
import { haloModule, linesPerFile } from '../test/support/halo-module';

const files = 200;
const edits = 30;

function memoryKiB(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** What a process has used, in user mode and in the kernel. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // In clock ticks, of which Linux has 100 a second for every program.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));
  for (let file = 0; file < files; file++) writeFileSync(join(folder, `halo_${file}.f90`), haloModule(file, files));
  const client = new LanguageClient();
  try {
    const begin = performance.now();
    await client.start(folder);
    const indexed = performance.now() - begin;
    const path = join(folder, 'halo_7.f90');
    const text = haloModule(7, files);
    const textDocument = await client.open(path, text);
    const range = { start: { line: 0, character: 0 }, end: { line: 60, character: 0 } };
    const hints = async (): Promise<number> =>
      ((await client.connection.sendRequest(InlayHintRequest.type, { textDocument, range })) ?? []).length;
    const count = await hints();
    const hinted = performance.now() - begin;
    const { pid = 0 } = client.process;
    const hintedCpu = cpuMs(pid);
    let version = 1;
    const measure = async (what: string, edited: (edit: number) => string): Promise<void> => {
      const times: number[] = [];
      const cpu = cpuMs(pid);
      for (let edit = 1; edit <= edits; edit++) {
        const start = performance.now();
        await client.change(textDocument.uri, ++version, edited(edit));
        await hints();
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      const [p50 = 0, p95 = 0] = [times[edits >> 1], times[Math.floor(edits * 0.95)]];
      const each = (cpuMs(pid) - cpu) / edits;
      console.log(`${what}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${each.toFixed(0)} ms of CPU each`);
    };
    const mib = (field: 'VmRSS' | 'VmHWM'): string => (memoryKiB(pid, field) / 1024).toFixed(0);
    console.log(`${files * linesPerFile} lines in ${files} files, ${count} hints in the first 60 lines of one of them`);
    console.log(`start to all files indexed: ${indexed.toFixed(0)} ms`);
    console.log(`start to first hints: ${hinted.toFixed(0)} ms, ${hintedCpu} ms of CPU`);
    await measure('an edit in a procedure, to hints', (edit) => text.replace('a comment', `edit ${edit}`));
    await measure('another argument of a procedure that others call, to hints', (edit) =>
      text.replace('comm, n)', `comm, n, extra_${edit})`),
    );
    console.log(`memory: ${mib('VmRSS')} MiB, at most ${mib('VmHWM')} MiB`);
  } finally {
    await client.stop();
    rmSync(folder, { recursive: true });
  }
}

void main();
