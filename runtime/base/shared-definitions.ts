/**
 * Definitions that several OpenAPI documents of this package have. The generator writes them once, each on a line, and
 * leaves a mark in the documents; readers of a document put them in.
 */

/** The name of the file beside the documents, without `.json`. */
export const sharedDefinitions = "definitions"

/** The mark in place of a definition. */
export const sharedDefinition = "shared"

const entry = /^ +("[^"]+"):(\{.*\}),?$/
const marked = new RegExp(`^( +)("[^"]+"):"${sharedDefinition}"(,?)$`)

/**
 * Returns the text of a document with its shared definitions. `shared`: the text of the file that has them, read when
 * there is a mark. Called once for each document, on its first use.
 */
export async function withSharedDefinitions(text: string, shared: () => Promise<string>): Promise<string> {
  const lines = text.split("\n")
  if (!lines.some((line) => marked.test(line))) return text
  const definitions = new Map((await shared()).split("\n").map((line) => [entry.exec(line)?.[1], entry.exec(line)?.[2]]))
  return lines
    .map((line) =>
      line.replace(
        marked,
        (_all, indent: string, name: string, comma: string) => `${indent}${name}:${definitions.get(name) ?? "{}"}${comma}`,
      ),
    )
    .join("\n")
}
