/** Lists the fields of the catalog's types that no object of `test/api/kinds/matrix` sets. */
import { isRecord } from "../api/harness/matchers.ts"
import type { KindPart, Matrix } from "../api/harness/matrix.ts"
import { type CatalogField, type CatalogFile, typeFile, typeFiles } from "./catalog.ts"

interface TypeAt {
  readonly file: CatalogFile
  readonly name: string
}

/** Fields that no object can set, or that have tests of their own, and why. */
const exceptions: readonly (readonly [field: RegExp, reason: string])[] = [
  [/^meta\.orch\.io\/v1 /, "metadata is the same for all kinds: test/api/metadata"],
  [/ (JSONSchemaProps|ExternalDocumentation|ValidationRule)/, "the schemas of definitions have tests of their own"],
  [/ CustomResourceDefinition(\.status|Status\.|Condition\.)/, "the server writes it; test/definitions.test.ts"],
  [/ CustomResourceDefinitionSpec\.preserveUnknownFields$/, "only false is allowed, which is left out"],
  [/^auth\w+\.orch\.io\/v1 .*(\.status|Status\.|UserInfo\.|ResourceRule\.)/, "it is the answer: test/api/access"],
  [/ CertificateSigningRequestSpec\.(extra|groups|uid|username)$/, "the server writes who asks"],
  [/ CertificateSigningRequestStatus\.certificate$/, "it is written once: test/api/kinds/certificate-signing-request.yaml"],
  [/^events\.orch\.io\/v1 Event\.deprecated/, "it is refused in this version, by rows"],
  [/ (Endpoint\.deprecatedTopology|NodeSpec\.configSource)$/, "a write drops it"],
  [/ (ExemptPriorityLevelConfiguration\.|PriorityLevelConfigurationSpec\.exempt$)/, "the one object of that type is the server's"],
  [/ (RollingUpdateStatefulSetStrategy\.maxUnavailable|JobSpec\.(managedBy|successPolicy)|SuccessPolicy)/, "the gate is off"],
  [/ (PodAffinityTerm\.(mis)?matchLabelKeys|PodSpec\.hostUsers)$/, "the gate is off"],
  [/ (PodSpec\.ephemeralContainers|EphemeralContainer\.EphemeralContainerCommon)$/, "a sub-resource writes it, by rows"],
  [/ EphemeralContainerCommon\.(ports|resources|lifecycle|\w+Probe)$/, "it is refused, by rows"],
]

/** Each as `group/version Type.field`, of all types that the kinds of the matrix reach. */
export function unsetFields(matrix: Matrix): string[] {
  const types = new Types()
  const set = new Set<string>()
  for (const kind of matrix.kinds) for (const value of valuesOf(kind)) types.visit(types.ofKind(kind), value, set)
  for (const { name, objects } of matrix.shared) {
    const type = types.named("core/v1", name.slice("shared ".length))
    if (type !== undefined) for (const value of Object.values(objects)) types.visit(type, value, set)
  }
  const reached = types.reachedFrom(matrix.kinds.map((kind) => types.ofKind(kind)))
  return reached.filter((field) => !set.has(field) && !exceptions.some(([pattern]) => pattern.test(field)))
}

function valuesOf({ objects, status }: KindPart): unknown[] {
  return [...Object.values(objects), ...(status === undefined ? [] : [{ status: status.sets }])]
}

class Types {
  private readonly files = typeFiles().map(typeFile)

  ofKind({ apiVersion, kind }: KindPart): TypeAt | undefined {
    return this.named(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`, kind)
  }

  named(groupVersion: string, name: string): TypeAt | undefined {
    const file = this.files.find((each) => versionOf(each) === groupVersion)
    return file !== undefined && name in file.types ? { file, name } : undefined
  }

  /** Notes each field that a value sets, zero values too. */
  visit(type: TypeAt | undefined, value: unknown, set: Set<string>): void {
    if (type === undefined) return
    if (Array.isArray(value)) for (const item of value) this.visit(type, item, set)
    if (!isRecord(value)) return
    for (const [name, field] of fieldsOf(type)) {
      if (field.inline === true) this.visit(this.target(type, field.type), value, set)
      if (value[name] === undefined && field.inline !== true) continue
      set.add(`${versionOf(type.file)} ${type.name}.${name}`)
      if (field.inline !== true) this.visitField(type, field.type, value[name], set)
    }
  }

  private visitField(type: TypeAt, text: string, value: unknown, set: Set<string>): void {
    const [, map] = /^map<(.*)>$/.exec(text) ?? []
    if (map === undefined) this.visit(this.target(type, text), value, set)
    else if (isRecord(value)) for (const item of Object.values(value)) this.visitField(type, map, item, set)
  }

  /** Fields of all types that `roots` reach, except fields behind gates that are off. */
  reachedFrom(roots: readonly (TypeAt | undefined)[]): string[] {
    const fields = new Set<string>()
    const seen = new Set<string>()
    const waiting = roots.filter((type) => type !== undefined)
    for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
      const key = `${versionOf(type.file)} ${type.name}`
      if (seen.has(key)) continue
      seen.add(key)
      for (const [name, field] of fieldsOf(type)) {
        if (field.featureGate !== undefined || name === "metadata") continue
        fields.add(`${key}.${name}`)
        const target = this.target(type, field.type.replace(/^map<(.*)>$/, "$1"))
        if (target !== undefined) waiting.push(target)
      }
    }
    return [...fields].sort()
  }

  /** The type that a field's text names; none for scalars. */
  private target({ file }: TypeAt, text: string): TypeAt | undefined {
    const name = text.replace(/^\[\]/, "")
    if (name in file.types) return { file, name }
    if (name.startsWith("meta.")) return this.named("meta.orch.io/v1", name.replace(/^meta\.(v1\.)?/, ""))
    const [, group, version, elsewhere] = /^([a-z]+)\.(v[a-z0-9]+)\.([A-Za-z]+)$/.exec(name) ?? []
    const found = this.files.find((each) => each.version === version && (each.group.split(".")[0] || "core") === group)
    return found !== undefined && elsewhere !== undefined && elsewhere in found.types ? { file: found, name: elsewhere } : undefined
  }
}

function fieldsOf({ file, name }: TypeAt): [string, CatalogField][] {
  return Object.entries(file.types[name]?.fields ?? {})
}

function versionOf({ group, version }: CatalogFile): string {
  return `${group === "" ? "core" : group}/${version}`
}
