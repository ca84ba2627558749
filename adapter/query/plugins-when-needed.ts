/**
 * The MPIs for those who stand before a launcher: they start as fast as it, and need the decoders and their layout tables
 * only when there is something to look at.
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

/** What loadPlugins answers. Rejects with PluginError. */
export async function pluginsWhenNeeded(
  files: readonly string[],
  libraryCode: readonly string[],
): Promise<PluginRegistry> {
  const { loadPlugins } = await import('./load-plugin.js');
  return loadPlugins(files, libraryCode);
}

/** How the shipped MPIs and those of these files are recognised. Rejects with PluginError. */
export async function knownMpisOf(files: readonly string[]): Promise<KnownMpis> {
  return files.length === 0 ? shippedMpis : (await pluginsWhenNeeded(files, [])).known;
}
