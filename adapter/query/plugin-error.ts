/** The file is not a plugin; the message says why. */
export class PluginError extends Error {
  constructor(file: string, why: string) {
    super(`plugin ${file}: ${why}`);
    this.name = 'PluginError';
  }
}
