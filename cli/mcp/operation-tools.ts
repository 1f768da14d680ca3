/** Tools for all other reads: they call any operation that a token with the scope `read` may call, by its name. */
import Type from 'typebox'
import { listCommentData } from '#contract/comments/comment-data.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { type Operation, writes } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { verifyToken } from '#contract/users/user-tokens.ts'
import type { SchemaNode } from '#contract/validation/schema.ts'
import { published } from './input-schemas.ts'
import { READS, type Tool, tool, withPageSize } from './tool.ts'

const PAGE_SIZE = 50

/** A token must not appear in a conversation, and an export contains no more than the calls on threads and inboxes. */
const LEFT_OUT: readonly Operation[] = [verifyToken, listCommentData]

/**
 * The operations that can be called by name. The settings of mail and webhooks, which need the scope `admin`, are not among
 * them: an operator can have their secrets shown (`REVEAL_SECRETS`).
 */
const READABLE: readonly Operation[] = OPERATIONS.filter(
  (operation) =>
    operation.scope === 'read' && !writes(operation) && operation.secret !== true && !LEFT_OUT.includes(operation),
)

const OperationName = Type.Enum(READABLE.map(({ name }) => name))

const named = (name: string): Operation => {
  const found = READABLE.find((operation) => operation.name === name)
  if (found === undefined) throw new TypeError(`there is no operation ${name}`) // the schema refuses it
  return found
}

/** Returns whether an operation has pages of a size that can be chosen. */
const hasPageSize = ({ data }: Operation): boolean => 'pageSize' in ((data as SchemaNode).properties ?? {})

const describeOperation = tool({
  name: 'describe_operation',
  title: 'Describe an operation',
  description:
    'Returns what an operation does, the JSON Schema of its data, and an example. Without `operation`: a line for each.',
  input: ClosedObject({ operation: Type.Optional(OperationName) }),
  annotations: READS,
  async run({ operation }) {
    if (operation === undefined)
      return { own: { operations: Object.fromEntries(READABLE.map(({ name, summary }) => [name, summary])) } }
    const found = named(operation)
    const { name, description, example } = found
    const data = hasPageSize(found) ? withPageSize(found.data as never, PAGE_SIZE) : found.data
    return { own: { operation: name, description, data: published(data as SchemaNode), example } }
  },
})

const readOperation = tool({
  name: 'read_operation',
  title: 'Call an operation that reads',
  description:
    'Calls an operation that only reads, for data that no other tool returns: members, grants, counts, threads, jobs, settings. describe_operation has the schema of `data`.',
  input: ClosedObject({
    operation: OperationName,
    data: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  annotations: READS,
  run({ operation, data = {} }, { call }) {
    const found = named(operation)
    return call(found, hasPageSize(found) ? { pageSize: PAGE_SIZE, ...data } : data)
  },
})

export const OPERATION_TOOLS: readonly Tool[] = [describeOperation, readOperation]
