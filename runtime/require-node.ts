/**
 * Imported first by the library. Throws on a Node that is too old, in place of the fault of whichever newer feature it
 * would meet first. This works while no module names an export that older versions of Node lack: those are found
 * missing before any module runs.
 */
import { nodeFault } from "./base/node-version.ts"

const fault = nodeFault(process.versions.node)
if (fault !== undefined) throw new Error(fault)
