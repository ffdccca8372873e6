/**
 * Maps the neutral names in generated OpenAPI documents to the names of `--vendor`. Works on the text: the names are
 * unambiguous there, and parsing and writing a megabyte of JSON costs ten times as much as scanning it.
 */
import type { Vendor } from "../base/vendor.ts"

/** Called once per document. `text` is JSON. Removes the generator's own mark at its beginning. */
export function mapDocument(text: string, vendor: Vendor): string {
  const unmarked = text.replace(/^\{\s*"x-generated":\s*"(?:[^"\\]|\\.)*",/, "{")
  if (vendor.definition("io.orch.") === "io.orch.") return unmarked
  return unmarked
    .replaceAll('"x-orch-', `"${vendor.extensionPrefix}`)
    .replace(/\bio\.orch\.(?:aggregator\.)?/g, (found) => vendor.definition(found))
    .replaceAll("application/vnd.orch.protobuf", vendor.compactMediaType)
    .replace(/\borch-(?=system\b|public\b|node-lease\b)/g, vendor.namespace("orch-"))
    .replace(
      /(\/apis\/)?\b((?:[a-z0-9-]+\.)*orch\.io)\b(\/(?!v[1-9]))?/g,
      (_all, root = "", name: string, slash = "") => root + mapName(vendor, { name, root, slash }),
    )
}

/**
 * `node.orch.io` is both a group and a label domain: a domain is followed by a slash and a word, a group by a version
 * or nothing.
 */
function mapName(vendor: Vendor, found: { name: string; root: string; slash: string }): string {
  const { name, root, slash } = found
  if (root === "" && slash !== "") return vendor.domain(`${name}/`)
  return `${vendor.group(name)}${slash}`
}
