/** What the language server is told when it starts. */
export interface ServerOptions {
  /** The texts in the user's language, by the English ones. */
  translation?: Record<string, string>;
}
