/** The URLs library. */
import type { FunctionDeclaration, Library } from "../declaration.ts"
import { boolType, type CelType, listType, mapType, objectType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import { listOf } from "../values/list.ts"
import { mapOf } from "../values/map.ts"
import { type ErrorValue, OpaqueValue, type Result, type Value } from "../values/value.ts"
import { costOf } from "./costs.ts"
import { textOf } from "./narrow.ts"
import { escapedPath, hostName, isUrl, parseUrl, partText, queryOf, UrlFault, type UrlParts, urlText } from "./url.ts"

export const urlType: CelType = objectType("kubernetes.URL", new Map())

/** A URL within an expression. */
class UrlValue extends OpaqueValue {
  readonly type = urlType

  constructor(readonly url: UrlParts) {
    super()
  }

  equals(other: Value): boolean | ErrorValue {
    return other instanceof UrlValue ? this.print() === other.print() : noSuchOverload()
  }

  override print(): string {
    return urlText(this.url)
  }
}

function read(text: string): Result {
  try {
    return new UrlValue(parseUrl(text))
  } catch (fault) {
    if (fault instanceof UrlFault) {
      return errorOf(`URL parse error during conversion from string: ${fault.message}`)
    }
    throw fault
  }
}

function urlOf(value: Value | undefined): UrlParts {
  if (!(value instanceof UrlValue)) throw new TypeError("not a URL")
  return value.url
}

/** `url.name()`, a string. */
function reading(name: string, id: string, part: (url: UrlParts) => string): FunctionDeclaration {
  return {
    name,
    overloads: [{ id, member: true, args: [urlType], result: stringType, impl: (url) => partText(part(urlOf(url))) }],
  }
}

function query(url: UrlParts): Value {
  return mapOf([...queryOf(url)].map(([name, values]) => [name, listOf(values)]))
}

export const urlsLibrary: Library = {
  name: "k8s.urls",
  functions: [
    {
      name: "url",
      ...costOf("url"),
      overloads: [{ id: "string_to_url", args: [stringType], result: urlType, impl: (text) => read(textOf(text)) }],
    },
    {
      name: "isURL",
      overloads: [{ id: "is_url_string", args: [stringType], result: boolType, impl: (text) => isUrl(textOf(text)) }],
    },
    reading("getScheme", "url_get_scheme", (url) => url.scheme),
    reading("getHost", "url_get_host", (url) => url.host),
    reading("getHostname", "url_get_hostname", (url) => hostName(url).name),
    reading("getPort", "url_get_port", (url) => hostName(url).port),
    reading("getEscapedPath", "url_get_escaped_path", escapedPath),
    {
      name: "getQuery",
      overloads: [
        {
          id: "url_get_query",
          member: true,
          args: [urlType],
          result: mapType(stringType, listType(stringType)),
          impl: (url) => query(urlOf(url)),
        },
      ],
    },
  ],
}
