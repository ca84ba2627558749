/** Zoom, pan and selection by mouse and keyboard. */
import { indexAt, type Lane } from '../timeline/lanes';
import type { TimelineItem } from '../timeline/timeline-messages';
import type { TimelineView } from './timeline-view';

/** A wheel scrolls the lanes where they have no room, else it zooms; with Ctrl it always zooms, with Shift it pans. */
export function moveByMouse(surface: HTMLElement, view: TimelineView): void {
  const { range, canvas } = view;
  surface.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { deltaX, deltaY, ctrlKey, metaKey, shiftKey, offsetX } = event;
      if (ctrlKey || metaKey || (!canvas.scrolls && deltaX === 0 && !shiftKey)) range.zoom(1.0015 ** deltaY, offsetX);
      else if (shiftKey || deltaX !== 0) range.pan(shiftKey ? deltaY + deltaX : deltaX);
      else canvas.scrollBy(deltaY);
      view.redraw();
    },
    { passive: false },
  );
  let dragged: { x: number; y: number; isMoved: boolean } | undefined;
  surface.addEventListener('pointerdown', ({ offsetX, offsetY, pointerId }) => {
    dragged = { x: offsetX, y: offsetY, isMoved: false };
    surface.setPointerCapture(pointerId);
  });
  surface.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    if (dragged === undefined || Math.hypot(offsetX - dragged.x, offsetY - dragged.y) < (dragged.isMoved ? 0 : 4))
      return;
    range.pan(dragged.x - offsetX);
    canvas.scrollBy(dragged.y - offsetY);
    dragged = { x: offsetX, y: offsetY, isMoved: true };
    view.redraw();
  });
  surface.addEventListener('pointerup', ({ offsetX, offsetY }) => {
    if (dragged?.isMoved === false) selectAt(view, offsetX, offsetY);
    dragged = undefined;
  });
}

function selectAt(view: TimelineView, x: number, y: number): void {
  const { lanes, canvas } = view;
  const index = canvas.laneAt(y);
  const lane = lanes.all[index];
  const item = lane && canvas.itemAt(lane, index, x, y, view.isWanted);
  view.select(lane === undefined || item === undefined ? undefined : { lane, item });
}

export function moveByKeyboard(surface: HTMLElement, view: TimelineView): void {
  const { range, lanes } = view;
  const act = (key: string, shiftKey: boolean): boolean => {
    if (key === '+' || key === '=') zoomAtSelection(view, 0.5);
    else if (key === '-') zoomAtSelection(view, 2);
    else if (key === '0') range.showAll(lanes.first, lanes.now);
    else if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const direction = key === 'ArrowLeft' ? -1 : 1;
      if (shiftKey) range.pan((direction * range.width) / 5);
      else goTo(view, direction);
    } else if (key === 'ArrowUp' || key === 'ArrowDown') goToLane(view, key === 'ArrowUp' ? -1 : 1);
    else if (key === 'Escape') view.select(undefined);
    else return false;
    return true;
  };
  surface.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !act(event.key, event.shiftKey)) return;
    event.preventDefault();
    view.redraw();
  });
}

/** Around the item that is selected, if its begin is shown. */
export function zoomAtSelection({ range, selected }: TimelineView, factor: number): void {
  const begin = selected()?.item.begin;
  if (begin === undefined || begin < range.from || begin > range.to) {
    range.zoom(factor);
    return;
  }
  range.zoomOn(begin, factor);
}

/** All that a lane shows, in the order of time. */
function itemsOf(view: TimelineView, { calls, openmp, events }: Lane): TimelineItem[] {
  return [...calls, ...openmp, ...events].filter(view.isWanted).sort((a, b) => a.begin - b.begin);
}

/** The next or previous item of the lane; from one that the filter has hidden since, its neighbour. */
function goTo(view: TimelineView, direction: 1 | -1): void {
  const { lane = view.lanes.all.find((each) => itemsOf(view, each).length > 0), item } = view.selected() ?? {};
  if (lane === undefined) return;
  const items = itemsOf(view, lane);
  const at = item === undefined ? items.length : items.indexOf(item);
  const next = at === -1 ? indexAt(items, item?.begin ?? Infinity) - (direction === 1 ? 0 : 1) : at + direction;
  show(view, lane, items[Math.max(0, Math.min(items.length - 1, next))]);
}

/** The next lane that has something to show, at the same time. */
function goToLane(view: TimelineView, direction: 1 | -1): void {
  const { all } = view.lanes;
  const { lane, item } = view.selected() ?? {};
  for (let i = lane === undefined ? 0 : all.indexOf(lane) + direction; i >= 0 && i < all.length; i += direction) {
    const items = itemsOf(view, all[i]!);
    if (items.length === 0) continue;
    show(view, all[i]!, items[Math.max(0, indexAt(items, item?.begin ?? Infinity) - 1)]);
    return;
  }
}

function show(view: TimelineView, lane: Lane, item: TimelineItem | undefined): void {
  if (item === undefined) return;
  view.range.reveal(item.begin, item.end ?? view.lanes.now);
  view.canvas.reveal(view.lanes.all.indexOf(lane));
  view.select({ lane, item });
}
