/** Paths on both sides of a proxy, and links between the sides. */
export interface ProxyPaths {
  /** Decoded path at the other end; "" when the request has none. */
  readonly target: string
  /** The part of the path before it on this server, without a trailing slash. */
  readonly prefix: string
}

/** `path` is the decoded path of the whole request, `tail` its segments after `proxy`. */
export function proxyPaths(path: string, tail: readonly string[]): ProxyPaths {
  const joined = tail.length === 0 ? "" : `/${tail.join("/")}`
  const slashed = path.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined
  const target = slashed === "" ? "" : normalized(slashed)
  return { target, prefix: path.endsWith(target) ? path.slice(0, path.length - target.length) : path }
}

/**
 * Normalizes an absolute path like `posix.normalize`, but in linear time: node's cost grows with the square of a long
 * path that goes up and down.
 */
function normalized(path: string): string {
  const kept: string[] = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return kept.length > 0 && path.endsWith("/") ? `/${kept.join("/")}/` : `/${kept.join("/")}`
}

/** Encodes a decoded path for a request line. Escaped slashes have become plain slashes by now, as in the reference. */
export function escapedPath(path: string): string {
  return encodeURI(path).replace(/[?#!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

const linkPattern = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)([?#].*)?$/is

/**
 * Rewrites a link of the other end to lead through the proxy when it leads to a path of the same host; other links
 * stay. `hosts`: the names that the other end may use for itself, which are its address and the host that the client
 * requested.
 */
export function rewrittenLink(link: string, options: { prefix: string; hosts: readonly string[] }): string {
  const [, scheme, host, path = "", rest = ""] = linkPattern.exec(link) ?? []
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return link
  if ((host !== undefined && host !== "" && !options.hosts.includes(host)) || !path.startsWith("/")) return link
  const within = path === options.prefix || path.startsWith(`${options.prefix}/`)
  return `${within ? path : options.prefix + path}${rest}`
}
