/**
 * The same requests for the same process to mpidbg and to cdt-gdb-adapter. Where the answers differ, both are written
 * down here with the reason.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError, type DapClient } from '../support/dap-client';
import { markerLine } from '../support/sample-job';
import { CdtRun } from './cdt-run';
import { DebugRun } from './debug-run';

const source = join(__dirname, '..', '..', 'samples', 'variables.c');
const mpi = 'mpich';

/** One adapter with its process, as a client sees it. */
class Side {
  private seen = 0;
  threadId = 0;

  constructor(readonly client: DapClient) {}

  /** The next stop. */
  async stopped(): Promise<DebugProtocol.StoppedEvent['body']> {
    const event = await this.client.waitFor<DebugProtocol.StoppedEvent>('stopped', () => true, { since: this.seen });
    this.seen = this.client.events.indexOf(event) + 1;
    this.threadId = event.body.threadId!;
    return event.body;
  }

  async stack(): Promise<DebugProtocol.StackFrame[]> {
    const body = await this.client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: this.threadId,
    });
    return body.stackFrames;
  }

  async frameId(): Promise<number> {
    return (await this.stack())[0]!.id;
  }

  /** Function and line of every frame. */
  async places(): Promise<string[]> {
    return (await this.stack()).map(({ name, line, source: { path } = {} }) => `${name} ${path}:${line}`);
  }

  async localsReference(): Promise<number> {
    const frameId = await this.frameId();
    const { scopes } = await this.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    return scopes[0]!.variablesReference;
  }

  async variables(variablesReference: number): Promise<DebugProtocol.Variable[]> {
    const args = { variablesReference };
    return (await this.client.request<DebugProtocol.VariablesResponse['body']>('variables', args)).variables;
  }

  async local(name: string): Promise<DebugProtocol.Variable> {
    const found = (await this.variables(await this.localsReference())).find((each) => each.name === name);
    assert.ok(found, `no ${name}`);
    return found;
  }

  async evaluate(expression: string, context = 'watch'): Promise<DebugProtocol.EvaluateResponse['body']> {
    return this.client.request('evaluate', { expression, context, frameId: await this.frameId() });
  }

  /** "type = value"; what is refused in the words of the adapter. */
  async value(expression: string): Promise<string> {
    try {
      const { type, result } = await this.evaluate(expression);
      return `${type} = ${placeless(result)}`;
    } catch (error) {
      if (error instanceof DapError) return error.message;
      throw error;
    }
  }

  async set(variablesReference: number, name: string, value: string): Promise<string> {
    try {
      const args = { variablesReference, name, value };
      return (await this.client.request<DebugProtocol.SetVariableResponse['body']>('setVariable', args)).value;
    } catch (error) {
      if (error instanceof DapError) return error.message;
      throw error;
    }
  }

  async move(command: 'next' | 'stepIn' | 'stepOut' | 'continue'): Promise<string[]> {
    await this.client.request(command, { threadId: this.threadId });
    const { reason } = await this.stopped();
    return [reason, ...(await this.places())];
  }

  /** The scalars in a variable, with their paths; what a pointer leads to is not part of it. */
  async scalars({ name, type, value, variablesReference }: DebugProtocol.Variable): Promise<string[]> {
    const isPointer = /\*$|\(\*/.test(type ?? '');
    // In mpidbg what a pointer to a structure leads to stands for it.
    if (isPointer && value.startsWith('{')) return [`${name}: 0x…`];
    if (variablesReference === 0 || isPointer) return [`${name}: ${placeless(value)}`];
    const parts = await this.variables(variablesReference);
    const inside = await Promise.all(parts.map((part) => this.scalars(part)));
    return inside.flat().map((text) => `${name} ${text}`);
  }
}

/** Without addresses: gdb loads a program that it starts itself always at the same one. */
function placeless(text: string): string {
  return text.replace(/0x[0-9a-f]{6,}/g, '0x…');
}

describe('the answers of mpidbg and of cdt-gdb-adapter', () => {
  let runs: { mpidbg: DebugRun; cdt: CdtRun };
  let mpidbg: Side;
  let cdt: Side;
  const both = async <T>(ask: (side: Side) => Promise<T>): Promise<{ mpidbg: T; cdt: T }> => ({
    mpidbg: await ask(mpidbg),
    cdt: await ask(cdt),
  });
  /** The answer that both give. */
  const same = async <T>(ask: (side: Side) => Promise<T>): Promise<T> => {
    const answers = await both(ask);
    assert.deepEqual(answers.mpidbg, answers.cdt);
    return answers.mpidbg;
  };

  before(async () => {
    const marker = 'all variables set';
    const place = { source: 'variables.c', marker };
    runs = {
      cdt: await CdtRun.launch(mpi, 'variables', 'variables.c', marker),
      mpidbg: await DebugRun.launch({ mpi, program: 'variables', ranks: 1, breakpoints: [place] }),
    };
    [mpidbg, cdt] = [new Side(runs.mpidbg.client), new Side(runs.cdt.client)];
  });
  after(async () => {
    await runs.cdt.close();
    await runs.mpidbg.close();
  });

  it('are the same for a stop at a breakpoint', async () => {
    const { reason } = await same(async (side) => {
      const { reason, allThreadsStopped } = await side.stopped();
      return { reason, allThreadsStopped };
    });
    assert.equal(reason, 'breakpoint');
    assert.deepEqual(await same((side) => side.places()), [
      `main ${source}:${markerLine('variables.c', 'all variables set')}`,
    ]);
  });

  it('are the same for the names, types and order of the locals', async () => {
    const names = await same(async (side) =>
      (await side.variables(await side.localsReference())).map(({ name, type }) => `${type} ${name}`),
    );
    assert.ok(names.includes('struct station first'));
  });

  it('are the same for every scalar, also within arrays and structures', async () => {
    const scalars = await same(async (side) => {
      const locals = await side.variables(await side.localsReference());
      // `here` has no value yet.
      const wanted = locals.filter(({ name }) => name !== 'here' && name !== 'long_array');
      return (await Promise.all(wanted.map((each) => side.scalars(each)))).flat();
    });
    assert.ok(scalars.includes('first depths [1] [2]: 6.5'), scalars.join('\n'));
  });

  it('differ where mpidbg writes out arrays and structures on one line', async () => {
    for (const [name, written, short] of [
      ['numbers', '{10, 20, 30, 40, 50}', '0x…'],
      ['fixed_text', '"tide"', '0x…'],
    ] as const) {
      const answers = await both(async (side) => placeless((await side.local(name)).value));
      assert.deepEqual(answers, { mpidbg: written, cdt: short });
    }
    const { value } = await cdt.local('first');
    assert.equal(value, '{...}');
    assert.match((await mpidbg.local('first')).value, /^\{name "north", season SUMMER, /);
  });

  it('are the same for expressions', async () => {
    for (const [expression, expected] of [
      ['rank + 2', 'int = 2'],
      ['numbers[4] * 2', 'int = 100'],
      ['first.next->season', 'enum season = WINTER'],
      ['first.depths[1][2]', 'double = 6.5'],
      ['text', 'const char * = 0x… "fog over the \\"Øresund\\""'],
      ['title', 'const char * const = 0x… "all sorts of variables"'],
      ['&numbers', 'int (*)[5] = 0x…'],
      ['rounds', 'int = 7'],
      ['(char)66', "char = 66 'B'"],
      ['sizeof(first) == 112 && flag', 'int = 1'],
      ['$pc', 'void (*)() = 0x… <main+'],
    ] as const) {
      const answer = await same((side) => side.value(expression));
      assert.ok(answer.startsWith(expected), `${expression}: ${answer}`);
    }
  });

  it("differ for an expression that has no value, and for MPI's own names", async () => {
    // cdt-gdb-adapter answers with a success that has the failure as its value, and does not tell why.
    const failed = 'undefined = Error: could not evaluate expression';
    assert.deepEqual(await both((side) => side.value('nonsense')), {
      mpidbg: 'evaluate: No symbol "nonsense" in current context.',
      cdt: failed,
    });
    // gdb knows no macros of mpi.h; mpidbg does.
    assert.deepEqual(await both((side) => side.value('MPI_COMM_WORLD')), {
      mpidbg: 'undefined = MPI_COMM_WORLD · rank 0 of 1',
      cdt: failed,
    });
  });

  it('are the same for variables that are set', async () => {
    for (const [name, value, expected] of [
      ['single', '0.25', '0.25'],
      ['season', 'WINTER', 'WINTER'],
      ['rank', 'nonsense', 'setVariable: No symbol "nonsense" in current context.'],
    ] as const) {
      assert.equal(await same(async (side) => side.set(await side.localsReference(), name, value)), expected, name);
    }
    assert.equal(
      await same(async (side) => side.set((await side.local('numbers')).variablesReference, '[3]', '41')),
      '41',
    );
    assert.equal(await same((side) => side.value('numbers[3] + (int)season')), 'int = 44');
  });

  it('differ for a value with a space, which cdt-gdb-adapter hands to gdb without quotes', async () => {
    assert.deepEqual(await both(async (side) => side.set(await side.localsReference(), 'short_number', '12 * 3')), {
      mpidbg: '36',
      cdt: 'setVariable: -var-assign: Usage: NAME EXPRESSION.',
    });
    await cdt.set(await cdt.localsReference(), 'short_number', '36');
  });

  it('are the same bytes of memory', async () => {
    const bytes = await same(async (side) => {
      const { result } = await side.evaluate('&numbers');
      // What a reference is made of is the adapter's own affair: that of mpidbg names a rank.
      const memoryReference = side === mpidbg ? `${result}@0` : result;
      const args = { memoryReference, offset: 4, count: 12 };
      const body = await side.client.request<DebugProtocol.ReadMemoryResponse['body']>('readMemory', args);
      return Buffer.from(body?.data ?? '', 'base64').toString('hex');
    });
    assert.equal(bytes, '140000001e00000029000000');
  });

  it('are the same for steps over, into and out of functions', async () => {
    const at = markerLine('variables.c', 'all variables set');
    assert.deepEqual(await same((side) => side.move('next')), ['step', `main ${source}:${at + 1}`]);
    const inside = await same((side) => side.move('stepIn'));
    assert.match(inside[1] ?? '', /^visit /);
    assert.equal(inside.length, 3);
    for (const command of ['next', 'next'] as const) await same((side) => side.move(command));
    assert.match((await same((side) => side.move('stepIn')))[1] ?? '', /^measure_depth /);
    assert.match((await same((side) => side.move('stepOut')))[1] ?? '', /^visit /);
  });

  it('are the same for a breakpoint with a condition', async () => {
    const line = markerLine('variables.c', 'in visit');
    const verified = await same(async (side) => {
      const { breakpoints } = await side.client.request<DebugProtocol.SetBreakpointsResponse['body']>(
        'setBreakpoints',
        { source: { path: source }, breakpoints: [{ line, condition: 'i == 1' }] },
      );
      return breakpoints.map((each) => ({ verified: each.verified, line: each.line }));
    });
    assert.deepEqual(verified, [{ verified: true, line }]);
    const places = await same((side) => side.move('continue'));
    assert.deepEqual(places.slice(0, 2), ['breakpoint', `visit ${source}:${line}`]);
    assert.equal(await same((side) => side.value('i')), 'int = 1');
  });

  it("differ at the program's end: cdt-gdb-adapter tells no exit code", async () => {
    const exitCodes = await both(async (side) => {
      await side.client.request('continue', { threadId: side.threadId });
      await side.client.waitFor('terminated');
      const exited = side.client.events.filter((each): each is DebugProtocol.ExitedEvent => each.event === 'exited');
      return exited.map(({ body }) => body.exitCode);
    });
    assert.deepEqual(exitCodes, { mpidbg: [0], cdt: [] });
    // Both programs went on with the values that were set.
    for (const side of [mpidbg, cdt]) assert.match(side.client.outputText(), / 36 4000000000 .* 0\.25 .* 3 fog/);
  });
});
