import * as vscode from 'vscode';
import { expressionAt } from './expression';

/** Makes a hover while debugging show `domain%comm` as a whole; by itself, VS Code takes the word under the pointer. */
export const fortranExpressionProvider: vscode.EvaluatableExpressionProvider = {
  provideEvaluatableExpression(document, position) {
    const range = expressionAt(document.lineAt(position).text, position.character);
    return (
      range && new vscode.EvaluatableExpression(new vscode.Range(position.line, range.start, position.line, range.end))
    );
  },
};
