/** The one place at which a decoded value gets its generated type: decoding by the shape has given it that form. */
export function typed<T>(decoded: object): T {
  return decoded as T // Types and shapes are generated from the same schema.
}
