/**
 * Values behind the lines of the function that has stopped: as the Variables view shows them, with handles decoded and a mark
 * where they differ between ranks.
 */
import * as vscode from 'vscode';
import { visible } from '../../plugin-api/visible-text';
import { breakpointLanguageIds, fortranLanguageIds } from '../manifest/languages';
import { debugType } from '../manifest/manifest';
import { askAdapter } from '../ranks/ask-adapter';
import { asksItself } from '../ranks/first-stop';
import { withoutEndedNames } from './ended-blocks';
import { withoutOtherFunctions } from './entered-code';
import { textsOfLinesAbove } from './lines-above';
import { textsOfStoppedLine } from './stopped-line';
import { codeIn } from './variables-in-line';

/** Above the line that has stopped. */
const maxLines = 200;
/** Characters behind a line, and behind the one that has stopped, where the ranks are named too. */
const maxText = { line: 80, stopped: 64 };
/** Columns of an editor beside a side bar in a small window; behind a longer line there is room for one value, or some short ones. */
const columns = 100;
const leastText = 48;

const provider: vscode.InlineValuesProvider = {
  async provideInlineValues(document, viewPort, { frameId, stoppedLocation }) {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== debugType) return [];
    const last = stoppedLocation.end.line;
    if (last < viewPort.start.line) return [];
    const isFortran = fortranLanguageIds.includes(document.languageId);
    const locals = await localsOf(session, frameId, isFortran);
    const start = startOfFunction(document, last, isFortran);
    const code = Array.from({ length: last - start + 1 }, (_, index) =>
      codeIn(document.lineAt(start + index).text, isFortran),
    );
    const entered = isFortran ? code : withoutEndedNames(withoutOtherFunctions(code));
    const room = entered.map((_text, index) => {
      const line = start + index;
      const rest = columns - document.lineAt(line).text.length;
      return Math.max(leastText, Math.min(rest, line === last ? maxText.stopped : maxText.line));
    });
    // What has scrolled out of sight tells nobody a value.
    const first = Math.max(0, viewPort.start.line - start);
    const above = textsOfLinesAbove(entered.slice(first, -1), isFortran, locals, room.slice(first, -1));
    const stopped = await textsOfStoppedLine(entered.at(-1)!, isFortran, locals, room.at(-1)!, (expression) =>
      valueOf(session, frameId, expression),
    );
    return [...above, stopped].flatMap((texts, index) =>
      texts.map(({ start: column, length, text }) => {
        const line = start + first + index;
        return new vscode.InlineValueText(new vscode.Range(line, column, line, column + length), text);
      }),
    );
  },
};

export function provideInlineValues(): vscode.Disposable {
  return vscode.languages.registerInlineValuesProvider([...breakpointLanguageIds], provider);
}

/** By name; in Fortran, which has no case, in lower case. Of equal names the inner block's. */
async function localsOf(
  session: vscode.DebugSession,
  frameId: number,
  isFortran: boolean,
): Promise<ReadonlyMap<string, string>> {
  asksItself('scopes', frameId);
  const { scopes } = await askAdapter(session, 'scopes', { frameId });
  const values = new Map<string, string>();
  for (const { expensive, variablesReference } of scopes) {
    if (expensive) continue;
    asksItself('variables', variablesReference);
    const { variables } = await askAdapter(session, 'variables', { variablesReference });
    for (const { name, value } of variables) {
      const key = isFortran ? name.toLowerCase() : name;
      if (!values.has(key)) values.set(key, visible(value));
    }
  }
  return values;
}

/** For a member, an element, or a variable that is no local; undefined: it has none, as a type has. */
async function valueOf(session: vscode.DebugSession, frameId: number, expression: string): Promise<string | undefined> {
  try {
    const { result } = await askAdapter(session, 'evaluate', { expression, frameId, context: 'watch' });
    return visible(result);
  } catch {
    return undefined;
  }
}

const startOfC = /^(\w.*)?\{\s*$|^\}/;
const startOfFortran = /^\s*([\w()]+\s+)*(program|subroutine|function|procedure|contains)\b/i;

function startOfFunction(document: vscode.TextDocument, last: number, isFortran: boolean): number {
  const start = isFortran ? startOfFortran : startOfC;
  for (let line = last; line > Math.max(0, last - maxLines); line--)
    if (start.test(document.lineAt(line).text)) return line;
  return Math.max(0, last - maxLines);
}
