/** Where a process died, in the words of the user's program. */
import assert from 'node:assert/strict';
import type { Frame } from '../../adapter/stacks/frame';
import type { CoreImage } from '../../adapter/images/core/core-image';
import { crashOf } from '../../adapter/query/across-ranks/crash';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

/** "exchange@halo.c:40", "sched_yield@yield.S:12"; innermost first. */
function framesOf(...texts: string[]): Frame[] {
  return texts.map((text, level): Frame => {
    const [, name, file, line] = /^([^@]*)(?:@(.*):(\d+))?$/.exec(text) ?? [];
    const path = file && (file.endsWith('.S') ? `/build/glibc/${file}` : `/src/${file}`);
    const from = file?.endsWith('.S') ? '/lib/x86_64-linux-gnu/libc.so.6' : undefined;
    const number = line === undefined ? undefined : Number(line);
    const address = BigInt(4096 * (level + 1));
    return { kind: 'native', level, address, function: name, file, fullName: path, line: number, from };
  });
}

describe('the place where a process died', () => {
  const image = { core: { threads: [], signal: undefined }, memory: undefined } as unknown as CoreImage;
  const segment = { address: 4096n, size: 4096, fileSize: 4096, writable: false, executable: true };
  const library = { path: '/lib/x86_64-linux-gnu/libc.so.6', isExecutable: false, segments: [segment] };
  const code = { modules: [library], mpis: shippedMpis };
  const died = (...frames: string[]): string | undefined =>
    crashOf(
      image,
      { reason: 'signal', breakpoints: [], signal: { name: 'SIGFPE', meaning: '' } },
      framesOf(...frames),
      code,
    )?.text;

  it('is a line of the program where it has some', () =>
    assert.equal(
      died('sched_yield@yield.S:12', 'PMPI_Send', 'exchange@halo.c:40', 'main@io.c:12'),
      'SIGFPE at halo.c:40',
    ));

  it('is the call of MPI where the program has none, not a line of the C library', () =>
    assert.equal(died('sched_yield@yield.S:12', 'opal_progress', 'PMPI_Send', '??', 'main'), 'SIGFPE in MPI_Send'));

  it('is the innermost function where it is in no call of MPI', () =>
    assert.equal(died('solve', 'main'), 'SIGFPE at solve'));

  describe('of a signal that the process itself raised', () => {
    const raised = {
      core: { threads: [], process: { pid: 7, parent: 1 }, signal: { number: 6, code: -6, address: 0n, sender: 7 } },
      memory: undefined,
    } as unknown as CoreImage;
    const endOf = (name: string, ...frames: string[]): boolean | undefined =>
      crashOf(raised, { reason: 'signal', breakpoints: [], signal: { name, meaning: '' } }, framesOf(...frames), code)
        ?.wasSent;

    it("is the thread's own end where it raised it", () =>
      assert.equal(
        endOf('SIGABRT', '__pthread_kill_implementation', '__GI_raise', '__GI_abort', 'main@a.c:3'),
        undefined,
      ));

    it('is none where a handler of a signal that came while it waited has raised it again', () =>
      assert.equal(endOf('SIGABRT', '__GI___poll', 'PMPI_Recv', 'main@a.c:3'), true));

    it('is its own end at an instruction that fails', () =>
      assert.equal(endOf('SIGSEGV', 'solve@a.c:9', 'main@a.c:3'), undefined));

    it('is none in a function of the MPI library, which needs no name', () => {
      const [inMpi] = framesOf('??');
      const frames = [{ ...inMpi!, from: '/usr/lib/libmpich.so.12' }, ...framesOf('PMPI_Recv', 'main@a.c:3')];
      const stop = { reason: 'signal' as const, breakpoints: [], signal: { name: 'SIGABRT', meaning: '' } };
      assert.equal(crashOf(raised, stop, frames, code)?.wasSent, true);
    });

    it('is its own end where the innermost function is not known', () =>
      assert.equal(endOf('SIGABRT', '??', 'main@a.c:3'), undefined));
  });
});
