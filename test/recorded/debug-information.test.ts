/** A rank of an Open MPI that was configured with --enable-debug: no shipped table fits it, its debug information does. */
import assert from 'node:assert/strict';
import { listRecordings, readRecordedJob, recordedImage } from '../support/recorded-job';
import { TypedImage } from '../support/typed-image';
import { PluginRegistry } from '../../plugin-api/plugins/registry';

describe('the recording of a debug build of Open MPI', () => {
  const name = listRecordings().find((each) => each.endsWith('-debug.json.br'));
  const images = () => {
    assert.ok(name, 'none is there: docs/adding-a-version.md says how to make one');
    return readRecordedJob(name).ranks.map(({ recording }) => recordedImage(recording));
  };

  it('is decoded by the debug information of its library', async () => {
    for (const image of images()) {
      const asked = await new PluginRegistry().open(image);
      assert.match(asked?.implementation.layout ?? '', /^DWARF of libmpi\.so[.\d]*: \d+ of \d+ class sizes and \d+ of/);
    }
  });

  it('is not decoded by the table of its version', async () => {
    for (const image of images()) {
      const asked = await new PluginRegistry().open(new TypedImage(image, {}));
      assert.match(asked?.implementation.layout ?? '', /^table openmpi 4\.1\.4: rejected: size of \w+ is \d+ instead/);
      const handles = await asked!.handles('comm');
      assert.ok(!handles.ok && handles.code === 'MPIDBG_ERR_NOT_SUPPORTED');
    }
  });
});
