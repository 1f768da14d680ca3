/** The reference page of calls that delete or revoke something: what each of their fields means when it is absent, null, [] or "". */
import type { Operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { findingSteps } from '#contract/validation/findings.ts'
import { propertyOf, type SchemaNode } from '#contract/validation/schema.ts'
import { atOnce } from '#contract/validation/steps.ts'
import { code, page, table } from './markdown.ts'

/** Calls whose names say that they delete, remove, revoke, disable or end something. */
const TAKES_AWAY = /\.(?:delete|remove|revoke|reset|rotate|disable|migrate)$/

type Path = readonly (string | number)[]
type Meaning =
  | 'refused'
  | `refused ${string}`
  | 'as absent'
  | 'none'
  | 'a value'
  | 'clears it'
  | 'accepted'
  | 'does more'

/** When a field is needed, where its schema does not say so. */
const NEEDED: Readonly<Record<string, string>> = {
  'user-group-users.delete userIds': 'without deleteAll',
  'permissions.remove userId': 'without group',
  'permissions.remove permissions.resources[].organizationId': 'for folders and documents',
}

export interface FieldMeanings {
  operation: Operation
  path: Path
  description: string
  meanings: Readonly<Record<'absent' | 'null' | '[]' | '""', Meaning>>
}

export const EMPTY_VALUES = { absent: undefined, null: null, '[]': [], '""': '' } as const

/** Returns the field of each path of `data`, those of the first item of a list included. */
function fieldsIn(schema: SchemaNode, path: Path = []): { path: Path; description: string; isNarrowing: boolean }[] {
  const bare = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  return [
    ...Object.keys(bare.properties ?? {}).flatMap((name) => {
      const property = propertyOf(bare, name) as SchemaNode & { description?: string }
      const here = {
        path: [...path, name],
        description: property.description ?? '',
        isNarrowing: bare.narrowing?.includes(name) ?? false,
      }
      return [here, ...fieldsIn(property, here.path)]
    }),
    ...(bare.items === undefined ? [] : fieldsIn(bare.items, [...path, 0])),
  ]
}

/** Returns the example of an operation with another value at a path; undefined if the example has no place for it. */
export function exampleWithValue({ example }: Operation, path: Path, value: unknown): object | undefined {
  const data = structuredClone(example) as object
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], data)
  if (typeof holder !== 'object' || holder === null) return undefined
  const last = path.at(-1) as string
  if (value === undefined) Reflect.deleteProperty(holder, last)
  else Object.assign(holder, { [last]: structuredClone(value) })
  return data
}

function meaningOf(operation: Operation, path: Path, value: unknown, isNarrowing: boolean): Meaning | undefined {
  const data = exampleWithValue(operation, path, value)
  if (data === undefined) return undefined
  const { faults } = atOnce(findingSteps(operation.data, 'refused')(data, true))
  if (faults.length > 0) return 'refused'
  const when = NEEDED[`${operation.name} ${written(path)}`]
  if (when !== undefined && (value === undefined || value === null)) return `refused ${when}`
  if (value === undefined) return isNarrowing ? 'does more' : 'accepted'
  const kept = path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], data)
  if (kept === undefined) return 'as absent'
  if (value === null) return 'clears it'
  return Array.isArray(value) ? 'none' : 'a value'
}

/** Returns each field of each call that deletes or revokes something, with the meaning of its empty values. */
export const absentValues = (): FieldMeanings[] =>
  OPERATIONS.filter(({ name }) => TAKES_AWAY.test(name)).flatMap((operation) =>
    fieldsIn(operation.data as SchemaNode).flatMap(({ path, description, isNarrowing }) => {
      const entries = Object.entries(EMPTY_VALUES).map(([name, value]) => [
        name,
        meaningOf(operation, path, value, isNarrowing),
      ])
      const meanings = Object.fromEntries(entries) as FieldMeanings['meanings']
      return meanings.null === undefined ? [] : [{ operation, path, description, meanings }]
    }),
  )

/** Returns a path as callers write it: `users[].userId`. */
const written = (path: Path): string => path.join('.').replaceAll('.0', '[]')

export function absentValuesPage(): string {
  const rows = absentValues().map(({ operation, path, description, meanings }) => [
    code(operation.path.replace('/v2/', '')),
    code(written(path)),
    ...Object.values(meanings),
    description,
  ])
  return page(
    'Absent and empty fields of calls that delete or revoke',
    'This page lists each field of each call that deletes, removes, revokes, resets, disables or migrates something, and what the field means when it is absent, null, an empty list or an empty text. If a call **does more** without a field (deletes, revokes or replaces more), null is refused, because a program that sends it may have meant either ([rules](../rules/contract.md#absent-fields)).',
    table(['call', 'field', 'absent', 'null', '[]', '""', 'the field'], rows),
  )
}
