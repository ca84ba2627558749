/** Libraries that MPI implementations are built on or bundle, and that may have threads of their own. */
import type { Software } from './facts';

export const librariesBelow: readonly Software[] = [
  { title: 'UCX', libraries: /\/libuc[ptsm]\b|\/ucx\/\w+/ },
  { title: 'PMIx', libraries: /\/libpmi\w*\.so|\/(mca_(pmix|psec|ptl)|pmix_mca)_\w+\.so/ },
  {
    title: 'the network',
    libraries: /\/lib(fabric|psm\d?|psm_infinipath|efa|ibverbs|mlx\d|rdmacm|sharp_\w+|hcoll|ofi\w*)\b/,
  },
  { title: 'libevent', libraries: /\/libevent[\w-]*[.-]/ },
  { title: 'hwloc', libraries: /\/libhwloc\b/ },
  // mpidbg's own collector, whose thread samples values.
  { title: 'mpidbg', libraries: /\/mpidbg-collector\.so/ },
];
