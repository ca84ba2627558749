// The texts that the extension gives to vscode.l10n.t.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** As bundle.l10n.json has them: each text is its own key. Throws Error for a text that is not written there as it is. */
export function textsOfExtension(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = new Set<string>();
  for (const name of files) {
    const file = path.join(folder, name);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && /\bl10n\.t$/.test(node.expression.getText(source))) {
        const [text] = node.arguments;
        if (text === undefined || !ts.isStringLiteralLike(text)) throw new Error(`${file}: l10n.t needs a text`);
        texts.add(text.text);
      }
      ts.forEachChild(node, visit);
    };
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    visit(source);
  }
  return Object.fromEntries([...texts].sort().map((text) => [text, text]));
}
