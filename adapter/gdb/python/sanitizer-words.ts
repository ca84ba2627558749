/** What a sanitizer of the compiler (-fsanitize=…) says of an error, from what it prints; for the scripts that run in gdb. */

const fatal = [
  ...['add_overflow', 'sub_overflow', 'mul_overflow', 'negate_overflow', 'divrem_overflow', 'pointer_overflow'],
  ...['shift_out_of_bounds', 'out_of_bounds', 'type_mismatch_v1', 'load_invalid_value', 'float_cast_overflow'],
  ...['vla_bound_not_positive', 'nonnull_arg', 'nonnull_return_v1', 'nullability_arg', 'nullability_return_v1'],
  ...['alignment_assumption', 'invalid_builtin', 'implicit_conversion', 'dynamic_type_cache_miss'],
  ...['function_type_mismatch_v1', 'cfi_bad_icall', 'cfi_check_fail', 'invalid_objc_cast'],
].map((name) => `${name}_abort`);

/** The functions that UBSan ends the process in, once it has printed an error. Each runtime has the first. */
export const undefinedBehaviour: readonly string[] = [...fatal, 'builtin_unreachable', 'missing_return'].map(
  (name) => `__ubsan_handle_${name}`,
);

/** Defines _MpidbgSanitizerWords. Each text is heard as it is printed, from all threads: a sanitizer has a lock for that. */
export const sanitizerWordsScript = `
import re
class _MpidbgSanitizerWords:
    def __init__(self):
        self.words = ''
        # It reports a signal, for which the process has stopped before.
        self.is_signal = False
    # Whether the process ends now if it is in a function that ends it for undefined behaviour, or in any case.
    def hear(self, text, is_undefined):
        text = re.sub(r'\\x1b\\[[0-9;]*m', '', text)
        undefined = re.search(r'runtime error: (.*)', text)
        error = re.search(r'(\\w+Sanitizer: .*?)( at pc | \\(pc |$)', text, re.M)
        access = re.match(r'((?:READ|WRITE) of size \\d+)', text)
        if 'SUMMARY: ' in text:
            return False
        if undefined:
            self.words = 'UndefinedBehaviorSanitizer: ' + undefined[1]
        elif error:
            self.words, self.is_signal = error[1], error[2] == ' (pc '
        elif access and self.words and ' of size ' not in self.words:
            self.words += ': ' + access[1]
        ends = bool(undefined) and is_undefined or text.rstrip().endswith('==ABORTING')
        return ends and self.words != '' and not self.is_signal
`;
