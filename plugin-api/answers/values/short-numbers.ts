/** Real numbers as tables have them. */
import { replaceRealNumbers, significantDigits } from './shortest-number';

const significant = 6;
const payload = /\bnan\(0x[0-9a-f]+\)/g;

/** Each real number with 6 digits, and nan without the bits that it is made of. */
export function withShortNumbers(text: string): string {
  return replaceRealNumbers(text.replace(payload, 'nan'), short);
}

/** Short numbers in texts that are read together: those that would read alike stay whole. */
export function allWithShortNumbers(texts: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map<string, Set<string>>();
  for (const text of texts) {
    const made = withShortNumbers(text);
    sources.set(made, (sources.get(made) ?? new Set()).add(text));
  }
  return new Map(
    texts.map((text) => {
      const made = withShortNumbers(text);
      return [text, sources.get(made)!.size > 1 ? text.replace(payload, 'nan') : made];
    }),
  );
}

/** "1.23457e+07", and what is short already as it is. */
function short(number: string): string {
  if (significantDigits(number) <= significant) return number;
  const value = Number(number);
  // Beyond the numbers of JavaScript.
  if (!Number.isFinite(value) || value === 0) return number;
  const exponent = Math.floor(Math.log10(value));
  const text = value.toPrecision(significant);
  if (exponent < -5 || exponent >= significant) {
    const [mantissa = '', power = ''] = value.toExponential(significant - 1).split('e');
    return `${trimmed(mantissa)}e${power.replace(/^([+-])(\d)$/, '$10$2')}`;
  }
  return trimmed(text);
}

/** Without zeros at the end. */
function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
