/**
 * Names of the keywords that a vendor adds to schemas. They are built once: building a name for each access would cost
 * more than the access.
 */

export interface Extensions {
  readonly preserveUnknownFields: string
  readonly embeddedResource: string
  readonly intOrString: string
  readonly listMapKeys: string
  readonly listType: string
  readonly mapType: string
  readonly validations: string
}

const known = new Map<string, Extensions>()

/** `prefix`: a vendor's `extensionPrefix`, as in `x-kubernetes-list-type`. Caches one result per vendor. */
export function extensionsOf(prefix: string): Extensions {
  const before = known.get(prefix)
  if (before !== undefined) return before
  const extensions: Extensions = {
    preserveUnknownFields: `${prefix}preserve-unknown-fields`,
    embeddedResource: `${prefix}embedded-resource`,
    intOrString: `${prefix}int-or-string`,
    listMapKeys: `${prefix}list-map-keys`,
    listType: `${prefix}list-type`,
    mapType: `${prefix}map-type`,
    validations: `${prefix}validations`,
  }
  known.set(prefix, extensions)
  return extensions
}
