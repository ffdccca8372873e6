/** Checks that files and headings which documents name exist, and that the first documents stay short. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { repository, textFiles } from "./source.ts"

interface Document {
  /** Relative to the repository, with slashes. */
  readonly path: string
  readonly text: string
}

/** Folders of the repository, and folders below `runtime/`, which documents name without `runtime/`. */
const topFolders = [".ci", "bench", "cel", "codegen", "docs", "examples", "generated", "model", "runtime", "schemas", "scripts", "test"]
/** Made by a build, an installation or a run, or the reader's own: `my/` in examples. */
const isElsewhere = /^(dist|node_modules|\.orch|my)\//
/** Sources of other programs, which documents cite. */
const foreignName = /\.(go|py|rs)$/
const sourceName = /\.(ts|mjs|md|ya?ml)$/

/** Maximum lines of a document. Further text has a document of its own, and a link to it. */
const linesMax: Readonly<Record<string, number>> = { "README.md": 180, "docs/ARCHITECTURE.md": 250 }

/** The documents of the repository, except docs/PROGRESS.md, which lists work that is not done yet. */
export function readDocuments(): readonly Document[] {
  const files = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map((path) => ({
    path,
    text: readFileSync(join(repository, path), "utf8"),
  }))
  const folders = textFiles(["docs", "examples", "runtime", "test"], /\.md$/).filter(({ path }) => path !== "docs/PROGRESS.md")
  return [...files, ...folders]
}

/** The paths of all files and folders of the repository, except build output. */
export function repositoryPaths(): ReadonlySet<string> {
  const below = topFolders.flatMap((folder) =>
    existsSync(join(repository, folder))
      ? [folder, ...readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).map((path) => posix.join(folder, path))]
      : [],
  )
  return new Set([...readdirSync(repository), ...below])
}

/** `path:line: name` for each code span and each link that names a file or folder which does not exist. */
export function missingFiles(documents: readonly Document[], paths: ReadonlySet<string>): string[] {
  const areFolders = new Set([
    ...topFolders,
    ...[...paths].filter((path) => /^runtime\/[^/.]+$/.test(path)).map((path) => posix.basename(path)),
  ])
  const suffixes = allSuffixes(paths)
  const isThere = (name: string, from: string): boolean =>
    // Benchmarks are named without their extension, as `npm run bench` takes them.
    [name, posix.join(posix.dirname(from), name), `runtime/${name}`, `${name}.ts`].some((path) => paths.has(posix.normalize(path))) ||
    suffixes.has(name)
  return documents.flatMap(({ path, text }) =>
    namesIn(text)
      .filter(({ name, isLink }) => (isLink || isPath(name, areFolders)) && !isThere(name.replace(/\/$/, ""), path))
      .map(({ name, line }) => `${path}:${line}: ${name}`),
  )
}

/** `path:line: target` for each link to a heading that its document does not have. */
export function missingHeadings(documents: readonly Document[]): string[] {
  const headings = new Map(documents.map(({ path, text }) => [path, headingsOf(text)]))
  return documents.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) =>
      [...line.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
        .filter(([, file = "", heading = ""]) => {
          const target = file === "" ? path : posix.join(posix.dirname(path), file)
          return headings.get(target)?.has(heading) === false
        })
        .map(([, file = "", heading = ""]) => `${path}:${index + 1}: ${file}#${heading}`),
    ),
  )
}

/** The names by which links reach the headings of a document. */
function headingsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)]
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}

/** Documents that exceed their maximum of lines. */
export function longDocuments(documents: readonly Document[]): string[] {
  return documents.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length
    const max = linesMax[path] ?? Number.POSITIVE_INFINITY
    return lines > max ? [`${path} has ${lines} lines: ${max} at most`] : []
  })
}

/** Ends of paths, from a slash on: documents may leave out folders that the context gives. */
function allSuffixes(paths: ReadonlySet<string>): ReadonlySet<string> {
  const suffixes = new Set<string>()
  for (const path of paths) {
    const parts = path.split("/")
    for (let from = 1; from < parts.length; from++) suffixes.add(parts.slice(from).join("/"))
  }
  return suffixes
}

/**
 * Whether a code span is the path of a file or folder here, and not a media type, a group, an API path, a pattern or a
 * path in another repository.
 */
function isPath(name: string, folders: ReadonlySet<string>): boolean {
  if (!/^[\w./-]*\w[\w./-]*$/.test(name) || name.startsWith("/") || isElsewhere.test(name) || foreignName.test(name)) return false
  const [first = ""] = name.split("/", 1)
  return sourceName.test(name) || name.endsWith("/") || (name.includes("/") && folders.has(first))
}

interface Name {
  readonly name: string
  readonly line: number
  readonly isLink: boolean
}

/** Code spans and targets of links outside of code blocks. */
function namesIn(text: string): Name[] {
  let isCode = false
  return text.split("\n").flatMap((line, index): Name[] => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    if (isCode || line.startsWith("    ")) return []
    const spans = [...line.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ name, line: index + 1, isLink: false }))
    const links = [...line.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, name = ""]) => ({ name, line: index + 1, isLink: true }))
      .filter(({ name }) => !name.includes("://"))
    return [...spans, ...links]
  })
}
