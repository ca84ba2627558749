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
import { withoutOtherFunctions } from './entered-code';
import { inMargin } from './margin-value';
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
    const values = await localsOf(session, frameId, isFortran);
    const last = stoppedLocation.end.line;
    const start = startOfFunction(document, last, isFortran);
    const code = Array.from({ length: last - start + 1 }, (_, index) =>
      codeIn(document.lineAt(start + index).text, isFortran),
    );
    const entered = isFortran ? code : withoutOtherFunctions(code);
    return entered.flatMap((text, index) => {
      const line = start + index;
      if (line < viewPort.start.line) return [];
      const room = columns - document.lineAt(line).text.length;
      let rest = Math.max(leastText, Math.min(room, line === last ? maxText.stopped : maxText.line));
      return variablesIn(text, isFortran).flatMap(({ name, start: column, isWhole }) => {
        const key = isFortran ? name.toLowerCase() : name;
        const value = values.get(key);
        // All of an object says little beside a line that is about one of its members; what is in a list is of use anywhere.
        if (value === undefined || (!isWhole && /^[{(]/.test(value))) return [];
        const text = `${name} = ${value}`;
        if (text.length > rest) return [];
        rest -= text.length;
        return [new vscode.InlineValueText(new vscode.Range(line, column, line, column + name.length), text)];
      });
    });
  },
};

export function provideInlineValues(): vscode.Disposable {
  return vscode.languages.registerInlineValuesProvider([...breakpointLanguageIds], provider);
}

/** By name; in Fortran, which has no case, in lower case. Of equal names the inner block's; undefined: nothing for a margin. */
async function localsOf(
  session: vscode.DebugSession,
  frameId: number,
  isFortran: boolean,
): Promise<ReadonlyMap<string, string | undefined>> {
  asksItself('scopes', frameId);
  const { scopes } = await askAdapter(session, 'scopes', { frameId });
  const values = new Map<string, string | undefined>();
  for (const { expensive, variablesReference } of scopes) {
    if (expensive) continue;
    asksItself('variables', variablesReference);
    const { variables } = await askAdapter(session, 'variables', { variablesReference });
    for (const { name, value } of variables) {
      const key = isFortran ? name.toLowerCase() : name;
      if (!values.has(key)) values.set(key, inMargin(visible(value)));
    }
  }
  return values;
}

const startOfC = /^(\w.*)?\{\s*$|^\}/;
const startOfFortran = /^\s*([\w()]+\s+)*(program|subroutine|function|procedure|contains)\b/i;

function startOfFunction(document: vscode.TextDocument, last: number, isFortran: boolean): number {
  const start = isFortran ? startOfFortran : startOfC;
  for (let line = last; line > Math.max(0, last - maxLines); line--)
    if (start.test(document.lineAt(line).text)) return line;
  return Math.max(0, last - maxLines);
}
