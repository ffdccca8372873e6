/** Reads a certificate (RFC 5280): fields that a decision on a chain needs and node does not show. */
import { X509Certificate } from "node:crypto"
import { type DerValue, DerFault, derTags, derValues, objectIdentifier } from "./der.ts"

export interface Certificate {
  readonly x509: X509Certificate
  readonly version: number
  /** Names and key in DER, for comparisons. */
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly key: Buffer
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** The algorithm of its signature, and its parameters in DER. */
  readonly signature: { readonly algorithm: string; readonly parameters: Buffer }
  /** `pathLength`: the most authorities below it; undefined: any number. */
  readonly constraints: { readonly isAuthority: boolean; readonly pathLength: number | undefined } | undefined
  /** Whether it may sign certificates, by its key usages. */
  readonly maySign: boolean
  /** Object identifiers of the allowed uses of the key; empty: any use. */
  readonly extendedUsages: readonly string[]
  readonly hasAlternativeNames: boolean
  readonly hasNameConstraints: boolean
  /** A critical extension that this module does not know. */
  readonly unknownCritical: string | undefined
}

const explicit = { version: 0xa0, extensions: 0xa3 } as const
const derSet = 0x31
const derBoolean = 0x01
const derOctets = 0x04

/** Throws an Error for bytes that are no certificate, or one whose parts cannot be read. Called with any bytes. */
export function readCertificate(x509: X509Certificate): Certificate {
  const [body, algorithm] = partsOf(single(x509.raw))
  const parts = [...partsOf(body)]
  const versioned = parts[0]?.tag === explicit.version ? partsOf(parts.shift()) : []
  const [, , issuer, , subject, key, ...optional] = parts
  const [identifier, parameters] = partsOf(algorithm)
  const names = namesOf(subject)
  return {
    x509,
    version: (versioned[0]?.content.at(-1) ?? 0) + 1,
    subject: present(subject).whole,
    issuer: present(issuer).whole,
    key: present(key).whole,
    commonName: names.findLast(({ type }) => type === "2.5.4.3")?.value ?? "",
    organizations: organizationsIn(names),
    notBeforeMs: timeOf(x509.validFrom),
    notAfterMs: timeOf(x509.validTo),
    signature: { algorithm: objectIdentifier(present(identifier)), parameters: parameters?.whole ?? Buffer.alloc(0) },
    ...extensionsOf(optional.find(({ tag }) => tag === explicit.extensions)),
  }
}

function present(value: DerValue | undefined): DerValue {
  if (value === undefined) throw new DerFault("a part of the certificate is missing")
  return value
}

function partsOf(value: DerValue | undefined): readonly DerValue[] {
  return derValues(present(value).content)
}

/** Returns the one value in these bytes. */
function single(bytes: Buffer): DerValue {
  const [value, ...others] = derValues(bytes)
  if (others.length > 0) throw new DerFault("bytes follow a part of the certificate")
  return present(value)
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new DerFault("a time of the certificate cannot be read")
  return time
}

/** A part of a subject: an object identifier and a text. */
interface Name {
  readonly type: string
  readonly value: string
}

/** The values of the organizations among the names of a subject. */
export function organizationsIn(names: readonly Name[]): readonly string[] {
  return names.filter(({ type }) => type === "2.5.4.10").map(({ value }) => value)
}

/** The names of a subject, in their order. Throws DerFault. */
export function namesOf(subject: DerValue | undefined): readonly Name[] {
  return partsOf(subject).flatMap((set) => {
    if (set.tag !== derSet) throw new DerFault("a name of the certificate cannot be read")
    return partsOf(set).map((pair) => {
      const [type, value] = partsOf(pair)
      return { type: objectIdentifier(present(type)), value: textOf(present(value)) }
    })
  })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
const utf16 = new TextDecoder("utf-16be", { fatal: true })

function textOf({ tag, content }: DerValue): string {
  switch (tag) {
    // UTF8String, NumericString, PrintableString, TeletexString, IA5String
    case 0x0c:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
      return decoded(utf8, content)
    // BMPString
    case 0x1e:
      return decoded(utf16, content)
    default:
      throw new DerFault("a name of the certificate cannot be read")
  }
}

function decoded(decoder: typeof utf8, content: Buffer): string {
  try {
    return decoder.decode(content)
  } catch {
    throw new DerFault("a name of the certificate cannot be read")
  }
}

type Extensions = Omit<
  Certificate,
  "x509" | "version" | "subject" | "issuer" | "key" | "commonName" | "organizations" | "notBeforeMs" | "notAfterMs" | "signature"
>

const extension = {
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  extendedKeyUsage: "2.5.29.37",
} as const

/** The extensions above, key identifiers, policies, and the places of revocations and issuers: they may be critical. */
const known: ReadonlySet<string> = new Set([
  ...Object.values(extension),
  ...["2.5.29.14", "2.5.29.31", "2.5.29.32", "2.5.29.35", "1.3.6.1.5.5.7.1.1"],
])

function extensionsOf(wrapped: DerValue | undefined): Extensions {
  const found = new Map<string, Buffer>()
  let unknownCritical: string | undefined
  for (const each of wrapped === undefined ? [] : partsOf(partsOf(wrapped)[0])) {
    const [identifier, ...rest] = partsOf(each)
    const type = objectIdentifier(present(identifier))
    if (found.has(type)) throw new DerFault("the certificate has an extension twice")
    const critical = rest[0]?.tag === derBoolean ? rest.shift()?.content[0] !== 0 : false
    const value = present(rest[0])
    if (value.tag !== derOctets) throw new DerFault("an extension of the certificate cannot be read")
    found.set(type, value.content)
    if (critical && !known.has(type)) unknownCritical ??= type
  }
  const usage = found.get(extension.keyUsage)
  return {
    constraints: constraintsOf(found.get(extension.basicConstraints)),
    maySign: usage === undefined || signsCertificates(usage),
    extendedUsages: usagesOf(found.get(extension.extendedKeyUsage)),
    hasAlternativeNames: found.has(extension.alternativeNames),
    hasNameConstraints: found.has(extension.nameConstraints),
    unknownCritical,
  }
}

function constraintsOf(bytes: Buffer | undefined): Certificate["constraints"] {
  if (bytes === undefined) return undefined
  const parts = [...partsOf(single(bytes))]
  const isAuthority = parts[0]?.tag === derBoolean ? parts.shift()?.content[0] !== 0 : false
  const [length] = parts
  if (length === undefined) return { isAuthority, pathLength: undefined }
  if (length.tag !== derTags.integer || length.content.length > 4) throw new DerFault("the path length cannot be read")
  return { isAuthority, pathLength: length.content.readIntBE(0, length.content.length) }
}

const keyCertSign = 0x04

/** A key usage without any bit restricts nothing, as in Go. */
function signsCertificates(bytes: Buffer): boolean {
  const { tag, content } = single(bytes)
  if (tag !== derTags.bits) throw new DerFault("the usages of the key cannot be read")
  const bits = content.subarray(1)
  return bits.every((byte) => byte === 0) || ((bits[0] ?? 0) & keyCertSign) !== 0
}

function usagesOf(bytes: Buffer | undefined): readonly string[] {
  return bytes === undefined ? [] : partsOf(single(bytes)).map(objectIdentifier)
}
