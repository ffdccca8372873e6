/** Limits of conversions by a web hook. The reference has none: it sends the objects of a list one by one. */

/** Objects of one call. */
export const conversionObjectsMax = 500

/** Characters of the objects of one call; an object that is larger alone has a call of its own. */
export const conversionCharactersMax = 1024 * 1024

/** Calls for one page at a time. */
export const conversionCallsAtOnce = 4
