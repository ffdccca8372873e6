/** Limits of conversions by a web hook. The reference has none: it sends the objects of a list one by one. */

/** Objects of one call. */
export const conversionObjectsMax = 500

/** Characters of the objects of one call; a larger single object has its own call. */
export const conversionCharactersMax = 1024 * 1024

/** Concurrent calls for one page. */
export const conversionCallsAtOnce = 4
