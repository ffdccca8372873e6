/** Measurements of the calls of conversion hooks. */

/** The versions between which a hook is asked to convert: `v1`. */
export interface ConversionCall {
  readonly from: string
  readonly to: string
}

/** Why a conversion failed: the call brought no review, a wrong one, one that reports a failure, or wrong objects. */
export type ConversionFailure = "call" | "malformed_response" | "partial_response" | "invalid_converted_object"

/** Called when a hook is called; the returned function is called once at the end, with the reason of a failure. */
export type ConversionStarted = (call: ConversionCall) => (failure?: ConversionFailure) => void
