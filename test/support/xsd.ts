/** Checks XML against an XML Schema, as far as JUnit's uses it. A construct that is not known here is an error. */
import { parseXml, type XmlElement } from './xml';

/** What is wrong with it: a sentence about each place. Empty: nothing. Throws where the text is not well-formed. */
export function xsdProblems(text: string, schema: string): string[] {
  const root = parseXml(text);
  const checker = new Checker(parseXml(schema));
  return checker.root(root);
}

interface Content {
  attributes: XmlElement[];
  /** A sequence or a choice. */
  group?: XmlElement;
  /** The type of its text. */
  simple?: string;
}

class Checker {
  constructor(private readonly schema: XmlElement) {}

  root(element: XmlElement): string[] {
    const declared = this.schema.children.find((each) => each.name === 'xs:element' && nameOf(each) === element.name);
    return declared === undefined ? [`${element.name} is no root`] : this.element(element, declared, element.name);
  }

  private element(element: XmlElement, declared: XmlElement, at: string): string[] {
    const content = this.contentOf(declared);
    // Neither a type nor content: anything may be in it.
    if (content === undefined) return [];
    const { attributes, group, simple } = content;
    const known = new Set(attributes.map(nameOf));
    const strangers = Object.keys(element.attributes).filter((name) => !known.has(name));
    return [
      ...strangers.map((name) => `${at} may not have ${name}`),
      ...attributes.flatMap((attribute) => this.attribute(element, attribute, at)),
      ...(group === undefined ? element.children.map(({ name }) => `${at} may not have <${name}>`) : []),
      ...(group === undefined ? [] : this.children(element, group, at)),
      ...(simple === undefined ? [] : this.value(element.text, simple, at)),
      ...(simple === undefined && element.text.trim() !== '' ? [`${at} may not have text`] : []),
    ];
  }

  private attribute({ attributes }: XmlElement, declared: XmlElement, at: string): string[] {
    const name = nameOf(declared);
    const value = attributes[name];
    if (value === undefined) return declared.attributes['use'] === 'required' ? [`${at} has no ${name}`] : [];
    const inner = childOf(declared, 'xs:simpleType');
    return inner === undefined
      ? this.value(value, declared.attributes['type']!, `${at}/@${name}`)
      : this.restricted(value, inner, `${at}/@${name}`);
  }

  private children({ children }: XmlElement, group: XmlElement, at: string): string[] {
    const parts = group.children.filter(({ name }) => name !== 'xs:annotation');
    let next = 0;
    const problems: string[] = [];
    const takes = (part: XmlElement, most: number): number => {
      let count = 0;
      for (; count < most && children[next]?.name === nameOf(part); count++, next++)
        problems.push(...this.element(children[next]!, part, `${at}/${nameOf(part)}`));
      return count;
    };
    if (group.name === 'xs:choice') {
      const chosen = parts.find((part) => nameOf(part) === children[0]?.name);
      const taken = chosen === undefined ? 0 : takes(chosen, 1);
      if (taken === 0 && group.attributes['minOccurs'] !== '0') problems.push(`${at} has none of its choices`);
    } else {
      for (const part of parts) {
        const { minOccurs = '1', maxOccurs = '1' } = part.attributes;
        const count = takes(part, maxOccurs === 'unbounded' ? Infinity : Number(maxOccurs));
        if (count < Number(minOccurs)) problems.push(`${at} has no <${nameOf(part)}> where it belongs`);
      }
    }
    return [...problems, ...children.slice(next).map(({ name }) => `${at} may not have <${name}> there`)];
  }

  private contentOf(declared: XmlElement): Content | undefined {
    const named = declared.attributes['type'];
    if (named?.startsWith('xs:')) return { attributes: [], simple: named };
    const type = named === undefined ? childOf(declared, 'xs:complexType') : this.typeNamed(named);
    if (type?.name === 'xs:complexType') return this.complex(type);
    const simple = type ?? childOf(declared, 'xs:simpleType');
    return simple === undefined ? undefined : { attributes: [], simple: baseOf(simple) };
  }

  private complex(type: XmlElement): Content {
    const content: Content = { attributes: [] };
    for (const part of type.children) {
      if (part.name === 'xs:attribute') content.attributes.push(part);
      else if (part.name === 'xs:sequence' || part.name === 'xs:choice') content.group = part;
      else if (part.name === 'xs:simpleContent' || part.name === 'xs:complexContent') {
        const extension = childOf(part, 'xs:extension')!;
        const { attributes } = this.complex(extension);
        const base = extension.attributes['base']!;
        if (part.name === 'xs:simpleContent') Object.assign(content, { attributes, simple: base });
        else {
          const inherited = this.complex(this.typeNamed(base));
          Object.assign(content, inherited, { attributes: [...inherited.attributes, ...attributes] });
        }
      } else if (part.name !== 'xs:annotation') throw new Error(`${part.name} is not checked`);
    }
    return content;
  }

  private value(value: string, type: string, at: string): string[] {
    if (!type.startsWith('xs:')) return this.restricted(value, this.typeNamed(type), at);
    const pattern = builtIn[type];
    if (pattern === undefined) throw new Error(`the type ${type} is not checked`);
    return pattern.test(value) ? [] : [`${at} is no ${type}`];
  }

  private restricted(value: string, simpleType: XmlElement, at: string): string[] {
    const restriction = childOf(simpleType, 'xs:restriction')!;
    const facets = restriction.children.flatMap(({ name, attributes }) => {
      const wanted = attributes['value']!;
      if (name === 'xs:minLength') return value.length < Number(wanted) ? [`${at} is too short`] : [];
      if (name === 'xs:pattern') return new RegExp(`^(${wanted})$`).test(value) ? [] : [`${at} is not like ${wanted}`];
      if (name === 'xs:whiteSpace') return [];
      throw new Error(`${name} is not checked`);
    });
    return [...this.value(value, restriction.attributes['base']!, at), ...facets];
  }

  private typeNamed(name: string): XmlElement {
    const found = this.schema.children.find((each) => each.name.endsWith('Type') && nameOf(each) === name);
    if (found === undefined) throw new Error(`the schema has no type ${name}`);
    return found;
  }
}

/** Every text is an xs:token, after its blanks are collapsed. */
const builtIn: Readonly<Record<string, RegExp>> = {
  'xs:string': /^[^]*$/,
  'xs:token': /^[^]*$/,
  'xs:int': /^[+-]?\d{1,10}$/,
  'xs:decimal': /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  'xs:dateTime': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/,
};

function nameOf({ attributes }: XmlElement): string {
  return attributes['name'] ?? '';
}

function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((child) => child.name === name);
}

function baseOf(simpleType: XmlElement): string {
  return childOf(simpleType, 'xs:restriction')!.attributes['base']!;
}
