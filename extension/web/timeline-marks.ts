/** The shapes of the timeline other than bars: events, gaps, and the open end of a call in progress. */

/** Half the width of an event's triangle, and its height. */
export const eventReach = 4;
export const eventHeight = 7;

/** An area, in pixels. */
export interface Area {
  left: number;
  right: number;
  top: number;
  height: number;
}

/** Its tip is at the time of the event. `isHollow`: a notice that others are lost. */
export function drawEvent(
  context: CanvasRenderingContext2D,
  x: number,
  bottom: number,
  color: string,
  isHollow: boolean,
): void {
  context.beginPath();
  context.moveTo(x, bottom - eventHeight);
  context.lineTo(x + eventReach, bottom - 0.5);
  context.lineTo(x - eventReach, bottom - 0.5);
  context.closePath();
  if (isHollow) {
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.stroke();
  } else {
    context.fillStyle = color;
    context.fill();
  }
}

/** `direction`: 1 rises to the right, -1 falls. */
export function hatch(
  context: CanvasRenderingContext2D,
  { left, right, top, height }: Area,
  color: string,
  { direction, step }: { direction: 1 | -1; step: number },
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  const [from, to] = direction === 1 ? [top + height, top] : [top, top + height];
  for (let x = left - height; x < right; x += step) {
    context.moveTo(x, from);
    context.lineTo(x + height, to);
  }
  context.stroke();
  context.restore();
}

/** Has not ended: it goes on to the right, with an edge like a saw. */
export function drawOpen(
  context: CanvasRenderingContext2D,
  from: number,
  top: number,
  right: number,
  height: number,
): void {
  const tooth = Math.min(6, right - from);
  context.beginPath();
  context.moveTo(from, top);
  context.lineTo(right - tooth, top);
  for (let i = 1; i <= 4; i++) context.lineTo(i % 2 === 1 ? right : right - tooth, top + (height * i) / 4);
  context.lineTo(from, top + height);
  context.fill();
}
