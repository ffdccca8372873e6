import { fileURLToPath } from "node:url"

/** The folder of this package. This file is one level below it, both built (`dist/`) and as source (`runtime/`). */
export const packageRoot = fileURLToPath(new URL("..", import.meta.url))
