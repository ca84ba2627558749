/** Boxes in a circle, and arrows between them. */
import type { Point } from './picture';

interface Size {
  width: number;
  height: number;
}

/** The radius at which so many boxes leave room between each other. */
export function radiusFor(count: number, box: Size): number {
  return count < 3 ? box.width : Math.max(160, (count * box.width * 0.8) / (2 * Math.PI));
}

/** From the top, clockwise. */
export function onCircle(center: Point, radius: number, share: number): Point {
  const angle = 2 * Math.PI * share - Math.PI / 2;
  return { x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) };
}

/** Where the line from the middle of one box towards another leaves it. */
export function edge(from: Point, to: Point, box: Size): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.min(
    dx === 0 ? Infinity : (box.width / 2 + 2) / Math.abs(dx),
    dy === 0 ? Infinity : (box.height / 2 + 2) / Math.abs(dy),
  );
  return { x: from.x + dx * share, y: from.y + dy * share };
}
