/** What grammars of headers, parameters and bodies are made of, for tests that put it where nobody expects it. */
export const signs: readonly string[] = [..." \t,\"'/[{()}]09+-.%\\=;:&?!<>*", "%41"]
