/** What a library keeps to unwind its stacks is missing, or in a form that is not known: a part of a sentence. */
export class UnwindError extends Error {}
