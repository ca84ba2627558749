/** Reads XML 1.0 strictly, as far as schemas and reports use it: no DTD, no CDATA, no namespaces but by their prefix. */

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** All text directly in it. */
  text: string;
}

/** What XML has a way to write, apart from < and &. */
const allowed = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;
const token =
  /<\?[^]*?\?>|<!--[^]*?-->|<\/([\w:-]+)\s*>|<([\w:-]+)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The root. Throws for what is not well-formed. */
export function parseXml(source: string): XmlElement {
  if (!allowed.test(source)) throw new Error('it has a character that XML does not have');
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const [whole, end, begin, attributes = '', isEmpty, text] = token.exec(source) ?? [];
    const inner = open.at(-1)!;
    if (whole === undefined) throw new Error(`not well-formed: ${source.slice(at, at + 60)}`);
    if (text !== undefined) inner.text += decoded(text);
    if (end !== undefined && open.pop()!.name !== end) throw new Error(`</${end}> ends ${inner.name}`);
    if (begin === undefined) continue;
    const element: XmlElement = { name: begin, attributes: attributesOf(attributes), children: [], text: '' };
    inner.children.push(element);
    if (isEmpty !== '/') open.push(element);
  }
  const [root, ...others] = top.children;
  if (open.length !== 1 || root === undefined || others.length > 0 || top.text.trim() !== '')
    throw new Error('it has not exactly one root');
  return root;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([\w:-]+)\s*=\s*("[^"]*"|'[^']*')/g)) {
    if (name in found) throw new Error(`two attributes ${name}`);
    found[name] = decoded(value.slice(1, -1));
  }
  return found;
}

function decoded(text: string): string {
  if (text.includes(']]>')) throw new Error(']]> in text');
  return text.replace(
    /&(?:(\w+)|#(\d+)|#x([\dA-Fa-f]+));|&/g,
    (whole, name?: string, decimal?: string, hex?: string) => {
      const character = name === undefined ? String.fromCodePoint(Number(decimal ?? `0x${hex}`)) : entities[name];
      if (whole === '&' || character === undefined || !allowed.test(character))
        throw new Error(`${whole} is no entity`);
      return character;
    },
  );
}
