/** A tool of the MCP server, and the context in which it runs. */
import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Static, TObject, TSchema } from 'typebox'
import type { Operation } from '#contract/core/operation.ts'
import type { Calls, Previews } from './previews.ts'
import type { Answer } from './results.ts'

/** The permissions with which the server was started. */
export interface Allowed {
  changes: boolean
  production: boolean
}

export interface ToolContext extends Calls {
  allowed: Allowed
  /** The changes that were previewed and may be made. */
  previews: Previews
}

export interface Tool {
  name: string
  title: string
  /** A description for a language model, which uses it to decide when to call the tool. */
  description: string
  input: TSchema
  annotations: ToolAnnotations
  run(input: never, context: ToolContext): Promise<Answer>
}

/** Annotations of tools that only read, and read only data of the server. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Infers the type of the input from its schema; returns the tool unchanged. */
export const tool = <Input extends TSchema>(
  definition: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(input: Static<Input>, context: ToolContext): Promise<Answer>
  },
): Tool => definition

/** Returns the schema of an operation's data with a page size for conversations as the default. */
export const withPageSize = <Properties extends { pageSize: TSchema }>(
  data: TObject<Properties>,
  pageSize: number,
): TObject<Properties> => ({
  ...data,
  properties: { ...data.properties, pageSize: { ...data.properties.pageSize, default: pageSize } },
})

/** A tool that calls one operation with its input, and returns the result, or one page of it. */
export const operationTool = (
  operation: Operation,
  { pageSize, ...texts }: Pick<Tool, 'name' | 'title' | 'description'> & { pageSize?: number },
): Tool => ({
  ...texts,
  input: pageSize === undefined ? operation.data : withPageSize(operation.data as never, pageSize),
  annotations: READS,
  run: (input: object, { call }: ToolContext) =>
    call(operation, pageSize === undefined ? input : { pageSize, ...input }),
})
