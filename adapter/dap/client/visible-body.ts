/** The text of answers and events without control or invisible characters. */
import { visibleLines } from '../../../plugin-api/visible-text';

/** Properties that are only shown. Clients do not send them back, except `name`: see Variables.find. */
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

/** The body with control characters made visible; what programs read stays unchanged: our own requests, and the program's output. */
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
