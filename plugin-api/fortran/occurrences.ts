/** Finds the places in a source text where handles are named. */
import { readDesignator } from './designators';
import type { Inference } from './infer';
import type { SourceLocation } from './program-model';
import { sourceFormIn } from './source-form';
import { logicalLines, locationIn } from './source-lines';
import type { FortranSources } from './sources';
import { statementsOf } from './tokens';

export interface Occurrence {
  readonly path: string;
  /** The location of the path's last part. */
  readonly location: SourceLocation;
  readonly length: number;
  readonly inference: Inference;
}

/** Every occurrence in a file of a variable or component with an inferred kind, in order. */
export function* occurrencesIn(sources: FortranSources, file: string, text: string): Generator<Occurrence> {
  const { program, inferences } = sources.infer();
  const names = new Set([...inferences.keys()].map(({ name }) => name.slice(name.lastIndexOf('%') + 1)));
  for (const logical of logicalLines(text, sourceFormIn(file, text))) {
    for (const tokens of logical.text.startsWith('#') ? [] : statementsOf(logical)) {
      for (const [index, token] of tokens.entries()) {
        if (token.kind !== 'name' || tokens[index - 1]?.text === '%') continue;
        for (const { path, at } of pathsFrom(tokens, index)) {
          const last = path.slice(path.lastIndexOf('%') + 1);
          if (!names.has(last)) continue;
          const location = { file, ...locationIn(logical, at) };
          const scope = program.scopeAt(file, location.line);
          const entity = scope && program.resolve(scope, path, location);
          const inference = entity && inferences.get(entity);
          if (inference !== undefined) yield { path, location, length: last.length, inference };
        }
      }
    }
  }
}

/** `grid`, `grid%halo`, `grid%halo%comm`, each with the position of its last part. */
function* pathsFrom(
  tokens: ReturnType<typeof statementsOf>[number],
  start: number,
): Generator<{ path: string; at: number }> {
  const end = readDesignator(tokens, start, () => ({ file: '', line: 1, column: 1 }))?.next ?? start;
  let path = '';
  let depth = 0;
  for (const token of tokens.slice(start, end)) {
    if (token.text === '(' || token.text === '(/') depth++;
    else if (token.text === ')' || token.text === '/)') depth--;
    else if (depth === 0 && token.kind === 'name') {
      path += path === '' ? token.text : `%${token.text}`;
      yield { path, at: token.at };
    }
  }
}
