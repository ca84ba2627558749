/** A document as JSON, piece by piece: the longest ones do not fit into one string. */

import { visibleJson } from '../../plugin-api/visible-text';

/** document → ranks → a rank → its answers → an answer. */
const levels = 4;

const step = '  ';

/** Together what `JSON.stringify(document, undefined, 2)` makes of it, with all characters visible, and the end of the line. */
export function* jsonPieces(document: object): Generator<string> {
  yield* piecesOf(document, 0);
  yield '\n';
}

function* piecesOf(value: unknown, level: number): Generator<string> {
  const isList = Array.isArray(value);
  const indent = step.repeat(level);
  const entries = typeof value === 'object' && value !== null ? entriesOf(value) : [];
  if (level >= levels || entries.length === 0) {
    yield visibleJson(JSON.stringify(value, undefined, step)).replaceAll('\n', `\n${indent}`);
    return;
  }
  let before = isList ? '[' : '{';
  for (const [name, entry] of entries) {
    yield `${before}\n${indent}${step}${isList ? '' : `${visibleJson(JSON.stringify(name))}: `}`;
    yield* piecesOf(entry, level + 1);
    before = ',';
  }
  yield `\n${indent}${isList ? ']' : '}'}`;
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, entry]) => entry !== undefined);
}
