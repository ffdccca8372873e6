/**
 * Selects the test files that share a process, one after the other: loading the kinds and the runtime takes two seconds
 * of processor time, and a process of its own for each file would load them again. A file shares one unless it starts a
 * server or changes state of the process, by itself or with a module of `test/`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, posix, relative } from "node:path"
import { fileURLToPath } from "node:url"

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Signs that a test needs its own process: environment, signals, globals, clock, heap, ports, and other processes. */
const ofProcess: readonly RegExp[] = [
  /\bvi\.(mock|doMock|hoisted|resetModules|useFakeTimers|setSystemTime|spyOn|stub\w+)\b/,
  /\bprocess\.(env|on|once|off|emit|kill|exit|exitCode|chdir|argv|umask)\b/,
  /\bglobalThis\b|\bsetFlagsFromString\b|\bconfigureGlobal\b/,
  /\bperformance\.now\b|\bcpuUsage\b|\bmemoryUsage\b|\bWeakRef\b/,
  /"node:(child_process|cluster|http|http2|https|inspector|net|tls|v8|vm|worker_threads)"/,
  /\bstartServer\b|\bcreateServer\b/,
]

/** Slow tests and tests that measure run alone, whatever they use. */
const aloneFolders = /^(bench\/|examples\/|test\/(clients|crash|docs|fuzz|golden|hammer|packed|scaling|sim|stop|tidy)[/.])/

/** Imports of files, except type-only ones. */
const imports = /(?:^(?:import|export) (?!type )[^"';]*?from |^import |\bimport\()"(\.[^"]+\.ts)"/gm

interface Module {
  readonly imports: readonly string[]
  readonly ofProcess: boolean
}

/** Checks that the file exists, since a text of a test may look like an import. */
const isFile = (path: string): boolean => existsSync(posix.join(repository, path))

const modules = new Map<string, Module>()

function moduleOf(path: string): Module {
  const known = modules.get(path)
  if (known !== undefined) return known
  const text = readFileSync(posix.join(repository, path), "utf8")
  const found: Module = {
    imports: [...text.matchAll(imports)].map(([, target = ""]) => posix.join(posix.dirname(path), target)).filter(isFile),
    // Of the runtime, only the server: its other parts do not change a process, or their tests show that they do.
    ofProcess: path === "runtime/server.ts" || (/^test\/|\.test\.ts$/.test(path) && ofProcess.some((pattern) => pattern.test(text))),
  }
  modules.set(path, found)
  return found
}

/** Whether the file may run in a process that has run others; a path relative to the repository. */
export function sharesProcess(path: string): boolean {
  if (aloneFolders.test(path)) return false
  const seen = new Set([path])
  for (const one of seen) {
    const { imports, ofProcess } = moduleOf(one)
    if (ofProcess) return false
    // Generated modules import nothing that changes a process.
    for (const target of imports) if (!target.startsWith("generated/")) seen.add(target)
  }
  return true
}

/** All test files below the folders that share a process. */
export function sharedFiles(folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => readdirSync(posix.join(repository, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(repository, posix.join(entry.parentPath, entry.name)))
    .filter(sharesProcess)
    .sort()
}
