/**
 * Paths into objects that definitions contain: of selectable fields, and the `fieldPath` of rules. A path is a sequence
 * of `.name` and `['name']`; every step must be a property of the schema or a key of a map.
 */
export interface FoundField<Schema> {
  /** The path in failures: `.a.b` is `a.b`, a key of a map is `a[key]`. */
  readonly path: string
  /** The first step. */
  readonly root: string
  /** Undefined below a map with values of any type. */
  readonly schema: Schema | undefined
}

/**
 * One step from a schema; undefined when it has no such field. `property`: whether the step is a property, not a key of
 * a map.
 */
export type StepInto<Schema> = (
  schema: Schema,
  name: string,
) => { readonly property: boolean; readonly schema: Schema | undefined } | undefined

/**
 * Follows `jsonPath` from a schema. Returns the field found, or the fault of the path. `brackets`: allow `['name']`.
 */
export function findField<Schema>(
  jsonPath: string,
  schema: Schema,
  brackets: boolean,
  stepInto: StepInto<Schema>,
): FoundField<Schema> | { fault: string } {
  const found = follow(jsonPath, schema, brackets, stepInto)
  return typeof found === "string" ? { fault: found } : found
}

const noField = "does not refer to a valid field"
const ended = "unexpected end of JSON path"

function follow<Schema>(jsonPath: string, from: Schema, brackets: boolean, stepInto: StepInto<Schema>): FoundField<Schema> | string {
  const tokens = tokensOf(jsonPath)
  let schema: Schema | undefined = from
  let path = ""
  let root = ""
  for (let at = 0; at < tokens.length; at++) {
    const bracket = tokens[at] === "["
    if (bracket && !brackets) return "array notation is not allowed"
    if (!bracket && tokens[at] !== ".") return `expected [ or . but got: ${tokens[at]}`
    const token = tokens[++at]
    if (token === undefined) return ended
    const name = bracket ? bracketName(token) : { name: token }
    if (typeof name === "string") return name
    const step: ReturnType<StepInto<Schema>> = schema && stepInto(schema, name.name)
    if (step === undefined) return noField
    path += path === "" && step.property ? name.name : step.property ? `.${name.name}` : `[${name.name}]`
    if (root === "") root = path
    schema = step.schema
    if (!bracket) continue
    const close = tokens[++at]
    if (close === undefined) return ended
    if (close !== "]") return `expected ] but got ${close}`
  }
  return { path, root, schema }
}

/** `.`, `[`, `]`, texts between them, and texts in single quotes, in which these three have no meaning. */
function tokensOf(jsonPath: string): string[] {
  const tokens: string[] = []
  for (let at = 0; at < jsonPath.length; ) {
    const first = jsonPath.charAt(at)
    const end = first === "'" ? quoteEnd(jsonPath, at) : isDelimiter(first) ? at + 1 : textEnd(jsonPath, at)
    tokens.push(jsonPath.slice(at, end))
    at = end
  }
  return tokens
}

function quoteEnd(jsonPath: string, start: number): number {
  for (let at = start + 1; at < jsonPath.length; at++) {
    if (jsonPath[at] === "'" && jsonPath[at - 1] !== "\\") return at + 1
  }
  return jsonPath.length
}

function textEnd(jsonPath: string, start: number): number {
  let at = start
  while (at < jsonPath.length && !isDelimiter(jsonPath.charAt(at))) at++
  return at
}

function isDelimiter(character: string): boolean {
  return character === "." || character === "[" || character === "]"
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
}

function bracketName(token: string): { name: string } | string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return `expected single quoted string but got ${token}`
  let fault: string | undefined
  const name = token.slice(1, -1).replace(/\\[^\n]/g, (escape) => {
    const character = escapes[escape.charAt(1)]
    if (character === undefined) fault ??= `invalid string literal: invalid escape char ${escape}`
    return character ?? ""
  })
  return fault ?? { name }
}
