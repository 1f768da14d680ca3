/** The table of commands: their data match the contract, and their examples are valid commands. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { Option } from 'commander'
import Value from 'typebox/value'
import { describe, it } from 'vitest'
import { dataOf, type Parameter } from '../../cli/command-parameters.ts'
import { ssoRule } from '../../cli/commands/account/sso.ts'
import { mention } from '../../cli/commands/comments/parameters.ts'
import { invitedTo } from '../../cli/commands/structure/invitations.ts'
import { EXIT_CODES } from '../../cli/exit-codes.ts'
import { HELP_END } from '../../cli/help-end.ts'
import type { OperationCommand } from '../../cli/operation-command.ts'
import { buildProgram, OPERATION_COMMANDS } from '../../cli/program.ts'
import { run } from '../../cli/run.ts'
import { endSeconds, sinceMilliseconds, spanSeconds } from '../../cli/times.ts'
import { json, put, resourceNamed, schemaAt } from '../../cli/values.ts'
import { questionsIn } from '../readme/page-questions.ts'

const SAMPLES = new Map<unknown, string>([
  [endSeconds, '2030-01-31T12:00:00Z'],
  [sinceMilliseconds, '7d'],
  [spanSeconds, '2h'],
  [resourceNamed, 'document:roadmap'],
  [invitedTo, 'document:roadmap'],
  [mention, 'bob'],
  [ssoRule, 'group:platform=admin'],
  [json, '{"key": "plan", "operator": "==", "value": "pro"}'],
])

/** Returns a valid word for a parameter. */
function sample({ operation }: OperationCommand, { at, flags, read }: Parameter): string {
  const known = SAMPLES.get(read)
  if (known !== undefined) return known
  const schema = schemaAt(operation.data, at.replaceAll('[]', '[0]'))
  const { type, enum: values } = flags.includes('...') ? (schema.items ?? schema) : schema
  if (at === 'types') return String(values?.[0] ?? 'permission.added')
  if (values !== undefined) return String(values[0])
  if (type === 'boolean') return 'true'
  if (type === 'integer') return '7'
  if (at.endsWith('mail')) return 'ada@example.com'
  return /(url|issuer)$/i.test(at) ? 'https://example.com/hook' : 'acme'
}

const isArgument = ({ flags }: Parameter) => !flags.startsWith('-')
const listed = (parameter: Parameter, word: string) => (parameter.flags.includes('...') ? [word] : word)

function everythingSaid(spec: OperationCommand): Record<string, unknown> {
  const { parameters = [], secret } = spec
  const words = parameters.filter(isArgument).map((parameter) => listed(parameter, sample(spec, parameter)))
  const options = parameters
    .filter((parameter) => !isArgument(parameter))
    .map((parameter) => {
      const word = parameter.flags.includes('<') ? listed(parameter, sample(spec, parameter)) : true
      return [new Option(parameter.flags).attributeName(), word]
    })
  const data = dataOf(spec, words, Object.fromEntries(options))
  if (secret !== undefined) put(data, secret.at, 'secret')
  return data
}

describe('the end of the help', () => {
  it('fits into 80 columns', () =>
    assert.deepEqual(
      HELP_END.split('\n').filter((line) => line.length > 80),
      [],
    ))

  it('has commands that can be pasted together, because none of them asks', () => {
    const commands = { ...{ line: 1, language: 'sh', isHidden: false, note: undefined, words: '' }, content: HELP_END }
    assert.deepEqual(questionsIn(commands), [])
  })
})

describe('the commands', () => {
  for (const spec of OPERATION_COMMANDS)
    it(`commonhold ${spec.name} builds valid data for ${spec.operation.name}`, () => {
      const data = everythingSaid(spec)
      assert.deepEqual(
        [...Value.Errors(spec.operation.data, data)].map(({ instancePath, message }) => `${instancePath} ${message}`),
        [],
      )
    })

  it('have valid commands as examples', async () => {
    for (const { path, command } of leaves(buildProgram())) {
      const [, examples = ''] = helpOf(command).split('\nExamples:\n')
      const lines = examples
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('commonhold '))
      assert.notEqual(examples, '', path)
      for (const line of lines) await assertParses(line.slice('commonhold '.length))
    }
  })

  it('have distinct exit codes', () => {
    const codes = Object.values(EXIT_CODES).map(({ code }) => code)
    assert.equal(new Set(codes).size, codes.length)
  })
})

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}

function leaves(parent: Command, above = ''): { path: string; command: Command }[] {
  return parent.commands.flatMap((command) => {
    const path = `${above} ${command.name()}`.trim()
    return command.commands.length > 0 ? leaves(command, path) : [{ path, command }]
  })
}

async function assertParses(line: string): Promise<void> {
  const program = buildProgram()
  let reached = false
  for (const { command } of leaves(program))
    command.action(() => {
      reached = true
    })
  const words = line.replace(/ [<|>&;].*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  await program.parseAsync(
    words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')),
    { from: 'user' },
  )
  assert.ok(reached, line)
}

/** A terminal at which nobody answers. */
const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
const NOBODY = { COMMONHOLD_URL: 'http://127.0.0.1:9', HOME: '/nowhere' }
const KEY = { COMMONHOLD_API_KEY: 'chk_test_x', COMMONHOLD_AUTH_TOKEN: 'cht_x' }

/** Runs a command at a terminal, whose end shows that it has asked nothing. Returns its exit code and what it says. */
async function unanswered(words: readonly string[], env: Record<string, string>): Promise<string> {
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()]
  let said = ''
  stderr.on('data', (text) => {
    said += text
  })
  const own = { stdin, stdout, stderr, env: { ...NOBODY, ...env } }
  const code = await run(['node', 'commonhold', ...words], own)
  return `${code} ${said.replaceAll(/\s+/g, ' ')}`
}

describe('a command that would ask at a terminal', () => {
  const asking: { words: string[]; says: RegExp }[] = [
    ...OPERATION_COMMANDS.flatMap(({ confirm, secret, parameters = [], name, examples }) => {
      const asked = parameters.flatMap(({ ask, flags }) => (ask === undefined ? [] : [flags.split(' ')[0] ?? '']))
      if (!confirm && !secret && asked.length === 0) return []
      const [example = `commonhold ${name}`] = examples.flatMap(
        (line) => new RegExp(`commonhold ${name}(?: .*)?$`).exec(line) ?? [],
      )
      const words = (example.replace(/ [<|&].*/, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
        .slice(1)
        .map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
        .filter((word) => !/^(--yes|-y|--json)$/.test(word))
      const [first = ''] = asked
      if (words.includes(first)) words.splice(words.indexOf(first), 2)
      return [{ words, says: secret ? /standard input/ : confirm ? /add --yes/ : /^[34] / }]
    }),
    { words: ['user', 'revoke', 'ada'], says: /^[34] / },
    {
      words: ['profile', 'add', 'staging', '--api-key', 'chk_test_x'],
      says: /Auth token .*: missing\..* standard input/s,
    },
  ]

  it('asks nothing with --json or while CI is set: it uses its defaults, or names what is missing', async () => {
    assert.ok(asking.length > 20)
    for (const [index, { words, says }] of asking.entries()) {
      // Half of the commands are run in each of the two ways.
      const [more, env] = index % 2 === 0 && words[0] !== 'profile' ? [['--json'], {}] : [[], { CI: 'true' }]
      // Without credentials no call is tried, and repeated, after what would be asked.
      const credentials = says.source.startsWith('^') ? {} : KEY
      assert.match(
        await unanswered([...words, ...more], { ...credentials, ...env }),
        says,
        [...words, ...more].join(' '),
      )
    }
  })
})
