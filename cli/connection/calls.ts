/** Calls operations by name, once or page by page. */
import type { Credentials, Operation } from '#contract/core/operation.ts'
import { METHODS } from '#sdk/generated/methods.ts'
import type { CallOptions, KeyedCallOptions, Page } from '#sdk/options.ts'
import { pageFieldOf as pageFieldOfMethod } from '#sdk/pages.ts'
import type { Connection } from './connection.ts'

interface Method {
  (data: object, options?: KeyedCallOptions): Promise<unknown>
  pages?(data: object, options?: CallOptions): AsyncGenerator<Page<unknown>, void, undefined>
}

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function methodOf(connection: Connection, { name, credentials }: Operation): Method {
  const [group = '', verb = ''] = camelCase(name).split('.')
  const client = connection.for(credentials) as Record<string, Record<string, Method>>
  const method = client[group]?.[verb]
  if (method === undefined) throw new TypeError(`the client has no ${name}`)
  return method
}

export const call = (
  connection: Connection,
  operation: Operation,
  data: object,
  options?: KeyedCallOptions,
): Promise<unknown> => methodOf(connection, operation)(data, options)

export async function* pagesOf(
  connection: Connection,
  operation: Operation,
  data: object,
  options?: CallOptions,
): AsyncGenerator<Page<unknown>, void, undefined> {
  const { pages } = methodOf(connection, operation)
  if (pages === undefined) throw new TypeError(`${operation.name} has no pages`)
  yield* pages(data, options)
}

/** Returns the whole result of an operation without pages, or one page. */
export async function pageOf(
  connection: Connection,
  operation: Operation,
  data: object,
  options?: KeyedCallOptions,
): Promise<Page<unknown>> {
  if (pageFieldOf(operation) !== undefined)
    for await (const page of pagesOf(connection, operation, data, options)) return page
  return { data: await call(connection, operation, data, options) }
}

const TABLES: Readonly<Record<Credentials, Readonly<Record<string, Readonly<Record<string, string>>>>>> = METHODS

/** Returns the name of the field that takes the position of the next page; undefined if the operation has no pages. */
export function pageFieldOf({ name, credentials }: Operation): string | undefined {
  const [group = '', verb = ''] = camelCase(name).split('.')
  return pageFieldOfMethod(TABLES[credentials][group]?.[verb] ?? '')
}
