import type { ProcessImage } from '../../plugin-api/image';

/** An image of a process that may run between two stops; a stop is an epoch, and what is cached dies with it. */
export interface EpochImage extends ProcessImage {
  /** The process has run: forget everything that it may have changed. Never throws, also when the process has ended. */
  invalidate(): void;
}
