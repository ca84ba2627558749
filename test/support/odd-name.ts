/** A name with a character of each sort that is obeyed, turns text around, or is not seen. */
export const oddName = 'a\u202eb\u2066c\u200bd\ufeffe\u001b[2Jf\ng\u0085h\u2028i\u{e0041}j\ufe0f';

/** As people see it, in quotes. */
export const oddNameVisible = 'a\\u202eb\\u2066c\\u200bd\\ufeffe\\u001b[2Jf\\ng\\u0085h\\u2028i\\u{e0041}j\\ufe0f';

/** What may be in nothing that people read. */
export const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0041}\ufe0f]/u;
