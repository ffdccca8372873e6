/**
 * Large libraries that a start does not need (loading YAML's takes 40 ms). The first call loads one synchronously: code
 * that reads a body or makes a handshake cannot wait for a turn.
 */
import { createRequire } from "node:module"
import type * as Ws from "ws"
import type * as Yaml from "yaml"

const load = createRequire(import.meta.url)

/** The library that parses YAML. */
export const yamlLibrary = lazily<typeof Yaml>("yaml")

/** The library of websockets. */
export const websocketLibrary = lazily<typeof Ws>("ws")

function lazily<Library>(name: string): () => Library {
  let library: Library | undefined
  return () => {
    library ??= load(name) as Library // As the package's own types declare it.
    return library
  }
}
