/** Collects the output of programs with the auth token about a user: explanations, the command line, and the server of an assistant. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { explainPermissions } from '#contract/access/explanations.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { cliInProcess, collector } from '#testing/processes/in-process-cli.ts'
import { run } from '../../cli/run.ts'
import { byText, DOCUMENT_IDS, type Known, withoutGenerated } from './readings.ts'

/** Returns the output of each program about the user, as lines of text. A leak would show the texts of secret threads in them. */
export async function saidByPrograms(url: string, key: Client, known: Known): Promise<string[]> {
  return [...(await explained(key, known)), ...(await printed(url, key, known)), ...(await assisted(url, key, known))]
}

/** An explanation is for the key, which may learn that a thread exists; the answer whether the user sees it is the same. */
async function explained(key: Client, { organizationId, userId, threadIds }: Known): Promise<string[]> {
  const lines: string[] = []
  for (const id of DOCUMENT_IDS)
    for (const annotationId of threadIds) {
      const resource = { type: 'document' as const, id, organizationId }
      const { body } = await key.post(explainPermissions.path, { userId, resource, annotationId })
      const { thread, ...explanation } = body.result?.data ?? {}
      lines.push(`explain ${id} ${annotationId} → ${withoutGenerated(explanation)} ${thread?.visible}`)
    }
  return lines
}

async function printed(url: string, key: Client, { organizationId, userId }: Known): Promise<string[]> {
  const of = [`--org=${organizationId}`, '--json']
  const commands = [
    ['inbox', userId, ...of],
    ...DOCUMENT_IDS.map((id) => ['inbox', userId, '--doc', id, ...of]),
    ['search', 'word', '--kind', 'thread', '--user', userId, ...of],
    ['access', 'resources', userId, ...of],
  ]
  const environment = environmentOf(url, key)
  const lines: string[] = []
  for (const words of commands) {
    const { code, stdout, stderr } = await cliInProcess(words, environment)
    lines.push(`${words.join(' ')} → ${code} ${plainest(stdout)} ${plainest(stderr)}`)
  }
  return lines
}

async function assisted(url: string, key: Client, { organizationId, userId }: Known): Promise<string[]> {
  const { ask, end } = assistantOf(url, key)
  const calls: [string, object][] = [
    ['what_can_user_access', { organizationId, userId }],
    ...DOCUMENT_IDS.map((id): [string, object] => [
      'explain_access',
      { userId, resource: { type: 'document', id, organizationId } },
    ]),
    ['read_operation', { operation: 'notifications.get', data: { organizationId, userId } }],
    [
      'read_operation',
      { operation: 'search.find', data: { query: 'word', kinds: ['thread'], organizationId, userId } },
    ],
  ]
  const lines: string[] = []
  for (const [name, given] of calls) lines.push(`${name} ${JSON.stringify(given)} → ${await ask(name, given)}`)
  await end()
  return lines
}

/** Starts `commonhold mcp` in this process. Returns a function that calls a tool, and one that ends the process. */
function assistantOf(url: string, key: Client) {
  const stdout = collector()
  const stdin = new PassThrough()
  const ended = run(['node', 'commonhold', 'mcp'], {
    ...{ stdin, stdout: stdout.stream, stderr: new PassThrough().resume() },
    env: { HOME: '/nonexistent', ...environmentOf(url, key) },
  })
  let id = 0
  const answerTo = (asked: number) =>
    stdout
      .text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .find((message) => message.id === asked)
  const request = async (method: string, params: object) => {
    const asked = ++id
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked, method, params })}\n`)
    await until(`an answer to ${method}`, () => answerTo(asked) !== undefined)
    return answerTo(asked)
  }
  const clientInfo = { name: 'test', version: '1' }
  const started = request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  return {
    async ask(name: string, given: object): Promise<string> {
      await started
      const { result } = await request('tools/call', { name, arguments: given })
      assert.notEqual(result?.isError, true, JSON.stringify(result))
      return withoutGenerated(unordered(result.structuredContent))
    },
    async end() {
      stdin.end()
      await ended
    },
  }
}

/** The output of a command that has pages is a line of JSON for each item. */
const plainest = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith('{') ? withoutGenerated(unordered(JSON.parse(line))) : line))
    .sort()
    .join('\n')

const environmentOf = (url: string, { headers }: Client) => ({
  COMMONHOLD_URL: url,
  COMMONHOLD_API_KEY: headers['x-service-api-key'] ?? '',
  COMMONHOLD_AUTH_TOKEN: headers['x-service-auth-token'] ?? '',
})

/** Items that were written by one call are in the order of random ids, and so are their names in messages. */
const unordered = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, each) => {
      if (name === 'message' && typeof each === 'string') return each.match(/[\w-]+/g)?.toSorted()
      return Array.isArray(each) ? each.toSorted(byText) : each
    }),
  )
