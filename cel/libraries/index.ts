/** The libraries that the API server adds to the language, and the compatibility version that introduces each. */
import type { Library } from "../declaration.ts"
import { authorizerLibrary } from "./authorizer.ts"
import { cidrLibrary } from "./cidr.ts"
import { ipLibrary } from "./ip.ts"
import { listsLibrary } from "./lists.ts"
import { quantityLibrary } from "./quantity.ts"
import { regexLibrary } from "./regex.ts"
import { setsLibrary } from "./sets.ts"
import { stringsLibrary } from "./strings.ts"
import { urlsLibrary } from "./urls.ts"

export {
  type Authorize,
  type AuthorizerAnswer,
  type AuthorizerQuestion,
  authorizerOf,
  authorizerType,
  type ResourceQuestion,
  requestResourceOf,
  resourceCheckType,
} from "./authorizer.ts"

/** Minor versions of 1, from the first that has the library. */
const introduced: readonly (readonly [minor: number, library: Library])[] = [
  [0, urlsLibrary],
  [0, regexLibrary],
  [0, listsLibrary],
  [27, authorizerLibrary],
  [28, quantityLibrary],
  [29, stringsLibrary],
  [29, setsLibrary],
  [30, ipLibrary],
  [30, cidrLibrary],
]

/** The release that these libraries match. */
export const latestMinor = 30
/**
 * New expressions may use only the libraries of the release before, so that a server can be rolled back to it.
 * Expressions that are stored already may use all of them.
 */
export const newExpressionsMinor = latestMinor - 1

/** The libraries of a compatibility version, 1.29 or later. */
export function librariesOf(minor: number): readonly Library[] {
  return introduced.filter(([since]) => since <= minor).map(([, library]) => library)
}
