/** Files of environment variables, as `envFile` names one: NAME=value, line by line. */
import { readFileSync, statSync } from 'node:fs';
import { wrongConfiguration } from '../client/errors';

/** Bytes. */
const maxFile = 1 << 20;

/** Throws RequestError for a file that cannot be read, and for a line that is none. */
export function readEnvironmentFile(path: string): Record<string, string> {
  return environmentIn(textOf(path), path);
}

function textOf(path: string): string {
  try {
    const about = statSync(path);
    if (about.isFile() && about.size <= maxFile) return readFileSync(path, 'utf8');
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'is not there' : 'cannot be read';
    throw wrongConfiguration(`"envFile": ${path} ${why}`);
  }
  throw wrongConfiguration(`"envFile": ${path} is no file, or longer than 1 MB`);
}

/** Comments begin with #; a value may stand in quotes, and only then keeps blanks at its ends. */
export function environmentIn(text: string, path: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) throw wrongConfiguration(`"envFile": line ${index + 1} of ${path} is not NAME=value`);
    const [, quote, quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
    const plain = quoted === undefined ? value.replace(/\s+#.*$/, '') : quoted;
    found[name] =
      quote === '"' ? plain.replace(/\\([n"\\])/g, (_, each: string) => (each === 'n' ? '\n' : each)) : plain;
  }
  return found;
}
