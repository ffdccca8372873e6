/** Kinds of tokens, in the order in which messages list expected ones. */
export const tokenKinds = [
  "<EOF>",
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "OPERATOR",
] as const

export type TokenKind = (typeof tokenKinds)[number]

export interface Token {
  /** `OPERATOR`: one that a library declares. */
  readonly kind: TokenKind
  /** As written; `<EOF>` at the end. */
  readonly text: string
  /** In UTF-16 units. */
  readonly start: number
}

/** `{'(', IDENTIFIER}`, or one kind alone without braces. */
export function formatKinds(kinds: ReadonlySet<TokenKind>): string {
  const listed = tokenKinds.filter((kind) => kinds.has(kind))
  return listed.length === 1 ? (listed[0] ?? "") : `{${listed.join(", ")}}`
}
