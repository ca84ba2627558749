/** Makes elements of a page. Texts become text nodes, with hidden characters made visible: nothing is parsed. */
import { visible } from '../../../plugin-api/visible-text';

type Attributes = Record<string, string | number>;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Element | string)[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children);
}

export function shape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Element | string)[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** Chooses one of several; labelled for those who do not see what it is beside. */
export function choice(
  label: string,
  options: readonly { value: string; text: string }[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLSelectElement {
  const made = element('select', { 'aria-label': label });
  made.append(...options.map(({ value, text }) => element('option', { value }, text)));
  made.value = chosen;
  made.addEventListener('change', () => onChange(made.value));
  return made;
}

function filled<E extends Element>(made: E, attributes: Attributes, children: readonly (Element | string)[]): E {
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === 'string' ? visible(value) : String(value));
  made.append(...children.map((child) => (typeof child === 'string' ? visible(child) : child)));
  return made;
}
