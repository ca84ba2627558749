/** Plugins of third parties: files that the user names, never the program being debugged. */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import * as pluginApi from '../../plugin-api/index';
import { LibraryCode } from '../../plugin-api/mpi/library-code';
import type { MpiPlugin } from '../../plugin-api/mpi/plugin';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { PluginError } from './plugin-error';

/** What a plugin's file exports (CommonJS): `exports.createPlugin = (api) => plugin`. */
interface PluginFile {
  createPlugin?: (api: typeof pluginApi) => MpiPlugin;
}

/** The shipped plugins and those of these files. `libraryCode`: the user's globs, see LibraryCode. Throws PluginError. */
export function loadPlugins(files: readonly string[], libraryCode: readonly string[] = []): PluginRegistry {
  return new PluginRegistry(files.map(loadPlugin), new LibraryCode(libraryCode));
}

function loadPlugin(file: string): MpiPlugin {
  const path = resolve(file);
  const plugin = create(file, path);
  if (typeof plugin?.name !== 'string' || typeof plugin.open !== 'function')
    throw new PluginError(file, 'createPlugin returns no plugin (it needs a name and open)');
  return plugin;
}

function create(file: string, path: string): MpiPlugin | undefined {
  let exported: PluginFile;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new PluginError(file, 'it is not a regular file');
  try {
    exported = createRequire(path)(path) as PluginFile;
  } catch (error) {
    throw new PluginError(file, error instanceof Error ? error.message.split('\n')[0]! : String(error));
  }
  if (typeof exported.createPlugin !== 'function') throw new PluginError(file, 'it exports no function createPlugin');
  return exported.createPlugin(pluginApi);
}
