/** Open MPI's own internal headers, as far as libopenmpi-dev installs them: debug information from the sources themselves. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const headers = [
  ...['ompi/communicator/communicator.h', 'ompi/group/group.h', 'ompi/errhandler/errhandler.h'],
  ...['ompi/datatype/ompi_datatype.h', 'ompi/datatype/ompi_datatype_internal.h', 'ompi/op/op.h', 'ompi/info/info.h'],
  ...['ompi/request/request.h', 'ompi/message/message.h', 'ompi/file/file.h', 'ompi/win/win.h'],
  ...['ompi/mca/topo/topo.h', 'ompi/mca/pml/base/pml_base_request.h', 'ompi/mca/pml/base/pml_base_sendreq.h'],
  ...['ompi/mca/pml/base/pml_base_recvreq.h', 'ompi/mca/common/ompio/common_ompio.h'],
  ...['ompi/mca/common/ompio/common_ompio_request.h', 'opal/class/opal_hash_table.h', 'opal/class/opal_free_list.h'],
];

/** Headers that the installed ones include and the package lacks, with what of them is needed. */
const missing: Record<string, string> = {
  'ompi/mpi/fortran/base/fint_2_int.h': '',
  'ompi/peruse/peruse.h': `#include <mpi.h>
typedef int peruse_event_h;
typedef int ompi_peruse_callback_f(peruse_event_h, MPI_Aint, void *, void *);`,
};

/** C source that includes them. */
export const includeHeaders = `#include "ompi_config.h"\n${headers.map((header) => `#include "${header}"`).join('\n')}\n`;

/**
 * The compiler's options for that source; headers that are missing are written into `folder`. Throws where Open MPI's
 * are not installed.
 */
export function headerOptions(folder: string): string[] {
  const include = execFileSync('mpicc.openmpi', ['--showme:incdirs'], { encoding: 'utf8' }).trim().split(/\s+/);
  const internal = include.map((path) => join(path, 'openmpi')).find((path) => existsSync(join(path, headers[0]!)));
  if (internal === undefined)
    throw new Error(`no internal headers below ${include.join(' ')}: install Debian's libopenmpi-dev`);
  for (const [name, text] of Object.entries(missing)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return ['-w', ...[folder, ...include, internal, dirname(internal)].flatMap((path) => ['-I', path])];
}
