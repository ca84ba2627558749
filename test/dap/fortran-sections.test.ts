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

    it('have pages of their own, in their order', async () => {
      const { variablesReference, indexedVariables } = await run.evaluate('long_back', 'watch', frameId);
      assert.equal(indexedVariables, 100_000);
      const page = await run.variables(variablesReference, { filter: 'indexed', start: 99_990, count: 3 });
      assert.deepEqual(
        page.map(({ name, value, evaluateName }) => [name, value, evaluateName]),
        [
          ['(99991)', '10', 'long_back(99991)'],
          ['(99992)', '9', 'long_back(99992)'],
          ['(99993)', '8', 'long_back(99993)'],
        ],
      );
      const whole = await run.variables(variablesReference);
      assert.equal(whole.at(-1)?.value, '99000 more: ask for a part of it, such as long_back(1001:1010)');
      assert.match(
        (await run.evaluate('long_back(1001:1010)', 'watch', frameId)).result,
        /^10 numbers: 99000, 98999, /,
      );
    });

    it('are handles where they are declared or passed as such', async () => {
      const texts = async (array: string): Promise<string[]> =>
        (await run.variables((await run.evaluate(array, 'watch', frameId)).variablesReference)).map(
          ({ name, value }) => `${name} ${/"(\w+)"/.exec(value)?.[1]}`,
        );
      const backwards = ['(1) comm6', '(2) comm4', '(3) comm2'];
      assert.deepEqual(await texts('backwards'), backwards);
      assert.deepEqual(await texts('given'), backwards);
      assert.deepEqual(await texts('g%subcomms'), ['(1) sub1', '(2) sub2']);
      assert.deepEqual(await texts('typed_back'), ['(1) typed6', '(2) typed4', '(3) typed2']);
      const { result } = await run.evaluate('given', 'watch', frameId);
      assert.equal(result, '[MPI_Comm "comm6", MPI_Comm "comm4", MPI_Comm "comm2"]');
    });

    it('are told of with all else in their derived type in words of Fortran', async () => {
      const { variablesReference } = await run.evaluate('grids(2)', 'watch', frameId);
      const components = await run.variables(variablesReference);
      assert.deepEqual(
        components.filter(({ name }) => name !== 'remarks').map(({ name, type }) => `${name}: ${type}`),
        [
          'handle: integer(kind=4)',
          'label: character*8',
          'subcomms: integer(kind=4) (2)',
          'field: real(kind=8) (0:4,-1:2)',
          'tags: character*3 (3)',
          'remark: character*9',
          'wide: character(kind=4) (4)',
          'back: integer(kind=4) (3)',
          'cells: Type cell (0:1)',
        ],
      );
      const valueOf = (name: string): string | undefined => components.find((each) => each.name === name)?.value;
      assert.deepEqual(['label', 'remark', 'back'].map(valueOf), ["'atlantic'", "'free text'", '(11, 51, 91)']);
    });

    it('of characters whose length is known at run time cost gdb nothing', async () => {
      for (const expression of ['texts', 'texts(1)', 'grids(1)%remarks'])
        await run.evaluate(expression, 'hover', frameId).catch(() => undefined);
      const names = (await run.locals(frameId)).map(({ name }) => name);
      assert.deepEqual(names, ['assumed', 'plane', 'texts', 'given', 'from_one', 'received']);
      assert.equal((await run.evaluate('heads(2)', 'hover', frameId)).result, '71');
    });

    it('are changed where they lie', async () => {
      const { variablesReference } = await run.evaluate('m', 'watch', frameId);
      const column = (await run.variables(variablesReference))[1]!;
      await run.client.request('setVariable', {
        variablesReference: column.variablesReference,
        name: '(2,2)',
        value: '-7',
      });
      assert.equal((await run.evaluate('a(3,5)', 'watch', frameId)).result, '-7');
      assert.equal((await run.evaluate('plane(2, 2)', 'repl', frameId)).result.split('\n')[1], '1: -7');
      await run.client.request('setExpression', { frameId, expression: 'm(2, 2)', value: '305' });
      assert.equal((await run.evaluate('a(3,5)', 'watch', frameId)).result, '305');
    });

    it('have elements that are read where they lie', async () => {
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
