/** The schemas of calls with API keys that have no role `commenter`, to which the role is an unknown word (rules/access.md#commenters). */
import type { TSchema } from 'typebox'
import { type SchemaNode, someSchema } from './schema.ts'

/** Returns the schema without the values that need the role; the schema itself if it has none. */
export const withoutCommenter = <Schema extends TSchema>(schema: Schema): Schema =>
  someSchema(schema as SchemaNode, ({ commenterOnly }) => commenterOnly)
    ? (reduced(schema as SchemaNode) as Schema)
    : schema

function reduced(node: SchemaNode): SchemaNode {
  const { properties, items, commenterOnly } = node
  return {
    ...node,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, reduced(inner)])) }),
    ...(items === undefined ? {} : { items: reduced(items) }),
    ...(commenterOnly === undefined ? {} : { enum: node.enum?.filter((value) => value !== commenterOnly) }),
  }
}
