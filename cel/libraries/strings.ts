/** The strings library, version 2: `charAt`, `indexOf`, `join`, `format` and so on. */
import type { FunctionDeclaration, Library } from "../declaration.ts"
import { dynType, intType, listType, stringType } from "../types/type.ts"
import { errorOf, isError } from "../values/error.ts"
import { listOf } from "../values/list.ts"
import { print } from "../values/print.ts"
import type { ListValue, Result } from "../values/value.ts"
import { costOf } from "./costs.ts"
import { formatText } from "./format-text.ts"
import { listOfArgument, integerOf, textOf } from "./narrow.ts"
import * as texts from "./texts.ts"
import { chargeWork } from "../work.ts"

const textsType = listType(stringType)

/** `text.name()`, a string. */
function mapping(name: string, id: string, change: (text: string) => string): FunctionDeclaration {
  return {
    name,
    ...costOf(name),
    overloads: [{ id, member: true, args: [stringType], result: stringType, impl: (text) => change(textOf(text)) }],
  }
}

function join(list: ListValue, separator: string): Result {
  const parts = list.toArray()
  const other = parts.find((part) => typeof part !== "string")
  if (other === undefined) {
    // The cost of the result is charged already.
    chargeWork(parts.length)
    return parts.join(separator)
  }
  return isError(other) ? other : errorOf(`join: invalid input: ${print(other)}`)
}

const searching: readonly FunctionDeclaration[] = [
  {
    name: "charAt",
    overloads: [
      {
        id: "string_char_at_int",
        member: true,
        args: [stringType, intType],
        result: stringType,
        impl: (text, index) => texts.charAt(textOf(text), integerOf(index)),
      },
    ],
  },
  {
    name: "indexOf",
    ...costOf("indexOf"),
    overloads: [
      {
        id: "string_index_of_string",
        member: true,
        args: [stringType, stringType],
        result: intType,
        impl: (text, part) => texts.indexOf(textOf(text), textOf(part), 0),
      },
      {
        id: "string_index_of_string_int",
        member: true,
        args: [stringType, stringType, intType],
        result: intType,
        impl: (text, part, offset) => texts.indexOf(textOf(text), textOf(part), integerOf(offset)),
      },
    ],
  },
  {
    name: "lastIndexOf",
    ...costOf("lastIndexOf"),
    overloads: [
      {
        id: "string_last_index_of_string",
        member: true,
        args: [stringType, stringType],
        result: intType,
        impl: (text, part) => texts.lastIndexOf(textOf(text), textOf(part)),
      },
      {
        id: "string_last_index_of_string_int",
        member: true,
        args: [stringType, stringType, intType],
        result: intType,
        impl: (text, part, offset) => texts.lastIndexOf(textOf(text), textOf(part), integerOf(offset)),
      },
    ],
  },
  {
    name: "substring",
    ...costOf("substring"),
    overloads: [
      {
        id: "string_substring_int",
        member: true,
        args: [stringType, intType],
        result: stringType,
        impl: (text, start) => texts.substring(textOf(text), integerOf(start)),
      },
      {
        id: "string_substring_int_int",
        member: true,
        args: [stringType, intType, intType],
        result: stringType,
        impl: (text, start, end) => texts.substringBetween(textOf(text), integerOf(start), integerOf(end)),
      },
    ],
  },
]

const building: readonly FunctionDeclaration[] = [
  mapping("lowerAscii", "string_lower_ascii", texts.lowerAscii),
  mapping("upperAscii", "string_upper_ascii", texts.upperAscii),
  mapping("trim", "string_trim", texts.trim),
  {
    name: "replace",
    ...costOf("replace"),
    overloads: [
      {
        id: "string_replace_string_string",
        member: true,
        args: [stringType, stringType, stringType],
        result: stringType,
        impl: (text, old, replacement) => texts.replace(textOf(text), textOf(old), textOf(replacement), -1),
      },
      {
        id: "string_replace_string_string_int",
        member: true,
        args: [stringType, stringType, stringType, intType],
        result: stringType,
        impl: (text, old, replacement, limit) => texts.replace(textOf(text), textOf(old), textOf(replacement), integerOf(limit)),
      },
    ],
  },
  {
    name: "split",
    ...costOf("split"),
    overloads: [
      {
        id: "string_split_string",
        member: true,
        args: [stringType, stringType],
        result: textsType,
        impl: (text, separator) => listOf(texts.split(textOf(text), textOf(separator), -1)),
      },
      {
        id: "string_split_string_int",
        member: true,
        args: [stringType, stringType, intType],
        result: textsType,
        impl: (text, separator, limit) => listOf(texts.split(textOf(text), textOf(separator), integerOf(limit))),
      },
    ],
  },
  {
    name: "join",
    ...costOf("join"),
    overloads: [
      {
        id: "list_join",
        member: true,
        args: [textsType],
        result: stringType,
        impl: (list) => join(listOfArgument(list), ""),
      },
      {
        id: "list_join_string",
        member: true,
        args: [textsType, stringType],
        result: stringType,
        impl: (list, separator) => join(listOfArgument(list), textOf(separator)),
      },
    ],
  },
]

const writing: readonly FunctionDeclaration[] = [
  {
    name: "format",
    overloads: [
      {
        id: "string_format",
        member: true,
        args: [stringType, listType(dynType)],
        result: stringType,
        impl: (text, args) => formatText(textOf(text), listOfArgument(args)),
      },
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      {
        id: "strings_quote",
        args: [stringType],
        result: stringType,
        impl: (text) => texts.quote(textOf(text)),
      },
    ],
  },
]

export const stringsLibrary: Library = {
  name: "cel.lib.ext.strings",
  functions: [...searching, ...building, ...writing],
}
