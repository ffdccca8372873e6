/** The loader's doorway: what the rest of the generator imports. */
export { compareDiagnostics, type Diagnostic, formatDiagnostic } from "./diagnostic.ts"
export { type Loaded, type LoadOptions, load } from "./load.ts"
