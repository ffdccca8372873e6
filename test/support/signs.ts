/** Punctuation from the grammars of headers, parameters and bodies, for tests that insert it in unexpected places. */
export const signs: readonly string[] = [..." \t,\"'/[{()}]09+-.%\\=;:&?!<>*", "%41"]
