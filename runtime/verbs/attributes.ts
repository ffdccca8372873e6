import type { KindName, OpenAttributes, Operation, RequestOptions } from "../admission/plugin.ts"
import type { ObjectRequest } from "./call.ts"

/** Makes the request attributes for admission, once per write. `kind`: the body's kind, if not the resource's own. */
export function attributesOf(
  { request, handle, parts }: ObjectRequest,
  operation: Operation,
  options: RequestOptions & { readonly dryRun: boolean },
  kind: KindName = handle.kind,
): OpenAttributes {
  const { trace, info, user, headers, expiry, pace, warnings } = request
  return {
    operation,
    user,
    authorizers: parts.authorizers,
    userAgent: headers["user-agent"] ?? "",
    resource: info,
    subresource: info.subresource,
    kind,
    namespace: info.namespace,
    name: info.name,
    pathName: info.name,
    options,
    dryRun: options.dryRun,
    object: undefined,
    oldObject: undefined,
    expiry,
    warn: (text) => warnings.push(text),
    trace,
    pace,
    caller: request,
  }
}
