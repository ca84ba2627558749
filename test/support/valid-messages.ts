/** Every message that mpidbg's debug adapter sends in a test is one of the protocol; of all tests, see .mocharc.json. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapClient } from './dap-client';
import type * as dapSchema from './dap-schema';

/** What a client may show as many lines, once more for each test. */
const maxProblems = 20;

const load = createRequire(__filename);
let problems: string[] = [];
let schema: typeof dapSchema | undefined;

DapClient.listeners.add((message) => {
  // Reading the schema takes longer than many a test.
  schema ??= load('./dap-schema') as typeof dapSchema;
  const found = problemsOfMessage(schema, message);
  if (problems.length < maxProblems) problems.push(...found);
});

export const mochaHooks = {
  afterEach(): void {
    const found = problems;
    problems = [];
    assert.deepEqual(found, []);
  },
};

function problemsOfMessage(
  { isDeclared, nameOf, problemsOf }: typeof dapSchema,
  message: DebugProtocol.ProtocolMessage,
): string[] {
  const named = (what: string, problems: string[]): string[] => problems.map((problem) => `${what}: ${problem}`);
  if (message.type === 'response') {
    const { command, success } = message as DebugProtocol.Response;
    const name = success ? nameOf(command, 'Response') : 'ErrorResponse';
    return named(`the response to ${command}`, problemsOf(isDeclared(name) ? name : 'Response', message));
  }
  if (message.type !== 'event') return [`a message is of type ${message.type}`];
  const { event } = message as DebugProtocol.Event;
  const name = nameOf(event, 'Event');
  if (!isDeclared(name)) return event.startsWith('mpidbg/') ? [] : [`DAP has no event ${event}`];
  return named(`the event ${event}`, problemsOf(name, message));
}
