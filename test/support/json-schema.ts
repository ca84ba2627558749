/** Checks values against JSON Schema (draft 4, as far as later drafts agree with it). A keyword or format that is not known is an error. */
import { Ajv } from 'ajv';

/** The check answers what is wrong with a value: a sentence about each place. Empty: nothing. */
export function checkOf({ id, $schema: _draft, ...schema }: Record<string, unknown>): (value: unknown) => string[] {
  // A pattern of SARIF's schema is none of Unicode's.
  const isValid = new Ajv({ allErrors: true, unicodeRegExp: false, formats }).compile({ $id: String(id), ...schema });
  return (value) => (isValid(value) ? [] : isValid.errors!.map((each) => `${each.instancePath} ${each.message}`));
}

/** RFC 3986: what may be in a reference, and percent signs only before two digits. */
const uriReference = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*$/;
const formats = {
  uri: (text: string) => uriReference.test(text) && URL.canParse(text),
  'uri-reference': (text: string) => uriReference.test(text) && URL.canParse(text, 'file:///'),
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
};
