/**
 * The only module that knows the vendor word. Schemas, generated code and the runtime use the neutral form (`orch`);
 * names are mapped here on input and output. The specification writes `orch` for the vendor word (its introduction).
 */
export type VendorName = "orch" | "kubernetes"

export interface Vendor {
  readonly name: VendorName
  /** The group in wire form: `events.orch.io` → `events.k8s.io`. Groups of users pass unchanged. */
  group(neutral: string): string
  /** The neutral group of a wire form; unknown groups pass unchanged. */
  neutralGroup(wire: string): string
  /** `group/version`, in both directions. */
  apiVersion(neutral: string): string
  neutralApiVersion(wire: string): string
  /** Label, annotation, finalizer and Secret-type domains: `orch.io/metadata.name` → `kubernetes.io/metadata.name`. */
  domain(neutral: string): string
  /** `orch-system` → `kube-system`. */
  namespace(neutral: string): string
  /** `application/vnd.orch.protobuf` or `application/vnd.kubernetes.protobuf`. */
  readonly compactMediaType: string
  /** `x-orch-` or `x-kubernetes-`. */
  readonly extensionPrefix: string
  /** Name of an OpenAPI definition: `io.orch.api.core.v1.Pod` → `io.k8s.api.core.v1.Pod`. */
  definition(neutral: string): string
  /** The suffix of the server's API groups: `orch.io` or `k8s.io`. */
  readonly groupDomain: string
  /** The word in the finalizer of namespaces and the name of the server's own Service. */
  readonly word: string
}

const orch: Vendor = {
  name: "orch",
  group: (neutral) => neutral,
  neutralGroup: (wire) => wire,
  apiVersion: (neutral) => neutral,
  neutralApiVersion: (wire) => wire,
  domain: (neutral) => neutral,
  namespace: (neutral) => neutral,
  compactMediaType: "application/vnd.orch.protobuf",
  extensionPrefix: "x-orch-",
  definition: (neutral) => neutral,
  groupDomain: "orch.io",
  word: "orch",
}

/** Domains by their neutral names. Most domains that are asked for are constants, several for each pod. */
const knownDomains = new Map<string, string>()
const knownDomainsMax = 256

function domainOf(neutral: string): string {
  const domain = neutral.replace(/(^|\.)orch\.io(?=\/)/, "$1kubernetes.io")
  if (knownDomains.size < knownDomainsMax && neutral.length <= 64) knownDomains.set(neutral, domain)
  return domain
}

const kubernetes: Vendor = {
  name: "kubernetes",
  group: (neutral) => (neutral.endsWith(".orch.io") ? `${neutral.slice(0, -"orch.io".length)}k8s.io` : neutral),
  // The mapping swaps the two names: under this vendor a neutral name on the wire is a foreign one and must not match
  // anything served.
  neutralGroup: (wire) =>
    wire.endsWith(".orch.io")
      ? `${wire.slice(0, -"orch.io".length)}k8s.io`
      : wire.endsWith(".k8s.io")
        ? `${wire.slice(0, -"k8s.io".length)}orch.io`
        : wire,
  apiVersion: (neutral) => mapGroupOf(neutral, kubernetes.group),
  neutralApiVersion: (wire) => mapGroupOf(wire, kubernetes.neutralGroup),
  domain: (neutral) => knownDomains.get(neutral) ?? domainOf(neutral),
  namespace: (neutral) => neutral.replace(/^orch-/, "kube-"),
  compactMediaType: "application/vnd.kubernetes.protobuf",
  extensionPrefix: "x-kubernetes-",
  definition: (neutral) =>
    neutral.replace(/^io\.orch\.(aggregator\.)?/, (_all, part) => (part === undefined ? "io.k8s." : "io.k8s.kube-aggregator.")),
  groupDomain: "k8s.io",
  word: "kubernetes",
}

function mapGroupOf(apiVersion: string, map: (group: string) => string): string {
  const slash = apiVersion.indexOf("/")
  return slash < 0 ? apiVersion : map(apiVersion.slice(0, slash)) + apiVersion.slice(slash)
}

const vendors: readonly Vendor[] = [orch, kubernetes]

/** The forms that a neutral `group/version` has on the wire, one for each vendor: one or two. */
export function wireApiVersions(neutral: string): readonly string[] {
  return [...new Set(vendors.map((vendor) => vendor.apiVersion(neutral)))]
}

/** Called once at start with the value of `--vendor`. */
export function vendorProfile(name: VendorName): Vendor {
  return name === "kubernetes" ? kubernetes : orch
}
