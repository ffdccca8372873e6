/** The thread that reads long YAML: text in, JSON text out. Counterpart of `yaml-thread.ts`. */
import { parentPort } from "node:worker_threads"
import { ApiError } from "../base/errors.ts"
import { stringify } from "../encoding/json/text.ts"
import { parseYaml, yamlText } from "./yaml.ts"
import type { YamlReply } from "./yaml-thread.ts"

parentPort?.on("message", (body: Uint8Array) => parentPort?.postMessage(reply(body)))

function reply(body: Uint8Array): YamlReply {
  try {
    const { value, duplicates } = parseYaml(yamlText(body))
    return { json: stringify(value), duplicates }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message }
    return { code: 400, message: `yaml: ${error instanceof Error ? error.message : String(error)}` }
  }
}
