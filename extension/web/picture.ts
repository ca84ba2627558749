/** Draws a Picture that the extension sends. */
import type { FromPicture, Picture, Point, Shape } from '../pictures/picture';
import { button, element, shape as svg } from './kit/elements';
import { connect } from './kit/extension-host';
import './kit/kit.css';
import './picture.css';

type Of<Kind extends Shape['kind']> = Extract<Shape, { kind: Kind }>;

const post = connect<Picture, FromPicture>((picture) => {
  const focused = ranks().findIndex((each) => each === document.activeElement);
  draw(picture);
  // At a stop it is drawn anew: who goes through it by keyboard stays where they are.
  ranks()[focused]?.focus();
});

function draw({ title, lines, below = [], links = [], width, height, shapes }: Picture): void {
  const paragraph = (line: string): Element => element('p', {}, ...linked(line, links));
  const label = [title, ...lines, ...below].join(' ');
  document.body.replaceChildren(
    element('h1', {}, title),
    ...lines.map(paragraph),
    svg(
      'svg',
      { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label },
      definitions(),
      ...shapes.map(drawn),
    ),
    ...below.map(paragraph),
  );
}

/** The line with a link wherever the words of one stand. */
function linked(line: string, links: NonNullable<Picture['links']>): (Element | string)[] {
  const words = new Map(links.map(({ text }, index) => [text, index]));
  if (words.size === 0) return [line];
  // "a.c:5" is not to be found in "a.c:52".
  const any = [...words.keys()].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return line.split(new RegExp(`(?<![\\w./-])(${any})(?!\\d)`)).map((part) => {
    const link = words.get(part);
    return link === undefined ? part : button(part, () => post({ kind: 'followed', link }), { class: 'link' });
  });
}

/** What can be chosen, in the order of Tab. */
function ranks(): SVGElement[] {
  return [...document.querySelectorAll<SVGElement>('.button')];
}

function drawn(shape: Shape, index: number): SVGElement {
  switch (shape.kind) {
    case 'box':
      return box(shape);
    case 'rank':
      return rank(shape, index);
    case 'arrow':
      return arrow(shape);
    case 'text':
      return label(shape.text, shape.x, shape.y, shape.anchor);
  }
}

function label(text: string, x: number, y: number, anchor = 'start', className = ''): SVGElement {
  return svg('text', { x, y, 'text-anchor': anchor, class: className }, text);
}

function box({ x, y, width, height, look, texts = [], hint }: Of<'box'> | Of<'rank'>): SVGElement {
  const said = hint === undefined ? [] : [svg('title', {}, hint)];
  return svg(
    'g',
    {},
    svg('rect', { x, y, width, height, rx: texts.length > 0 ? 4 : 0, class: look }, ...said),
    ...texts.map((text, line) =>
      label(text, x + width / 2, y + height / 2 + 5 + (line - (texts.length - 1) / 2) * 17, 'middle', look),
    ),
  );
}

/** By mouse and by keyboard. */
function rank(shape: Of<'rank'>, index: number): SVGElement {
  const group = box(shape);
  const show = (): void => post({ kind: 'clicked', shape: index });
  group.classList.add('button');
  group.setAttribute('role', 'button');
  group.setAttribute('tabindex', '0');
  group.setAttribute('aria-label', shape.hint ?? shape.texts.join(', '));
  group.addEventListener('click', show);
  group.addEventListener('keydown', (event) => {
    const towards = directions[event.key];
    if (event.key === 'Enter' || event.key === ' ') show();
    else if (towards !== undefined) nearest(group, towards)?.focus();
    else return;
    event.preventDefault(); // The page would scroll.
  });
  return group;
}

const directions: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** The next one in a direction: what lies beside the straight line counts as further away. */
function nearest(from: SVGElement, towards: Point): SVGElement | undefined {
  const start = middleOf(from);
  const distances = ranks().flatMap((to) => {
    const x = middleOf(to).x - start.x;
    const y = middleOf(to).y - start.y;
    const ahead = x * towards.x + y * towards.y;
    const beside = Math.abs(x * towards.y - y * towards.x);
    return ahead > 1 ? [{ to, distance: ahead + 3 * beside }] : [];
  });
  return distances.sort((a, b) => a.distance - b.distance)[0]?.to;
}

function middleOf(shape: SVGElement): Point {
  const { x, y, width, height } = shape.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

function arrow({ from, to, look }: Of<'arrow'>): SVGElement {
  return svg('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: look, 'marker-end': 'url(#head)' });
}

function definitions(): SVGElement {
  return svg(
    'defs',
    {},
    svg(
      'marker',
      { id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' },
      svg('path', { d: 'M0,0 L8,4 L0,8 z', class: 'head' }),
    ),
    svg(
      'pattern',
      { id: 'holes', width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('line', { x1: 0, y1: 0, x2: 0, y2: 8, class: 'hatch' }),
    ),
  );
}
