/** Compares the namespaces of body and path. */
import { badRequest } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { cut } from "../base/quote.ts"

/**
 * Sets the namespace of `object` to the path's. Removes it from cluster-scoped objects (`ofPath` is ""), as the
 * reference does, since charts set one there. Throws 400 if object and path name different ones. Create, update, patch
 * and sub-resources call it before any rule of the kind.
 */
export function matchNamespace({ metadata }: ApiObject, ofPath: string): void {
  if (metadata === undefined) return
  const { namespace = "" } = metadata
  if (ofPath === "") {
    if (metadata.namespace !== undefined) delete metadata.namespace
  } else if (namespace === "") metadata.namespace = ofPath
  else if (namespace !== ofPath) throw badRequest(`${otherNamespaceText}: ${shown(namespace)} in the body, ${shown(ofPath)} in the path`)
}

const otherNamespaceText = "the namespace of the provided object does not match the namespace sent on the request"

function shown(namespace: string): string {
  return JSON.stringify(cut(namespace))
}
