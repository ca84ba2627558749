/** An image with the debug information of a library told by a layout table, as `mpidbg layout` makes it: without gdb. */
import type { ProcessImage } from '../../plugin-api/image';
import { ForwardedImage } from '../../adapter/images/forwarded-image';
import type { LayoutTable, TypeLayout } from '../../plugin-api/layout';

export class TypedImage extends ForwardedImage {
  constructor(
    image: ProcessImage,
    private readonly types: LayoutTable,
  ) {
    super(image);
  }

  override async findType(name: string): Promise<TypeLayout | undefined> {
    return this.types[name];
  }
}
