/** What the parts of the timeline's page share. */
import type { Lane, Lanes } from '../timeline/lanes';
import type { TimelineItem } from '../timeline/timeline-messages';
import type { TimelineCanvas } from './timeline-canvas';
import type { TimeRange } from './time-range';

export interface Selection {
  lane: Lane;
  item: TimelineItem;
}

export interface TimelineView {
  readonly lanes: Lanes;
  readonly range: TimeRange;
  readonly canvas: TimelineCanvas;
  readonly isWanted: (item: TimelineItem) => boolean;
  readonly selected: () => Selection | undefined;
  readonly select: (selection: Selection | undefined) => void;
  readonly redraw: () => void;
}
