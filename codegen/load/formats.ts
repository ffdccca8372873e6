/** The loader's list of formats. */
import { formatNames as kitFormatNames } from "../../runtime/schema/formats.ts"

/** Every format that `format` and `isFormat` may name. */
export const formatNames: readonly string[] = kitFormatNames
