import type { RequestInfo } from "../http/request/request-info.ts"
import { parseFieldSelector } from "../query/selector.ts"

/**
 * Makes the request that authorizers decide on. A list or watch that selects one object by `metadata.name` is about
 * that object, so that a permission for its name is enough; the reference's rule. Never throws: the verb refuses what
 * cannot be parsed.
 */
export function askedInfo(info: RequestInfo, query: URLSearchParams): RequestInfo {
  if ((info.verb !== "list" && info.verb !== "watch") || info.name !== "") return info
  const text = query.get("fieldSelector")
  const name = text === null ? undefined : selectedName(text)
  return name === undefined || !isPathSegment(name) ? info : { ...info, name }
}

function selectedName(text: string): string | undefined {
  try {
    return parseFieldSelector(text, () => undefined).required("metadata.name")
  } catch {
    return undefined
  }
}

function isPathSegment(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name)
}
