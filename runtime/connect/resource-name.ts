/** The name in a proxy path: `name`, `name:port` or `scheme:name:port`. */

export interface SchemeNamePort {
  readonly scheme: "" | "http" | "https"
  readonly name: string
  /** A number or, for services, the name of a port; "" when the path has none. */
  readonly port: string
}

/** Undefined for a malformed text: an empty name, another scheme, further colons. */
export function parseSchemeNamePort(text: string): SchemeNamePort | undefined {
  const parts = text.split(":")
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts]
  if (parts.length > 3 || name === undefined || name === "" || !isScheme(scheme)) return undefined
  return { scheme, name, port: port ?? "" }
}

function isScheme(text: string | undefined): text is SchemeNamePort["scheme"] {
  return text === "" || text === "http" || text === "https"
}
