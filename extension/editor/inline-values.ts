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
import { inMargin } from './margin-value';
import { textsOfStoppedLine } from './stopped-line';
import type { TextInLine } from './text-in-line';
import { codeIn, variablesIn } from './variables-in-line';

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
    const isFortran = fortranLanguageIds.includes(document.languageId);
    const locals = await localsOf(session, frameId, isFortran);
    const last = stoppedLocation.end.line;
    const start = startOfFunction(document, last, isFortran);
    const code = Array.from({ length: last - start + 1 }, (_, index) =>
      codeIn(document.lineAt(start + index).text, isFortran),
    );
    const entered = isFortran ? code : withoutEndedNames(withoutOtherFunctions(code));
    const lines = entered.map(async (text, index) => {
      const line = start + index;
      if (line < viewPort.start.line) return [];
      const room = columns - document.lineAt(line).text.length;
      const width = Math.max(leastText, Math.min(room, line === last ? maxText.stopped : maxText.line));
      const texts =
        line === last
          ? await textsOfStoppedLine(text, isFortran, locals, width, (expression) =>
              valueOf(session, frameId, expression),
            )
          : textsOfLine(text, isFortran, locals, width);
      return texts.map(
        ({ start: column, length, text: shown }) =>
          new vscode.InlineValueText(new vscode.Range(line, column, line, column + length), shown),
      );
    });
    return (await Promise.all(lines)).flat();
  },
};

export function provideInlineValues(): vscode.Disposable {
  return vscode.languages.registerInlineValuesProvider([...breakpointLanguageIds], provider);
}

/** Whole variables, which are read already. */
function textsOfLine(
  code: string,
  isFortran: boolean,
  locals: ReadonlyMap<string, string>,
  room: number,
): TextInLine[] {
  let rest = room;
  return variablesIn(code, isFortran).flatMap(({ name, start, isWhole }) => {
    const value = inMargin(locals.get(isFortran ? name.toLowerCase() : name) ?? '');
    // All of an object says little beside a line that is about one of its members; what is in a list is of use anywhere.
    if (value === undefined || (!isWhole && /^[{(]/.test(value))) return [];
    const text = `${name} = ${value}`;
    if (text.length > rest) return [];
    rest -= text.length;
    return [{ start, length: name.length, text }];
  });
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
