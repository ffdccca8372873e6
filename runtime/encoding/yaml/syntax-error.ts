/** A text that is no YAML. The message is one of the reader that the reference uses. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError"

  constructor(
    message: string,
    /** The line of the fault, from 1. */
    readonly line: number,
  ) {
    super(message)
  }
}
