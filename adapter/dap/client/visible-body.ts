/** What a client shows of our answers and events, with nothing in it that is obeyed or cannot be seen. */
import { visibleLines } from '../../../plugin-api/visible-text';

/** Properties that are only shown. A client sends no other one back, but for `name`: see Variables.find. */
const shown = new Set([
  'name',
  'value',
  'type',
  'result',
  'description',
  'text',
  'message',
  'format',
  'title',
  'label',
]);

/** The same body. Of what programs read, all is as it is: our own requests, and what the program prints. */
export function visibleBody<Body>(command: string, body: Body): Body {
  if (command.startsWith('mpidbg/') || command === 'completions') return body;
  if (command !== 'output') return withVisible(body) as Body;
  const { category, output } = body as { category?: string; output: string };
  return category === 'stdout' || category === 'stderr' ? body : { ...body, output: visibleLines(output) };
}

function withVisible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withVisible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' ? (shown.has(name) ? visibleLines(each) : each) : withVisible(each),
    ]),
  );
}
