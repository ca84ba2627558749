// Draws a Picture (picture.ts) that the extension sends, in a webview. Texts become text nodes: nothing is parsed.
'use strict';
{
  // @ts-ignore VS Code gives it to every webview.
  const vscode = acquireVsCodeApi();
  const svgNamespace = 'http://www.w3.org/2000/svg';

  const element = (name, attributes, ...children) => {
    const made = document.createElementNS(svgNamespace, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
  };

  const hint = (text) => (text === undefined ? [] : [element('title', {}, text)]);

  const label = (text, x, y, anchor = 'start', className = '') =>
    element('text', { x, y, 'text-anchor': anchor, class: className }, text);

  const box = ({ x, y, width, height, look, texts = [], hint: said }) =>
    element(
      'g',
      {},
      element('rect', { x, y, width, height, rx: texts.length > 0 ? 4 : 0, class: look }, ...hint(said)),
      ...texts.map((text, line) =>
        label(text, x + width / 2, y + height / 2 + 5 + (line - (texts.length - 1) / 2) * 17, 'middle', look),
      ),
    );

  /** By mouse and by keyboard. */
  const rank = (shape, index) => {
    const group = box(shape);
    const show = () => vscode.postMessage({ clicked: index });
    group.classList.add('button');
    group.setAttribute('role', 'button');
    group.setAttribute('tabindex', '0');
    group.setAttribute('aria-label', shape.hint ?? shape.texts.join(', '));
    group.addEventListener('click', show);
    group.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') show();
    });
    return group;
  };

  const arrow = ({ from, to, look }) =>
    element('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: look, 'marker-end': 'url(#head)' });

  const draw = (shape, index) => {
    if (shape.kind === 'box') return box(shape);
    if (shape.kind === 'rank') return rank(shape, index);
    return shape.kind === 'arrow' ? arrow(shape) : label(shape.text, shape.x, shape.y, shape.anchor);
  };

  const definitions = () =>
    element(
      'defs',
      {},
      element(
        'marker',
        { id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' },
        element('path', { d: 'M0,0 L8,4 L0,8 z', class: 'head' }),
      ),
      element(
        'pattern',
        { id: 'holes', width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
        element('line', { x1: 0, y1: 0, x2: 0, y2: 8, class: 'hatch' }),
      ),
    );

  addEventListener('message', ({ data: { title, lines, width, height, shapes } }) => {
    const heading = document.createElement('h1');
    heading.textContent = title;
    const paragraphs = lines.map((line) => {
      const paragraph = document.createElement('p');
      paragraph.textContent = line;
      return paragraph;
    });
    const picture = element(
      'svg',
      { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': [title, ...lines].join(' ') },
      definitions(),
      ...shapes.map(draw),
    );
    document.body.replaceChildren(heading, ...paragraphs, picture);
  });
  vscode.postMessage({ ready: true });
}
