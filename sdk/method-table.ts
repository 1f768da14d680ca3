/** Completes the generated table of methods, which has the common path of the methods of a group only once. */

/**
 * By credentials and group: the shared path, and the methods by verb, each in words that begin with the rest of its
 * path; a dot: the verb.
 */
type ShortTable = Readonly<
  Record<string, Readonly<Record<string, readonly [path: string, methods: Readonly<Record<string, string>>]>>>
>

/** The whole path of each method, by credentials, group and verb. */
type Table<Short extends ShortTable> = {
  readonly [Kind in keyof Short]: {
    readonly [Group in keyof Short[Kind]]: { readonly [Verb in keyof Short[Kind][Group][1]]: string }
  }
}

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

/** Returns the table with whole paths. */
export const withPaths = <const Short extends ShortTable>(table: Short): Table<Short> =>
  mapValues(table, (groups) =>
    mapValues(groups, ([path, methods]) => mapValues(methods, (words, verb) => path + words.replace(/^\./, verb))),
  ) as Table<Short>
