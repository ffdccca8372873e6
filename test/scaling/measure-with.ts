/** Runs a measurement in its own process, with counters in the product's code. */
import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { buildCounting } from "./counting-build.ts"
import type { Measured } from "./measure.ts"

const folder = dirname(fileURLToPath(import.meta.url))

/** `entry`: a file beside this one, which writes one line of JSON for each thing that it measures. */
export async function measureWith(entry: string): Promise<Measured[]> {
  const { file, remove } = await buildCounting(join(folder, entry), join(folder, "../.."))
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file], { maxBuffer: 64 * 1024 * 1024 })
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Measured) // Written by the entry.
  } finally {
    await remove()
  }
}
