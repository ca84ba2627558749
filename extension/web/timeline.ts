/** The page of the timeline: what it shows, what the user chooses, and the details of an item. */
import './kit/translation';
import * as l10n from '@vscode/l10n';
import { Lanes } from '../timeline/lanes';
import type { FromTimeline, ToTimeline } from '../timeline/timeline-messages';
import { button, element } from './kit/elements';
import { connect } from './kit/extension-host';
import { onThemeChange } from './kit/theme';
import { callSorts, openmpColors, TimelineCanvas } from './timeline-canvas';
import { moveByKeyboard, moveByMouse, zoomAtSelection } from './timeline-moves';
import { detailsOf, keys, textOf } from './timeline-details';
import { nameFilter } from '../views/name-filter';
import { TimeRange } from './time-range';
import type { Selection, TimelineView } from './timeline-view';
import './kit/kit.css';
import './timeline.css';

const lanes = new Lanes();
const range = new TimeRange();
const surface = element('canvas', { tabindex: 0, role: 'application' });
const canvas = new TimelineCanvas(surface, range);
const notes = element('div', { role: 'status', class: 'quiet' });
const details = element('section', { 'aria-live': 'polite', 'aria-label': l10n.t('Details') });
const filter = element('input', {
  type: 'search',
  placeholder: l10n.t('Filter: recv, MPI_All*'),
  'aria-label': l10n.t('Filter records by name'),
});
const matches = element('output', { class: 'quiet' });
let isWanted = nameFilter('');
let selected: Selection | undefined;
let isDue = false;
/** Nothing was shown yet. */
let isNew = true;

const view: TimelineView = {
  ...{ lanes, range, canvas },
  isWanted: (item) => isWanted(item.name),
  selected: () => selected,
  select: (selection) => {
    selected = selection;
    // Who reads of a record wants it to stay.
    if (selection !== undefined) range.isFollowing = false;
    details.replaceChildren(...detailsOf(selection, lanes.now, post));
    label();
    view.redraw();
  },
  /** Once a frame. */
  redraw: () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      following.setAttribute('aria-pressed', String(range.isFollowing));
      canvas.draw({ lanes: lanes.all, now: lanes.now, isWanted: view.isWanted, selected });
    });
  },
};

const following = button(l10n.t('Follow'), () => {
  range.isFollowing = !range.isFollowing;
  range.follow(lanes.now);
  view.redraw();
});
const tool = (text: string, label: string, act: () => void): HTMLButtonElement =>
  button(
    text,
    () => {
      act();
      view.redraw();
    },
    { 'aria-label': label, title: label },
  );
filter.addEventListener('input', () => {
  isWanted = nameFilter(filter.value);
  tellMatches();
  view.redraw();
});

/** What a filter leaves, so that an empty timeline is not a riddle. */
function tellMatches(): void {
  if (filter.value.trim() === '') {
    matches.textContent = '';
    return;
  }
  const all = lanes.all.flatMap(({ calls, openmp, events }) => [calls, openmp, events]);
  const count = all.reduce((sum, { length }) => sum + length, 0);
  const shown = all.reduce((sum, items) => sum + items.filter(view.isWanted).length, 0);
  matches.textContent = count === 1 ? l10n.t('{0} of 1 record', shown) : l10n.t('{0} of {1} records', shown, count);
}

/** What a screen reader says of the canvas. */
function label(): void {
  const ranks = new Set(lanes.all.map(({ rank }) => rank)).size;
  const all =
    ranks === 1
      ? l10n.t('Timeline of MPI calls of 1 rank. {0}', keys())
      : l10n.t('Timeline of MPI calls of {0} ranks. {1}', ranks, keys());
  surface.setAttribute('aria-label', selected === undefined ? all : textOf(selected, lanes.now));
}

const swatch = (color: string, text: string): HTMLElement => {
  const mark = element('span', { class: 'swatch' });
  mark.style.background = `var(--vscode-${color})`;
  return element('li', {}, mark, text);
};
document.body.replaceChildren(
  element(
    'div',
    { class: 'tools' },
    tool('+', l10n.t('Zoom in'), () => zoomAtSelection(view, 0.5)),
    tool('−', l10n.t('Zoom out'), () => zoomAtSelection(view, 2)),
    tool(l10n.t('All'), l10n.t('Show all that is known'), () => range.showAll(lanes.first, lanes.now)),
    following,
    filter,
    matches,
    element(
      'ul',
      { class: 'legend' },
      ...callSorts.map(({ color, text }) => swatch(color, text())),
      swatch('descriptionForeground', l10n.t('other calls')),
      swatch(openmpColors.work, 'OpenMP'),
      element('li', {}, element('span', { class: 'swatch hatched' }), l10n.t('records lost')),
      element('li', {}, l10n.t('▲ MPI_T event')),
      element('li', {}, element('span', { class: 'swatch dropped' }), l10n.t('△ events dropped by the MPI library')),
    ),
  ),
  notes,
  surface,
  details,
);

const post = connect<ToTimeline, FromTimeline>((message) => {
  switch (message.kind) {
    case 'items':
      lanes.add(message.rank, message.threads);
      return;
    case 'asked':
      notes.replaceChildren(...message.notes.map((line) => element('div', {}, line)));
      lanes.now = message.now ?? lanes.now;
      range.isStanding = message.stands === true;
      if (isNew && range.isStanding && lanes.all.length > 0) range.fit(lanes.first, lanes.now);
      else range.follow(lanes.now);
      isNew &&= lanes.all.length === 0;
      if (selected === undefined) label();
      tellMatches();
      break;
    case 'restart':
      lanes.clear();
      isNew = true;
      range.isFollowing = true;
      view.select(undefined);
  }
  view.redraw();
});

view.select(undefined);
moveByMouse(surface, view);
moveByKeyboard(surface, view);
onThemeChange(view.redraw);
new ResizeObserver(() => {
  canvas.resize(surface.clientWidth, surface.clientHeight);
  view.redraw();
}).observe(surface);
