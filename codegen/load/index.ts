/** The exports of the loader for the rest of the generator. */
export { isBootstrapFile } from "./bootstrap/index.ts"
export type { KnownNames } from "./checks.ts"
export { compareText, type Diagnostic, formatDiagnostic } from "./diagnostic.ts"
export { dialectSchema } from "./json-schema.ts"
export { type Loaded, type LoadOptions, load } from "./load.ts"
export { lockFile } from "./numbers-lock.ts"
