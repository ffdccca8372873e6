import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of this package. This file is one level below it, both built (`dist/`) and as source (`runtime/`). */
export const packageRoot = fileURLToPath(new URL("..", import.meta.url))

/** The version in package.json. */
export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"))
  return version
}
