/**
 * Parts of the golden tests besides their harness: emitting one case like a user's folder, selecting the files to
 * record, and type-checking all emitted files in one program without writing them to disk.
 */
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { emit, packageOptions } from "../../codegen/emit/index.ts"
import type { Model } from "../../model/model.ts"

const repository = join(import.meta.dirname, "..", "..")
/** The virtual folder of the emitted files for the compiler; nothing is written there. */
const emittedFolder = join(import.meta.dirname, "emitted")

/**
 * Called with the model of a case. Returns the generated files by path, as `npm run gen -- --schemas DIR --out DIR`
 * would write them.
 */
export function emitCase(model: Model, own: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const emitted = new Set([...own.keys()].map((path) => path.replace(/\.yaml$/, "")))
  return emit(model, packageOptions(emitted, "schemas"))
}

/** Keywords that affect the structure of a type. Types, shapes and descriptors do not show any other field keyword. */
const structural = new Set(
  "doc types enum kind-fields field-fields preserveUnknown union structType field-type number protoName inline pointer nullable keepEmpty field-deprecated listType mapKeys mapType patchStrategy mergeKey field-required default field-gate gatedValue gateExempts publishedEnum yaml".split(" "),
)

/** Keywords that the typed operations of a kind show. */
const operational = new Set("kind-verbs postsTo answeredBy scope subresources subresource-kind subresource-verbs served".split(" "))

/** The files that show the effect of a case's keyword; the others are the same in every case. */
export function interesting(id: string, files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const isKind = [...files.keys()].some((path) => path.endsWith("/resource.ts"))
  const isColumn = id.startsWith("column") || id === "completed" || id === "as" || id === "priority" || id === "functions"
  const isReference = id.startsWith("reference") || id === "namespace"
  const parts = isReference ? ["validate"] : id === "selfContained" ? ["shape", "defaults", "validate"] : isColumn ? ["columns"] : isKind ? ["resource", "convert", ...(operational.has(id) ? ["handlers"] : [])] : structural.has(id) ? ["types", "shape", "proto", "defaults", "validate"] : ["defaults", "validate"]
  return new Map([...files].filter(([path]) => parts.some((part) => path.endsWith(`/${part}.ts`))))
}

/**
 * Called once with the files of all cases, by case. Returns every type error in a generated file, as `case/path:line:
 * text`.
 */
export function typeFaults(cases: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const texts = new Map<string, string>()
  for (const [id, files] of cases) for (const [path, text] of files) texts.set(join(emittedFolder, id, path), text)
  const options = compilerOptions()
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host: layeredHost(options, texts) })
  const diagnostics = [...texts.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  })
  return diagnostics.map(faultText)
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(repository, "tsconfig.json"), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository)
  const paths = {
    "orch-apiserver/schema": [join(repository, "runtime", "schema", "index.ts")],
    "orch-apiserver/generated/*": [join(emittedFolder, "library", "*.ts")],
  }
  return { ...options, paths, noEmit: true }
}

/** The disk, overlaid with the emitted files; the golden library's behaviours stand in for a user's. */
function layeredHost(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const behaviours = join(emittedFolder, "behaviours")
  const onDisk = (path: string): string => (path.startsWith(behaviours) ? join(import.meta.dirname, "library", relative(emittedFolder, path)) : path)
  const folders = new Set([...texts.keys()].flatMap((path) => ancestors(dirname(path))))
  return {
    ...host,
    fileExists: (path) => texts.has(path) || host.fileExists(onDisk(path)),
    readFile: (path) => texts.get(path) ?? host.readFile(onDisk(path)),
    directoryExists: (path) => folders.has(path) || path.startsWith(behaviours) || (host.directoryExists?.(path) ?? true),
    getSourceFile: (path, languageVersion) => {
      const text = texts.get(path) ?? host.readFile(onDisk(path))
      return text === undefined ? undefined : ts.createSourceFile(path, kitRelative(path, text), languageVersion)
    },
  }
}

/** Rewrites the kit imports of the golden behaviours to their real path. */
function kitRelative(path: string, text: string): string {
  return path.startsWith(join(emittedFolder, "behaviours")) ? text.replace(/from "[./]+runtime\/kit\/index\.ts"/, 'from "orch-apiserver/schema"') : text
}

function ancestors(folder: string): string[] {
  return folder.startsWith(emittedFolder) ? [folder, ...ancestors(dirname(folder))] : []
}

function faultText(diagnostic: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")
  if (diagnostic.file === undefined || diagnostic.start === undefined) return text
  const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start)
  return `${relative(emittedFolder, diagnostic.file.fileName)}:${line + 1}: ${text}`
}
