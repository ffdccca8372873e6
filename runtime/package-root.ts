import { fileURLToPath } from "node:url"

/** The folder of this package: this file lies one level below it, built (`dist/`) and as source (`runtime/`) alike. */
export const packageRoot = fileURLToPath(new URL("..", import.meta.url))
