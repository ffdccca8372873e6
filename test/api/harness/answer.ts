/** Answers, and a scenario's expectations of them. */
import type { AnswerHeaders } from "../../support/http-client.ts"
import { differences, Matcher, shown } from "./matchers.ts"
import { isFields } from "./scenario.ts"

export interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The body, decoded by its content type; undefined when there was none. */
  readonly body: unknown
  /** The bytes as a text, uncompressed. */
  readonly text: string
}

/** One line per difference. `wanted` is a status code alone, or a mapping of the words in README.md. */
export function judgeAnswer(wanted: unknown, answer: Answer): string[] {
  if (!isFields(wanted)) return differences(wanted, answer.status, "status")
  const { status = 200, headers = {}, body, text, warnings, names } = wanted
  return [
    ...differences(status, answer.status, "status"),
    ...differences(headers, answer.headers, "headers"),
    ...(body === undefined ? [] : differences(body, answer.body, "body", answer.body !== undefined)),
    ...(text === undefined ? [] : differences(text, answer.text, "text")),
    ...(warnings === undefined ? [] : differences(warnings, warningTexts(answer.headers.warning), "warnings")),
    ...(names === undefined ? [] : differences(names, namesOf(answer.body), "names")),
    ...statusFaults(wanted, answer),
  ]
}

/** A failure is a Status with the answer's code; `reason`, `message` and `causes` are looked up in it. */
function statusFaults(wanted: Readonly<Record<string, unknown>>, answer: Answer): string[] {
  const { reason, message, causes } = wanted
  if (reason === undefined && message === undefined && causes === undefined) return []
  const expected = {
    kind: "Status",
    apiVersion: "v1",
    metadata: new Matcher("!any", "", () => undefined),
    status: "Failure",
    code: answer.status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(causes !== undefined && { details: { causes } }),
  }
  return differences(expected, answer.body, "body")
}

/** The texts of `Warning: 299 - "..."` headers. Throws for a header in another form. */
function warningTexts(header: string | string[] | undefined): string[] {
  const lines = header === undefined ? [] : Array.isArray(header) ? header : [header]
  return (
    lines
      .join(", ")
      .match(/299 - "(?:[^"\\]|\\.)*"/g)
      ?.map((line) => unquoted(line.slice("299 - ".length))) ?? []
  )
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, "$1")
}

/** metadata.name of every item of a list, or of every row of a table. */
function namesOf(body: unknown): unknown {
  if (!isFields(body)) return shown(body)
  const items = Array.isArray(body.items) ? body.items : Array.isArray(body.rows) ? body.rows : undefined
  return items?.map((item: unknown) => nameOf(item)) ?? shown(body)
}

function nameOf(item: unknown): unknown {
  if (!isFields(item)) return undefined
  const { metadata, object } = item
  if (isFields(metadata)) return metadata.name
  return nameOf(object)
}
