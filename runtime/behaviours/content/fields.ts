/** Sets a field, or deletes it when there is no value. */
export function put<T extends object, Name extends keyof T>(object: T, name: Name, value: T[Name] | undefined): void {
  if (value === undefined) delete object[name]
  else object[name] = value
}
