/** The table of commands: their data match the contract, and their examples are valid commands. */
import assert from 'node:assert/strict'
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
