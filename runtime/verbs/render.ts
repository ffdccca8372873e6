import type { Call, Wanted } from "./call.ts"
import { jsonOf, type Version } from "./represent.ts"
export function renderObject(call: Call, _wanted: Wanted, version: Version): Buffer {
  return jsonOf(call.handle, version)
}
