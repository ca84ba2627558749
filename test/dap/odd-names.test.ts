/** Names that turn text around, or that nobody sees, in what a client shows. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Document } from '../../plugin-api/mpi/records';
import { oddName, oddNameVisible, unseen } from '../support/odd-name';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const here = { source: 'odd-names.c', marker: 'all names given' };

/** All texts in it; what a client sends back, and does not show, is as it is. */
function texts(body: unknown): string[] {
  if (typeof body === 'string') return [body];
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, each]) => (name === 'evaluateName' ? [] : texts(each)));
}

for (const mpi of eitherMpi('odd names')) {
  it(`odd names of ${mpi} are escaped in all that a client shows, and whole in what programs read`, async () => {
    const { run } = await DebugRun.stopped({
      mpi,
      program: 'odd-names',
      ranks: 2,
      breakpoints: [{ ...here, condition: 'argc != "\u202e"[0]' }],
      attributes: { args: [Buffer.from(oddName).toString('hex')], focus: '0' },
    });
    const { id } = await run.topFrame(0);
    const seen: unknown[] = [await run.threads(), await run.frames(await run.threadOf(0))];
    const locals = await run.locals(id);
    seen.push(locals);
    for (const { variablesReference } of locals.filter((each) => each.variablesReference > 0)) {
      const children = await run.variables(variablesReference);
      seen.push(children);
      for (const child of children.filter((each) => each.variablesReference > 0))
        seen.push(await run.variables(child.variablesReference));
    }
    for (const expression of ['named', 'named.comm', 'name', 'named.text', 'win', 'info', 'type'])
      for (const context of ['watch', 'hover', 'repl']) seen.push(await run.evaluate(expression, context, id));
    for (const command of ['mpi show named.comm', 'mpi handles', 'mpi stacks', 'mpi value name', '-exec print name'])
      seen.push((await run.evaluate(command, 'repl', id)).result);
    for (const context of ['watch', 'repl'])
      await assert.rejects(run.evaluate('none\u202e\u001b', context, id), (error: Error) => {
        seen.push(error.message);
        return true;
      });
    const info = { name: 'x\u202e', frameId: id };
    seen.push(await run.client.request('dataBreakpointInfo', info));
    seen.push(run.client.outputText('console'));
    for (const text of seen.flatMap(texts)) assert.doesNotMatch(text, unseen);
    const comm = await run.evaluate('named.comm', 'watch', id);
    assert.ok(comm.result.startsWith(`MPI_Comm "${oddNameVisible}"`), comm.result);

    const { ranks } = await run.client.request<Document>('mpidbg/show', { expressions: ['named.comm'], frameId: id });
    const [rank] = ranks;
    assert.ok(rank !== undefined && 'answers' in rank);
    const [answer] = rank.answers;
    assert.ok(answer !== undefined && 'info' in answer && 'name' in answer.info);
    assert.equal(answer.info.name, oddName);

    const set = { variablesReference: comm.variablesReference, name: 'none', value: '1' };
    await assert.rejects(run.client.request<DebugProtocol.SetVariableResponse>('setVariable', set));
    await run.client.request('continue', { threadId: await run.threadOf(0) });
    await run.client.waitFor('output', () => run.client.outputText('stdout').includes('\u202e'));
    await run.close();
  });
}
