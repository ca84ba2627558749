/** The variables of Fortran modules, as far as the program has debug information of them. */
import { counted } from '../../../plugin-api/counted';
import { GdbError } from '../../gdb/mi/mi-connection';
import { symbolInfoModuleVariables } from '../../gdb/mi/symbol-query';
import type { FrameRef } from '../references/stack-frames';
import type { GdbValues } from '../../query/shown/gdb-values';
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import type { Children, Page, ShownVariable } from '../../query/shown/shown-variable';

export class ModuleVariables {
  constructor(private readonly values: GdbValues) {}

  /** A line for each module, its variables below. */
  children(ref: FrameRef): Children {
    return {
      list: async () => {
        const byModule = new Map<string, string[]>();
        for (const { module, name } of await symbolInfoModuleVariables(ref.thread)) {
          const plain = name.replace(/^.*::/, '');
          // The compiler's own: tables of types, and initial values of them.
          if (plain.startsWith('__')) continue;
          byModule.set(module, [...(byModule.get(module) ?? []), plain]);
        }
        return [...byModule].map(([module, names]) => ({
          name: module,
          value: counted(names.length, 'variable'),
          children: { list: (page: Page) => this.list(ref, module, names, page) },
        }));
      },
    };
  }

  private list(ref: FrameRef, module: string, names: readonly string[], { hex }: Page): Promise<ShownVariable[]> {
    const thread = hex === true ? inHexadecimal(ref.thread) : ref.thread;
    const evalFrame = this.values.evaluationFrame(thread, ref.frame);
    return Promise.all(
      names.map(async (name): Promise<ShownVariable> => {
        const expression = `${module}::${name}`;
        try {
          return await this.values.evaluate(evalFrame, expression, name, expression);
        } catch (error) {
          if (!(error instanceof GdbError)) throw error;
          return { name, value: `<${error.message}>` };
        }
      }),
    );
  }
}
