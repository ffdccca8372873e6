import { Pace } from "../../runtime/base/pace.ts"
import type { OpenAttributes, Operation } from "../../runtime/admission/plugin.ts"
import { serverAttributes, serverUser } from "../../runtime/admission/server-identity.ts"
import type { KindHandle } from "../../runtime/registry/registry.ts"

export interface TestWrite {
  /** Default "". */
  readonly namespace?: string
  /** Default "": creations take the object's. */
  readonly name?: string
  readonly subresource?: string
  readonly dryRun?: boolean
  /** `fieldManager` of the request; default none. */
  readonly manager?: string
  /** Size of the body; default small. */
  readonly bytes?: number
}

/** A request as the registry gets it, of a user who may do everything. For tests and measurements without HTTP. */
export function writeAttributes(operation: Operation, { kind }: KindHandle, write: TestWrite = {}): OpenAttributes {
  const { namespace = "", name = "", manager, bytes, ...rest } = write
  return {
    ...serverAttributes(serverUser, operation, { kind, namespace, name, ...rest }),
    options: manager === undefined ? {} : { fieldManager: manager },
    pace: new Pace(bytes),
  }
}
