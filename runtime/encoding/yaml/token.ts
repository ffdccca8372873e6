/** Tokens: the scanner makes them of the text, the parser reads them. */

export type TokenKind =
  | "streamEnd"
  | "version"
  | "tagDirective"
  | "documentStart"
  | "documentEnd"
  | "blockSequenceStart"
  | "blockMappingStart"
  | "blockEnd"
  | "flowSequenceStart"
  | "flowSequenceEnd"
  | "flowMappingStart"
  | "flowMappingEnd"
  | "blockEntry"
  | "flowEntry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar"

export interface Token {
  readonly kind: TokenKind
  /** The line on which it begins, from 0. */
  readonly line: number
  /** A scalar's text, the name of an anchor or alias, the suffix of a tag, the prefix of a directive, a version. */
  readonly text: string
  /** The handle of a tag or of a directive for tags. */
  readonly handle: string
  /** Whether a scalar has neither quotes nor the mark of a block. */
  readonly plain: boolean
}
