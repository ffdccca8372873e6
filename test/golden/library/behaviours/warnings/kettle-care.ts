import { defineWarning } from "../../../../../runtime/schema/index.ts"

/** A function of warnings, as an author would write it. */
export const kettleCare = defineWarning<{ colour?: string }>((spec, at) =>
  spec.colour === "black" ? [`${at}.colour: shows every fingerprint`] : [],
)
