/** How long a test waits for what has to come, in milliseconds: longer than a busy machine needs, and shorter than a suite's testTimeoutMs. */
export const patienceMs = 150_000;
