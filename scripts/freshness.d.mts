/** Types of `freshness.mjs`, which must run before any package is there. */
export const repository: string
export const stampFile: string
export function requireNode(): void
export function installPackages(): void
export function buildBundle(): Promise<void>
export function hasProgram(name: string): boolean
