/** Arrays of Fortran wherever their elements lie, against what the program itself says of each element. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from './debug-run';

interface Element {
  /** `g%field(0,-1)`: as the program writes it. */
  name: string;
  address: bigint;
  value: string;
}

type Info = DebugProtocol.DataBreakpointInfoResponse['body'];

const breakpoints = [{ source: 'sections.f90', marker: 'all sections made' }];

/** What rank 1 has printed. */
function elementsOf(output: string): Element[] {
  return [...output.matchAll(/\belement (\S+) (0x[0-9A-F]+) (.+)$/gm)].map(([, name, address, value]) => ({
    name: name!,
    address: BigInt(address!),
    value: value!,
  }));
}

/** gdb's text as a number where it is one: the program writes 4.5 and gdb 4.5, the program 3 and gdb 3. */
const comparable = (value: string): string | number => (/^-?[\d.]+$/.test(value) ? Number(value) : value);

for (const where of ['its own frame', 'a function of C that it calls'] as const) {
  describe(`arrays of Fortran, with the rank in ${where}`, () => {
    let run: DebugRun;
    let frameId: number;
    let elements: Element[];

    before(async () => {
      ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'sections', ranks: 2, breakpoints }));
      await run.client.waitFor(
        'output',
        () => (run.client.outputText('stdout').match(/elements told/g)?.length ?? 0) > 1,
      );
      elements = elementsOf(run.client.outputText('stdout'));
      assert.ok(elements.length > 130, `rank 1 told of ${elements.length} elements only`);
      if (where !== 'its own frame') {
        await run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'wait_for_debugger' }] });
        await run.client.request('continue', { threadId: await run.threadOf(1) });
        await run.nextStop();
      }
      const frames = await run.frames(await run.threadOf(1));
      frameId = frames.find(({ name }) => /look/.test(name))!.id;
    });
    after(() => run.close());

    /** The elements below a variable, by name, whatever number of dimensions there is. */
    const leaves = async (array: DebugProtocol.Variable): Promise<DebugProtocol.Variable[]> => {
      const children = await run.variables(array.variablesReference);
      const inner = await Promise.all(
        children.map(async (child) => (/^\(:/.test(child.name) ? leaves(child) : [child])),
      );
      return inner.flat();
    };
    const arrays = (): string[] => [...new Set(elements.map(({ name }) => name.replace(/\([^()]*\)$/, '')))];
    const ofArray = (array: string): Element[] =>
      elements.filter(({ name }) => name.replace(/\([^()]*\)$/, '') === array);

    it('have the elements of the program, in its order and by its subscripts', async () => {
      for (const array of arrays().filter((each) => !/%n$/.test(each))) {
        const shown = await run.evaluate(array, 'watch', frameId);
        const found = await leaves({ name: array, value: shown.result, variablesReference: shown.variablesReference });
        assert.deepEqual(
          found.map(({ name, value, evaluateName }) => [`${array}${name}`, comparable(value), evaluateName]),
          ofArray(array).map(({ name, value }) => [name, comparable(value), name]),
          array,
        );
      }
    });

    it('have elements that are read and changed where they lie', async () => {
      for (const { name, address, value } of elements) {
        const element = name.replace(/%n(\(.*\))$/, '$1%n');
        assert.equal(comparable((await run.evaluate(element, 'watch', frameId)).result), comparable(value), element);
        // A complex number of 16 bytes is too long to be watched.
        const where = name.startsWith('zs(')
          ? (await run.evaluate(`&(${element})`, 'watch', frameId)).result
          : (await run.client.request<Info>('dataBreakpointInfo', { name: element, frameId })).description;
        assert.equal(BigInt(/0x[0-9a-f]+/.exec(where)?.[0] ?? 0), address, element);
      }
    });
  });
}
