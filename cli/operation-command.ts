/** A command that calls one operation: arguments and options become `data`, the answer is shown. All that differs is data. */
import { Argument, type Command, Option } from 'commander'
import type { Operation } from '#contract/operation.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { type Show, showAnswer, showRows } from './answers.ts'
import { call, pageFieldOf, pagesOf } from './calls.ts'
import { addCommand, type Run } from './command.ts'
import { type Connection, DEFAULT_PROFILE, environmentOf } from './connection.ts'
import { wrongUsage } from './failures.ts'
import { type Profile, profilesFile, readProfiles, saveProfile } from './profiles.ts'
import { makeSure, note, readSecret } from './terminal.ts'
import { put, type Reader, readerOf, type Schema, schemaAt } from './values.ts'

/** An argument (`<organization>`, `<user...>`) or an option (`--name <name>`), and where in `data` it goes. */
export interface Parameter {
  flags: string
  /** `organizations[0].organizationName`; `[]` is each of the items that are there. */
  at: string
  /** Instead of what the contract says of the field. */
  says?: string
  /** Instead of reading by the schema of the field. */
  read?: Reader
}

export interface OperationCommand {
  /** Noun and verb. */
  name: string
  operation: Operation
  /** Instead of the summary of the operation. */
  summary?: string
  parameters?: readonly Parameter[]
  /** What `data` has whatever is said. */
  fixed?: Readonly<Record<string, unknown>>
  /** What to ask before it is done. */
  sure?: (data: never) => string
  show: Show
  /** Whether the answer is a no. */
  isNo?: (answer: never) => boolean
  /** What `--save` keeps in a profile. */
  save?: (answer: never, data: never) => Partial<Profile>
  /** A field that is a secret: it is asked for, or piped in, and never an argument. */
  secret?: { at: string; name: string }
  /** How many rows are shown unless `--limit` says so; absent: all. */
  limit?: number
  examples: readonly string[]
}

export function addOperationCommand(program: Command, spec: OperationCommand): void {
  const { operation, parameters = [] } = spec
  const { scope, credentials } = operation
  const needs =
    credentials === 'apiKey'
      ? `an API key and an auth token with the scope ${scope}`
      : credentials === 'workspace'
        ? 'a workspace and its token'
        : 'no credentials'
  const command = addCommand(program, spec.name, {
    summary: `${spec.summary ?? operation.summary}.`,
    description: `Calls ${operation.name}, with ${needs}.`,
    examples: spec.examples,
    run: (run) => runOperation(spec, run),
  })
  for (const parameter of parameters) declare(command, operation, parameter)
  if (spec.show.as === 'table' && pageFieldOf(operation) !== undefined)
    command.addOption(
      new Option('--limit <number>', 'How many at most; all for no limit.').default(String(spec.limit ?? 'all')),
    )
  if (spec.save !== undefined)
    command.option(
      '--save [profile]',
      `Keep it in a profile; without a name in ${DEFAULT_PROFILE}, or the current one.`,
    )
  if (spec.sure !== undefined) command.option('-y, --yes', 'Do not ask.')
}

const isArgument = ({ flags }: Parameter): boolean => !flags.startsWith('-')
const isList = ({ flags }: Parameter): boolean => flags.includes('...')

function declare(command: Command, operation: Operation, parameter: Parameter): void {
  const { flags, says, read } = parameter
  const schema = fieldOf(operation, parameter)
  const description = says ?? firstSentence(schema)
  const choices = read === undefined && flags.includes('<') ? choicesOf(schema) : undefined
  if (isArgument(parameter)) {
    const argument = new Argument(flags, description)
    command.addArgument(choices === undefined ? argument : argument.choices(choices))
  } else {
    const option = new Option(flags, description).makeOptionMandatory(isRequired(operation, parameter))
    command.addOption(choices === undefined ? option : option.choices(choices))
  }
}

const choicesOf = ({ enum: values, type }: Schema): string[] | undefined =>
  type === 'boolean' ? ['true', 'false'] : values?.map(String)

/** The schema of the field, or of its items where the parameter is a list of them. */
function fieldOf({ data }: Operation, parameter: Parameter): Schema {
  const schema = schemaAt(data, parameter.at.replaceAll('[]', '[0]'))
  return isList(parameter) && schema.items !== undefined ? schema.items : schema
}

/** Whether a call without it would be refused: of the fields of `data` itself. */
const isRequired = ({ data }: Operation, { at }: Parameter): boolean => ((data as Schema).required ?? []).includes(at)

const firstSentence = ({ description = '' }: Schema): string =>
  /^.*?[.;](?=\s|$)/s.exec(description)?.[0].replace(/;$/, '.') ?? description

async function runOperation(spec: OperationCommand, { words, options, connection }: Run) {
  const { operation, show } = spec
  const data = dataOf(spec, words, options)
  if (spec.secret !== undefined) put(data, spec.secret.at, await readSecret(spec.secret.name))
  if (spec.sure !== undefined)
    await makeSure(`${spec.sure(data as never)}${whose(spec, connection)}`, options.yes === true)
  const json = options.json === true
  try {
    if (show.as === 'table' && pageFieldOf(operation) !== undefined) {
      const limit = limitOf(options.limit)
      const pageSize = limit < 1_000 && hasPageSize(operation) ? { pageSize: limit } : {}
      return await showRows(show, pagesOf(connection(), operation, { ...data, ...pageSize }), { limit, json })
    }
    const answer = await call(connection(), operation, data)
    if (show.as === 'table') return await showRows(show, onePage(answer), { limit: Infinity, json })
    if (options.save !== undefined && spec.save !== undefined)
      keep(options.save, connection(), spec.save(answer as never, data as never))
    const exit = showAnswer(show, answer, operation.success, json)
    return spec.isNo?.(answer as never) ? 'no' : exit
  } catch (error) {
    if (json || !(error instanceof CommonholdError) || error.faults.length === 0) throw error
    throw inOwnWords(spec, error)
  }
}

/** What is taken from production is said to be of production. */
function whose({ operation }: OperationCommand, connection: () => Connection): string {
  const { apiKey = '', url } = operation.credentials === 'apiKey' ? connection() : {}
  return environmentOf(apiKey) === 'production' ? ` This is the production key ${apiKey} at ${url}.` : ''
}

/** `true` is `--save` without a name. */
function keep(name: unknown, { url, headerPrefix }: Connection, fields: Partial<Profile>): void {
  const profile = typeof name === 'string' ? name : (readProfiles().current ?? DEFAULT_PROFILE)
  saveProfile(profile, { url, ...(headerPrefix === undefined ? {} : { headerPrefix }), ...fields })
  note(`Kept in the profile ${profile} of ${profilesFile()}.`)
}

async function* onePage(data: unknown) {
  yield { data }
}

const hasPageSize = ({ data }: Operation): boolean => 'pageSize' in ((data as Schema).properties ?? {})

function limitOf(given: unknown): number {
  if (given === 'all') return Number.POSITIVE_INFINITY
  if (typeof given !== 'string' || !/^[1-9]\d{0,8}$/.test(given))
    throw wrongUsage(`--limit must be a whole number from 1 on, or all; it is ${JSON.stringify(given)}.`)
  return Number(given)
}

/** `data` of the call, from what was said. */
export function dataOf(
  { operation, parameters = [], fixed = {} }: Pick<OperationCommand, 'operation' | 'parameters' | 'fixed'>,
  words: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const [at, value] of Object.entries(fixed)) put(data, at, value)
  const args = parameters.filter(isArgument)
  for (const parameter of [...args, ...parameters.filter((one) => !isArgument(one))]) {
    const name = nameOf(parameter)
    const given = isArgument(parameter) ? words[args.indexOf(parameter)] : options[attributeOf(parameter)]
    if (given === undefined || (Array.isArray(given) && given.length === 0)) continue
    const read = parameter.read ?? readerOf(fieldOf(operation, parameter))
    const value = Array.isArray(given)
      ? given.map((word) => read(word, name))
      : given === true
        ? true
        : read(String(given), name)
    put(data, parameter.at, value)
  }
  return data
}

const attributeOf = ({ flags }: Parameter): string => new Option(flags).attributeName()
/** What it is called in sentences: `--name`, or `<organization>`. */
const nameOf = (parameter: Parameter): string =>
  isArgument(parameter) ? parameter.flags : (new Option(parameter.flags).long ?? parameter.flags)

/** The error with its fields under the names that they have on the command line. */
function inOwnWords({ parameters = [] }: OperationCommand, error: CommonholdError): CommonholdError {
  const renamed = error.faults.map(({ field, message }) => {
    const parameter = parameters.find(({ at }) => anyItem(at) === anyItem(field))
    return { field, message: parameter === undefined ? message : message.replaceAll(field, nameOf(parameter)) }
  })
  const { operation, status, reason, requestId, retryAfterMs } = error
  const message = renamed[0]?.message ?? error.message
  return new CommonholdError({ operation, status, reason, requestId, retryAfterMs, message, details: renamed })
}

const anyItem = (at: string): string => at.replaceAll(/\[\d*\]/g, '[]')
