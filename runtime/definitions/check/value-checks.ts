import type { ValueChecks } from "./defaults.ts"

export const valueChecks: ValueChecks = { prune: () => {}, metadata: () => {}, value: () => {}, rules: () => {} }
