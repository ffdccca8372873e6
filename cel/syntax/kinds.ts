import type { TokenKind } from "./token.ts"
import type { Kinds } from "./token-stream.ts"

/** Words that cannot be names of variables and functions, though they can be names of fields. */
export const reserved: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "null",
  "return",
  "true",
  "var",
  "void",
  "while",
])

/** Tokens that may begin an operand. */
export const operandStarts: Kinds = new Set<TokenKind>([
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
])
/** Tokens that may begin a primary: no `!`, and `-` only before a number. */
export const primaryStarts: Kinds = new Set([...operandStarts].filter((kind) => kind !== "'!'"))
/** Tokens that may follow any operand. */
export const operators: readonly TokenKind[] = [
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
  "'.'",
  "'-'",
  "'?'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
]

/** Tokens that may begin an element of a list, an entry of a map or an index. */
export const elementStarts: Kinds = new Set<TokenKind>([...operandStarts, "'?'"])
/** Tokens that may begin a field of a message. */
export const fieldStarts: Kinds = new Set<TokenKind>(["IDENTIFIER", "'?'"])
