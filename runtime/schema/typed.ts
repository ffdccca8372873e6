/**
 * The one place at which a decoded value gets its generated type: decoding by the shape has made the value what the type
 * says. Both come from the same schema.
 */
export function typed<T>(decoded: object): T {
  return decoded as T // Decoding by the shape made it one.
}
