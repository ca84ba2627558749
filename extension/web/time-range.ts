/** The time that is shown, as wide as the canvas: zoom, pan, and following what is new. */

/** Seconds. */
const minTime = 1e-6;
const firstTime = 5;
/** Beside what is known, of what is shown. */
const room = 0.03;

export class TimeRange {
  from = 0;
  to = firstTime;
  /** Stays at the newest. */
  isFollowing = true;
  /** No rank runs: nothing newer will come. */
  isStanding = false;

  /** Pixels. */
  left = 0;
  width = 1;

  xOf(time: number): number {
    return this.left + ((time - this.from) / (this.to - this.from)) * this.width;
  }

  timeAt(x: number): number {
    return this.from + ((x - this.left) / this.width) * (this.to - this.from);
  }

  /** There is something newer. */
  follow(now: number): void {
    if (!this.isFollowing) return;
    const shown = this.to - this.from;
    // Some room, so that what has not ended is seen to be open.
    this.to = now + shown * room;
    this.from = this.to - shown;
  }

  /** Where less is known than is shown, and nothing will come: without the empty time before it. */
  fit(first: number, now: number): void {
    const known = Math.max(minTime, (now - first) * (1 + 2 * room));
    if (known < this.to - this.from) this.from = this.to - known;
    this.follow(now);
  }

  /** Around a place; while it follows what runs, or without a place, the newest stays where it is. */
  zoom(factor: number, x?: number): void {
    if (this.isFollowing && (x === undefined || !this.isStanding)) {
      this.zoomAround(this.to - (this.to - this.from) * room, factor);
      return;
    }
    this.isFollowing = false;
    this.zoomAround(this.timeAt(x ?? this.left + this.width / 2), factor);
  }

  /** Zooms around a visible time and keeps it away from the edge. */
  zoomOn(time: number, factor: number): void {
    this.isFollowing = false;
    this.zoomAround(time, factor);
    this.keepInside(time);
  }

  private zoomAround(time: number, factor: number): void {
    const shown = Math.max(minTime, (this.to - this.from) * factor);
    const share = (time - this.from) / (this.to - this.from);
    this.from = time - share * shown;
    this.to = this.from + shown;
  }

  /** What is half under the edge cannot be seen. */
  private keepInside(time: number): void {
    const margin = (this.to - this.from) * room;
    const moved = Math.min(0, time - this.from - margin) + Math.max(0, time - this.to + margin);
    this.from += moved;
    this.to += moved;
  }

  pan(pixels: number): void {
    const time = (pixels / this.width) * (this.to - this.from);
    this.from += time;
    this.to += time;
    this.isFollowing = false;
  }

  showAll(first: number, now: number): void {
    const known = Math.max(minTime, now - first);
    this.from = first - known * room;
    this.to = this.from + known * (1 + 2 * room);
    this.isFollowing = false;
  }

  /** Moves as little as possible. */
  reveal(begin: number, end: number): void {
    const shown = this.to - this.from;
    if (begin >= this.from && begin <= this.to) {
      this.keepInside(begin);
      return;
    }
    this.from = end - begin > shown ? begin : (begin + end - shown) / 2;
    this.to = this.from + shown;
    this.isFollowing = false;
  }

  /** Round times that are far enough from each other to be read, with their texts. */
  ticks(): { time: number; text: string }[] {
    const least = ((this.to - this.from) * 90) / this.width;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power;
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const count = Math.floor(this.to / step) - Math.ceil(this.from / step) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, i) => {
      const time = (Math.ceil(this.from / step) + i) * step;
      return { time, text: `${time.toFixed(digits)} s` };
    });
  }
}
