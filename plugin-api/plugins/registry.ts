/** The plugins that a session knows: the shipped ones and those the user named. A process never names one. */
import type { ProcessImage } from '../image';
import type { KnownMpis } from '../mpi/known-mpis';
import { LibraryCode } from '../mpi/library-code';
import type { MpiConstant, MpiPlugin, MpiProcess } from '../mpi/plugin';
import { mpich } from './mpich/index';
import { openmpi } from './openmpi/index';
import { knownMpis } from './shipped';

export class PluginRegistry {
  /** How all of them are recognised. */
  readonly known: KnownMpis;
  private readonly plugins: readonly MpiPlugin[];

  /** `thirdParty` plugins are asked first, so that a site's own plugin can take over a shipped one's library. */
  constructor(
    thirdParty: readonly MpiPlugin[] = [],
    /** What lies between programs and MPI. */
    readonly libraryCode = new LibraryCode(),
  ) {
    this.known = knownMpis(thirdParty);
    this.plugins = [...thirdParty, openmpi, mpich];
  }

  /** Constants before the library is loaded; empty for a plugin that knows none, or that is not there. */
  constants(plugin: string): ReadonlyMap<string, MpiConstant> {
    return this.plugins.find(({ name }) => name === plugin)?.constants ?? new Map();
  }

  /**
   * The MPI that this process uses at this stop; undefined when none is visible. Where several libraries are mapped
   * (a Python with two of them), the one that has been initialised wins, else the first.
   */
  async open(image: ProcessImage): Promise<MpiProcess | undefined> {
    const found: MpiProcess[] = [];
    for (const plugin of this.plugins) {
      const process = await plugin.open(image);
      if (process !== undefined) found.push(process);
    }
    return found.find((p) => p.implementation.state === 'initialized') ?? found[0];
  }
}
