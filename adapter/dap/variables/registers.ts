/** The registers of a frame: the general ones at once, the many others when somebody opens them. */
import { isGeneralRegister } from '../../../plugin-api/processor/known/general-registers';
import { dataListRegisterNames, dataListRegisterValues } from '../../gdb/mi/data-manipulation';
import type { Gdb } from '../../gdb/gdb';
import type { FrameRef } from '../references/stack-frames';
import type { Children, ShownVariable } from '../../query/shown/shown-variable';

export class Registers {
  private readonly names = new Map<Gdb, Promise<readonly string[]>>();

  children(ref: FrameRef): Children {
    return {
      list: async () => [
        ...(await this.list(ref, isGeneralRegister, 'x')),
        {
          name: 'others',
          value: 'floating point, vectors, …',
          children: { list: ({ hex }) => this.list(ref, (name) => !isGeneralRegister(name), hex === true ? 'x' : 'N') },
        },
      ],
    };
  }

  private async list(
    { thread, frame }: FrameRef,
    accept: (name: string) => boolean,
    format: 'x' | 'N',
  ): Promise<ShownVariable[]> {
    const names = await this.namesOf(thread.gdb, thread.gdbThread);
    const numbers = names.flatMap((name, number) => (name !== '' && accept(name) ? [number] : []));
    const values = await dataListRegisterValues(thread, frame.level, format, numbers);
    return [...values].map(([number, value]) => ({
      name: names[number]!,
      value,
      evaluateName: `$${names[number]!}`,
    }));
  }

  private namesOf(gdb: Gdb, gdbThread: number): Promise<readonly string[]> {
    let names = this.names.get(gdb);
    if (names === undefined) {
      names = dataListRegisterNames({ gdb, gdbThread });
      this.names.set(gdb, names);
    }
    return names;
  }
}
