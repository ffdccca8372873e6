/**
 * Runs the fenced blocks of a Markdown document, in their order, as a reader would: writes its files, runs its commands
 * word for word and compares their output. Blocks in HTML comments run too. Words after the language in the line of
 * three backticks:
 *
 * - `file=PATH`: the block is the whole text of this file, in the current folder. It replaces one that is there.
 * - language `diff` with `file=PATH`: changes a file. Lines that begin with a space or `-` are in the file, next to
 *   each other and only once; those with `-` go and those with `+` come. A line `@@` begins another place. Lines with
 *   `+` alone come at the end of the file.
 * - language `console`: each line `$ COMMAND` runs in bash; lines `> MORE` continue it, and the lines up to the next
 *   `$` are its whole output, errors included. It exits with 0, or with the code of `exit=CODE`, which the last command
 *   of a block may have. Folder, variables and functions stay from block to block.
 * - `console server`: a second terminal with a command that goes on. The output so far begins with the lines of the
 *   block. A later block `console server` without a command has the lines that follow, and a line `^C` ends the
 *   command: what comes after it is the rest of the output.
 * - `needs=PROGRAM`: the block is left out where this program is not installed.
 *
 * In expected output `…` is any text within a line, and a line `…` any number of lines. Spaces at the end of a line do
 * not count. The port 6443 is replaced by a free one in files, commands and output. Any other block is not run, which
 * is a fault unless its language is `text` or `mermaid`, or it says `not-run`.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Session, type SessionOptions } from "./session.ts"

interface Block {
  /** Of the line that opens it. */
  readonly line: number
  readonly language: string
  readonly words: ReadonlyMap<string, string>
  readonly lines: readonly string[]
}

/** A command, and its output as the document has it. */
interface Step {
  readonly line: number
  readonly command: string
  readonly output: readonly string[]
}

export interface DocumentOptions extends SessionOptions {
  /** For messages: `docs/TUTORIAL.md`. */
  readonly path: string
}

const silentLanguages = new Set(["text", "mermaid"])
const knownWords = new Set(["file", "exit", "server", "needs", "not-run"])

/** Runs all blocks of a document. Rejects with `path:line: fault` for the first block that is not as it says. */
export async function runDocument(text: string, options: DocumentOptions): Promise<void> {
  const session = new Session(options)
  try {
    for (const block of blocksOf(text)) {
      const fault = await runBlock(block, session, options).catch((error: unknown) => String(error))
      if (fault !== undefined) throw new Error(`${options.path}:${block.line}: ${fault}`)
    }
  } finally {
    await session.end()
  }
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly block: Block & { readonly lines: string[] }; readonly indent: string } | undefined
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", info] = /^(\s*)```(.*)$/.exec(line) ?? []
    if (open !== undefined) {
      if (info === "" && indent === open.indent) open = undefined
      else open.block.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    } else if (info !== undefined) {
      const [language = "", ...words] = info.trim().split(/\s+/)
      const pairs = words.map((word): [string, string] => [word.split("=", 1)[0] ?? "", word.slice(word.indexOf("=") + 1)])
      open = { block: { line: index + 1, language, words: new Map(pairs), lines: [] }, indent }
      blocks.push(open.block)
    }
  }
  return blocks
}

/** Resolves with the fault. */
async function runBlock(block: Block, session: Session, { port }: DocumentOptions): Promise<string | undefined> {
  const { language, words } = block
  const unknown = [...words.keys()].find((word) => !knownWords.has(word))
  if (unknown !== undefined) return `unknown word ${unknown} after the language`
  if (words.has("not-run") || !isInstalled(words.get("needs"))) return undefined
  const lines = block.lines.map((line) => line.replaceAll("6443", String(port)))
  const file = words.get("file")
  if (file !== undefined) return language === "diff" ? change(join(session.folder, file), lines) : write(join(session.folder, file), lines)
  if (language !== "console") return silentLanguages.has(language) ? undefined : `a block ${language} that is neither a file nor run`
  if (words.has("server")) return runServer(lines, session)
  const steps = stepsOf(lines, block.line + 1)
  if (typeof steps === "string") return steps
  for (const [index, { command, output, line }] of steps.entries()) {
    const expected = index === steps.length - 1 ? Number(words.get("exit") ?? 0) : 0
    const { code, text } = await session.run(command)
    if (code !== expected || !patternOf(output, true).test(text))
      return `line ${line}: ${command}\nexpected, with code ${expected}:\n${output.join("\n")}\ncame, with code ${code}:\n${text}`
  }
  return undefined
}

function isInstalled(program: string | undefined): boolean {
  return program === undefined || spawnSync("which", [program]).status === 0
}

function write(path: string, lines: readonly string[]): undefined {
  mkdirSync(dirname(path), { recursive: true })
  // As editors do: a program that watches the folder never sees half of a file.
  writeFileSync(`${path}.new`, `${lines.join("\n")}\n`)
  renameSync(`${path}.new`, path)
}

function change(path: string, lines: readonly string[]): string | undefined {
  let text = `\n${readFileSync(path, "utf8")}`
  for (const place of lines.join("\n").split(/^@@.*\n/m)) {
    const changes = place
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => line || " ")
    const side = (marks: string): string =>
      `\n${changes
        .filter((line) => marks.includes(line.charAt(0)))
        .map((line) => `${line.slice(1)}\n`)
        .join("")}`
    const [before, after] = [side(" -"), side(" +")]
    if (before === "\n") {
      text += after.slice(1)
      continue
    }
    const found = text.split(before).length - 1
    if (found !== 1) return `the lines to change are ${found} times in ${path}:${before}`
    text = text.replace(before, () => after)
  }
  writeFileSync(path, text.slice(1))
  return undefined
}

function stepsOf(lines: readonly string[], first: number): readonly Step[] | string {
  const steps: { readonly line: number; command: string; readonly output: string[] }[] = []
  for (const [index, line] of lines.entries()) {
    const last = steps.at(-1)
    if (line.startsWith("$ ")) steps.push({ line: first + index, command: line.slice(2), output: [] })
    else if (last === undefined) return `output without a command: ${line}`
    else if (/^>( |$)/.test(line) && last.output.length === 0) last.command += `\n${line.slice(2)}`
    else last.output.push(line)
  }
  return steps
}

async function runServer(lines: readonly string[], session: Session): Promise<string | undefined> {
  const [first = "", ...rest] = lines
  if (first.startsWith("$ ")) session.start(first.slice(2))
  const output = first.startsWith("$ ") ? rest : lines
  const end = output.indexOf("^C")
  const before = await session.read(patternOf(output.slice(0, end === -1 ? undefined : end), false))
  if (before !== undefined || end === -1) return before
  const after = await session.interrupt()
  const expected = output.slice(end + 1)
  return patternOf(expected, true).test(after) ? undefined : `after ^C, expected:\n${expected.join("\n")}\ncame:\n${after}`
}

/** Matches text without spaces at the ends of its lines, from the start; to the end if `whole`. */
function patternOf(lines: readonly string[], whole: boolean): RegExp {
  const parts = lines.map((line) =>
    line.trim() === "…"
      ? "(?:[^\\n]*\\n)*?"
      : `${line
          .trimEnd()
          .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
          .replaceAll("…", "[^\\n]*")}\\n`,
  )
  return new RegExp(`^${parts.join("")}${whole ? "$" : ""}`)
}
