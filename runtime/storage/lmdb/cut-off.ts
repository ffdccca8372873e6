/**
 * Finds a store whose file was cut off. LMDB maps the file into memory, and reading beyond its end ends the process
 * with SIGBUS.
 */
import { spawnSync } from "node:child_process"
import { closeSync, constants, copyFileSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { programText } from "../../base/program-text.ts"
import { StoreError } from "../store.ts"

const require = createRequire(import.meta.url)

/** The layout of LMDB's two meta pages, which begin the file. */
const meta = { bytes: 160, magic: 0x18, pageBytes: 0x30, lastPage: 0x90, transaction: 0x98 }
const magicNumber = 0xbeefc0de

/**
 * Called before a store is opened for writing. Throws StoreError "unavailable" when the file is shorter than its newest
 * meta page says and using it crashes a process. LMDB may leave pages that nothing refers to unwritten at the end, so a
 * short file alone proves nothing: a child process writes to a copy and reads all of it.
 */
export function refuseCutOff(dir: string, file: string): void {
  const path = join(dir, file)
  const sizes = sizesOf(path)
  if (sizes === undefined || sizes.found >= sizes.needed || isUsable(path)) return
  throw new StoreError(
    "unavailable",
    `${path} is cut off: it has ${sizes.found} bytes, and its content needs ${sizes.needed}; ` +
      `restore a backup into a new data folder: ${programText("restore", "FILE --data-dir DIR")}`,
  )
}

function isUsable(path: string): boolean {
  const copy = mkdtempSync(join(dirname(path), ".cut-off-"))
  try {
    copyFileSync(path, join(copy, basename(path)), constants.COPYFILE_FICLONE)
    const lmdb = pathToFileURL(require.resolve("lmdb")).href
    return spawnSync(process.execPath, ["--input-type=module", "--eval", useEverything, lmdb, copy], { stdio: "ignore" }).status === 0
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Runs in the child process; its exit code or signal is the answer. */
const useEverything = `
const [lmdb, path] = process.argv.slice(-2)
const { open } = (await import(lmdb)).default
const root = open({ path, noSubdir: false, encoding: "binary", keyEncoding: "binary", pageSize: 8192, cache: false })
for (const name of ["meta", "log", "index", "expiry"]) {
  const table = root.openDB(name, { encoding: "binary", keyEncoding: "binary", cache: false })
  for (const { value } of table.getRange()) Buffer.from(value)
  table.putSync(Buffer.from("cut-off"), Buffer.alloc(1))
}
await root.close()
`

/** Undefined for a file that is empty or no store of this format: opening it says more. */
function sizesOf(path: string): { readonly found: number; readonly needed: number } | undefined {
  let file: number
  try {
    file = openSync(path, "r")
  } catch {
    return undefined
  }
  try {
    const found = fstatSync(file).size
    // LMDB creates a store in an empty file.
    if (found > 0 && found < meta.bytes) return { found, needed: meta.bytes }
    const first = pageAt(file, 0)
    const pageBytes = first?.readUInt32LE(meta.pageBytes) ?? 0
    if (first === undefined || pageBytes === 0) return undefined
    const second = pageAt(file, pageBytes)
    const newest = second !== undefined && transactionOf(second) > transactionOf(first) ? second : first
    return { found, needed: Number((newest.readBigUInt64LE(meta.lastPage) + 1n) * BigInt(pageBytes)) }
  } finally {
    closeSync(file)
  }
}

/** The meta page at this offset; undefined when there is none. */
function pageAt(file: number, offset: number): Buffer | undefined {
  const page = Buffer.alloc(meta.bytes)
  const read = readSync(file, page, 0, meta.bytes, offset)
  return read === meta.bytes && page.readUInt32LE(meta.magic) === magicNumber ? page : undefined
}

function transactionOf(page: Buffer): bigint {
  return page.readBigUInt64LE(meta.transaction)
}
