/** Paths on both sides of a proxy, and links from one side to the other. */
export interface ProxyPaths {
  /** Decoded path at the other end; "" when the request names none. */
  readonly target: string
  /** What stands before it on this server, without a slash at its end. */
  readonly prefix: string
}

/** `path`: decoded, of the whole request. `tail`: its segments behind `proxy`. */
export function proxyPaths(path: string, tail: readonly string[]): ProxyPaths {
  const joined = tail.length === 0 ? "" : `/${tail.join("/")}`
  const slashed = path.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined
  const target = slashed === "" ? "" : normalized(slashed)
  return { target, prefix: path.endsWith(target) ? path.slice(0, path.length - target.length) : path }
}

/** As `posix.normalize` has it of a path from the root, whose own cost grows with the square of a long path that goes up and down. */
function normalized(path: string): string {
  const kept: string[] = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return kept.length > 0 && path.endsWith("/") ? `/${kept.join("/")}/` : `/${kept.join("/")}`
}

/** A decoded path as it is written in a request line. Slashes that were escaped are slashes by now, as in the reference. */
export function escapedPath(path: string): string {
  return encodeURI(path).replace(/[?#!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

const linkPattern = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)([?#].*)?$/is

/**
 * A link of the other end, made to lead through the proxy when it leads to a path of the same host. Others stay. `hosts`: how the other end
 * may call itself: its address, and the host that the client asked for.
 */
export function rewrittenLink(link: string, options: { prefix: string; hosts: readonly string[] }): string {
  const [, scheme, host, path = "", rest = ""] = linkPattern.exec(link) ?? []
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return link
  if ((host !== undefined && host !== "" && !options.hosts.includes(host)) || !path.startsWith("/")) return link
  const within = path === options.prefix || path.startsWith(`${options.prefix}/`)
  return `${within ? path : options.prefix + path}${rest}`
}
