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

/** What an operand may begin with. */
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
/** What a primary may begin with: no `!`, and `-` before a number alone. */
export const primaryStarts: Kinds = new Set([...operandStarts].filter((kind) => kind !== "'!'"))
/** What may follow an operand wherever it is. */
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

/** What an element of a list, an entry of a map or an index may begin with. */
export const elementStarts: Kinds = new Set<TokenKind>([...operandStarts, "'?'"])
/** What a field of a message may begin with. */
export const fieldStarts: Kinds = new Set<TokenKind>(["IDENTIFIER", "'?'"])
