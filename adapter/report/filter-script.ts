/**
 * The page's script: hides each element with data-ranks that has none of the ranks, or nowhere the text, that are typed
 * into the form. Plain JavaScript of a browser; without it everything is shown.
 */
export const filterScript = `
'use strict';
const form = document.getElementById('filter');
const ranks = document.getElementById('filter-ranks');
const text = document.getElementById('filter-text');
const state = document.getElementById('filter-state');
const items = [...document.querySelectorAll('[data-ranks]')].map((element) => ({
  element,
  ranks: parse(element.dataset.ranks),
  words: undefined,
}));
function parse(set) {
  let world = '0';
  return set.split(',').flatMap((part) => {
    const found = /^\\s*(?:(\\d+(?:\\.\\d+)*):)?\\s*(\\d{1,9})\\s*(?:-\\s*(\\d{1,9})\\s*)?$/.exec(part);
    world = found?.[1] ?? world;
    return found ? [[Number(found[2]), Number(found[3] ?? found[2]), world]] : [];
  });
}
function apply() {
  const wanted = parse(ranks.value);
  const isWrong = ranks.value.trim() !== '' && wanted.length === 0;
  ranks.setAttribute('aria-invalid', String(isWrong));
  const word = text.value.trim().toLowerCase();
  let shown = 0;
  for (const item of items) {
    if (word !== '') item.words ??= item.element.textContent.toLowerCase();
    const isAsked =
      wanted.length === 0 || item.ranks.some(([a, b, of]) => wanted.some(([first, last, world]) => of === world && a <= last && first <= b));
    const isShown = isAsked && (word === '' || item.words.includes(word));
    item.element.hidden = !isShown;
    if (isShown) shown++;
  }
  const isFiltered = wanted.length > 0 || word !== '';
  state.textContent = isWrong
    ? 'write ranks like 0-3,7'
    : isFiltered
      ? shown + ' of ' + items.length + ' entries'
      : '';
}
form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(apply));
form.hidden = false;
`;
