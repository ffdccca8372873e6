/**
 * Texts that are a domain, a slash and a path. Their faults are reported with the part at fault, as the reference does.
 */
import type { Failure } from "../base/failure.ts"
import { cut } from "../base/quote.ts"
import { dnsLabelFaults, dnsSubdomainFaults, longerThan, patternFault, wholePattern } from "./names.ts"

/** A fault of a text. */
export type PartFault = Pick<Failure, "type" | "detail"> & { readonly value: string }

const domainBytesMax = 253
/** A domain, a slash, and a path that has the length of a domain and a label. */
const signerNameBytesMax = 571
/** More labels do not fit into a domain. */
const labelsMax = 127

/** Returns what is wrong with the name of a signer: a domain of two labels or more, a slash, and a subdomain. */
export function signerNameFaults(name: string): PartFault[] {
  const [domain = "", path, more] = name.split("/", 3)
  if (path === undefined || more !== undefined) {
    return [{ type: "Invalid", value: name, detail: "must be a fully qualified domain and path of the form 'example.com/signer-name'" }]
  }
  const labels = domain.split(".", labelsMax)
  const faults: PartFault[] = longerThan(domain, domainBytesMax) ? [tooLong(domain, domainBytesMax)] : []
  faults.push(...firstFaults(domain, labels, dnsLabelFaults))
  if (labels.length < 2)
    faults.push({ type: "Invalid", value: domain, detail: "should be a domain with at least two segments separated by dots" })
  faults.push(...firstFaults(path, path.split(".", labelsMax), dnsSubdomainFaults))
  if (longerThan(name, signerNameBytesMax)) faults.push(tooLong(name, signerNameBytesMax))
  return faults
}

/** The faults of the first label that has some. */
function firstFaults(part: string, labels: readonly string[], faultsOf: (label: string) => readonly string[]): PartFault[] {
  for (const label of labels) {
    const faults = faultsOf(label)
    if (faults.length > 0)
      return faults.map((fault) => ({ type: "Invalid", value: part, detail: `validating label "${cut(label)}": ${fault}` }))
  }
  return []
}

function tooLong(value: string, bytes: number): PartFault {
  return { type: "TooLong", value, detail: `must have at most ${bytes} bytes` }
}

/** Returns what is wrong with a path below a domain: `example.com/ingress-controller`. */
export function domainPrefixedPathFaults(text: string): PartFault[] {
  const slash = text.indexOf("/")
  if (slash <= 0 || slash === text.length - 1)
    return [{ type: "Invalid", value: text, detail: 'must be a domain-prefixed path (such as "acme.io/foo")' }]
  const [domain, path] = [text.slice(0, slash), text.slice(slash + 1)]
  const faults: PartFault[] = dnsSubdomainFaults(domain).map((detail) => ({ type: "Invalid", value: domain, detail }))
  const source = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
  if (!wholePattern(source).test(path)) faults.push({ type: "Invalid", value: path, detail: patternFault("Invalid path", source, []) })
  return faults
}
