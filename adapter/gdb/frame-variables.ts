/** The variables of a frame that its source has, and which of them have no value yet. */
import type { GdbThread } from './mi/context';
import { stackListVariables, type GdbVariable } from './mi/stack-manipulation';
import { unsetVariables } from './python/unset-variables';

export interface FrameVariable extends GdbVariable {
  /** The line that declares it has not run: what is in its memory is nothing of the program's. */
  isUnset: boolean;
}

/**
 * Arguments and locals, inner blocks first, as stackListVariables, without those that the compiler made. Rejects with
 * GdbError.
 */
export async function frameVariables(
  thread: GdbThread,
  frame: number,
  language: 'c' | 'fortran',
): Promise<FrameVariable[]> {
  const [all, unset] = await Promise.all([
    stackListVariables(thread, frame, language),
    language === 'c' ? unsetVariables(thread, frame) : new Map<string, number>(),
  ]);
  const seen = new Set<string>();
  return all
    .filter(({ name }) => !madeByCompiler[language].test(name))
    .map((variable) => {
      const isInner = !seen.has(variable.name);
      seen.add(variable.name);
      return { ...variable, isUnset: isInner && unset.has(variable.name) };
    });
}

/**
 * Names that no source can have, with a dot, in Fortran `_text`, the length of a CHARACTER; and in C++ what a loop over a
 * range, and a lambda, are made of, by gcc and clang.
 */
const madeByCompiler = {
  fortran: /^_|\./,
  c: /\.|^__(for_)?(range|begin|end)\d*$|^__closure$|^__PRETTY_FUNCTION__$|^__func__$/,
};
