/** Starts `commonhold mcp` as an assistant's program does, and talks to it with the client of the official SDK. */
import assert from 'node:assert/strict'
import os from 'node:os'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { cleanUp } from '#testing/clean-up.ts'
import { COMPILED, type Environment, MAIN } from '#testing/processes/cli.ts'

interface Result {
  isError: boolean
  /** The text that a model reads. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of any shape
  content: any
}

/** `pin` makes the client speak that revision of the protocol; without it, it opens with the older handshake. */
export async function startAssistant(environment: Environment, args: readonly string[] = [], pin?: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '', HOME: os.tmpdir(), NODE_COMPILE_CACHE: COMPILED, ...environment },
    stderr: 'pipe',
  })
  const log = { text: '' }
  transport.stderr?.on('data', (chunk: Buffer) => {
    log.text += chunk
  })
  const client = new Client(
    { name: 'test', version: '1' },
    pin === undefined ? {} : { versionNegotiation: { mode: { pin } } },
  )
  await client.connect(transport)
  cleanUp(() => client.close())

  async function call(name: string, data: object = {}): Promise<Result> {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: { ...data } })
    const [first] = content
    assert.equal(content.length, 1)
    assert.equal(first?.type, 'text')
    const text = first?.type === 'text' ? first.text : ''
    // Hosts read one of the two.
    if (!isError || text.startsWith('{')) assert.deepEqual(JSON.parse(text), structuredContent)
    return { isError, text, content: structuredContent }
  }

  return {
    client,
    log,
    call,
    /** Calls a tool that must succeed, and returns the data of tenants in its result. */
    async data(name: string, data: object = {}) {
      const { isError, text, content } = await call(name, data)
      assert.ok(!isError, text)
      return content.tenantData
    },
    /** Calls a tool that must fail, and returns the sentences. */
    async refusal(name: string, data: object = {}): Promise<string> {
      const { isError, text } = await call(name, data)
      assert.ok(isError, text)
      return text
    },
  }
}
