/** Commands that call one operation: arguments and options become `data`, and the result is printed. Each is declared as a table entry. */

import { Argument, type Command, Option } from 'commander'
import type { Operation } from '#contract/core/operation.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand, type Run } from './command.ts'
import { call, pageFieldOf, pagesOf } from './connection/calls.ts'
import { type Connection, DEFAULT_PROFILE } from './connection/connection.ts'
import { environmentOf } from './connection/credentials.ts'
import { type Profile, profilesFile, readProfiles, saveProfile } from './connection/profiles.ts'
import { takeWarnings } from './connection/warnings.ts'
import { SEE_HELP, wrongUsage } from './failures.ts'
import { io } from './terminal/io.ts'
import {
  type Existing,
  type Output,
  printJsonLine,
  type Remark,
  showRemark,
  showResult,
  showRows,
} from './terminal/output.ts'
import { valueAt } from './terminal/table.ts'
import {
  choose,
  colouredNote,
  isInteractive,
  note,
  print,
  type Question,
  readSecret,
  requireConfirmation,
} from './terminal/terminal.ts'
import { fromNow, inUtc, momentRead } from './times.ts'
import { put, type Reader, readerOf, type Schema, schemaAt } from './values.ts'

/** An argument (`<organization>`, `<user...>`) or an option (`--name <name>`), and the field of `data` that it sets. */
export interface Parameter {
  flags: string
  /** The path of the field: `organizations[0].organizationName`; `[]` means every item of the list. */
  at: string
  /** Replaces the description of the field in the contract. */
  help?: string
  /** Replaces the reader for the schema of the field. */
  read?: Reader
  /** Returns the value where the argument is absent, from the connection. */
  inUse?: (connection: Connection) => string | undefined
  /** Whether people are asked for the option when it is absent: it has a default, but a decision is better. */
  ask?: Question
}

/** The output of a command about its effect, in place of the success message of the operation. */
export interface Outcome {
  lines: readonly string[]
  /** Facts beside the outcome. */
  more: readonly string[]
  /** The fields that `--json` adds. */
  json: object
}

export interface OperationCommand {
  /** Noun and verb. */
  name: string
  /** Another verb for the same command. */
  alias?: string
  operation: Operation
  /** Replaces the summary of the operation. */
  summary?: string
  parameters?: readonly Parameter[]
  /** Fields of `data` that are always set. */
  fixed?: Readonly<Record<string, unknown>>
  /** Returns fields of `data` that follow from the given ones. */
  implied?: (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Fields of `data` that are set without `--json`. */
  forPeople?: Readonly<Record<string, unknown>>
  /** Returns the question to confirm before the call. */
  confirm?: (data: never) => string
  /** How the result is printed; it can depend on the data of the call. */
  show: Output | ((data: object) => Output)
  /** Returns lines from another call, to be printed after the rows of a list. */
  remark?: (connection: Connection, data: never) => Promise<Remark | undefined>
  /** Returns a caution for people, which is printed after a successful call; called before the call. */
  caution?: (connection: Connection, data: never) => Promise<string | undefined>
  /** Returns which items of the call exist; called before the call. */
  existing?: (connection: Connection, data: never) => Promise<Existing>
  /** The message about unchanged items; if absent, it says that they existed already. */
  unchangedSays?: string
  /** Returns what the call is about to replace, by the name of the resource; called before the call. */
  earlier?: (connection: Connection, data: never) => Promise<ReadonlyMap<string, string>>
  /** Returns the effect of the call; called after the call, with what `existing` and `earlier` returned. */
  outcome?: (
    connection: Connection,
    data: never,
    unchanged: ReadonlySet<string>,
    earlier: ReadonlyMap<string, string>,
  ) => Promise<Outcome>
  /** Whether the result is a negative answer, which has an exit code of its own. */
  isNegative?: (answer: never) => boolean
  /** Returns the fields that `--save` adds to a profile. */
  save?: (answer: never, connection: Connection) => Partial<Profile>
  /** A field that is a secret: it is read from a prompt or from standard input, never from an argument. */
  secret?: { at: string; name: string }
  /** The default of `--limit`; absent: all rows. */
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
  if (spec.alias !== undefined) command.alias(spec.alias)
  for (const parameter of parameters) declare(command, operation, parameter)
  if (outputOf(spec).as === 'table' && pageFieldOf(operation) !== undefined)
    command.addOption(
      new Option('--limit <number>', 'The maximum number of rows, or all.').default(String(spec.limit ?? 'all')),
    )
  if (spec.save !== undefined)
    command.option(
      '--save [profile]',
      `Save the credentials in a profile. Without a name: the profile of the command, or ${DEFAULT_PROFILE}.`,
    )
  if (spec.confirm !== undefined) command.option('-y, --yes', 'Do not ask for confirmation.')
}

const outputOf = ({ show }: OperationCommand, data: object = {}): Output =>
  typeof show === 'function' ? show(data) : show

const isArgument = ({ flags }: Parameter): boolean => !flags.startsWith('-')
const isList = ({ flags }: Parameter): boolean => flags.includes('...')

/** Adds the argument or option of a field to a command. */
export function declare(command: Command, operation: Operation, parameter: Parameter): void {
  const { flags, help, read } = parameter
  const schema = fieldOf(operation, parameter)
  const description = help ?? firstSentence(schema)
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

/** Returns the schema of the field, or of its items if the parameter is a list. */
function fieldOf({ data }: Operation, parameter: Parameter): Schema {
  const schema = schemaAt(data, parameter.at.replaceAll('[]', '[0]'))
  return isList(parameter) && schema.items !== undefined ? schema.items : schema
}

/** Whether `data` itself requires the field. */
const isRequired = ({ data }: Operation, { at }: Parameter): boolean => ((data as Schema).required ?? []).includes(at)

const firstSentence = ({ description = '' }: Schema): string =>
  /^.*?[.;](?=\s|$)/s.exec(description)?.[0].replace(/;$/, '.') ?? description

async function runOperation(spec: OperationCommand, { words, options, connection }: Run) {
  const { operation } = spec
  const json = options.json === true
  const given = dataOf(spec, words, options)
  fillIn(spec, given, connection)
  const data = { ...given, ...spec.implied?.(given), ...(json ? {} : spec.forPeople) }
  const show = outputOf(spec, data)
  await askFor(spec, data, !json || spec.outcome === undefined)
  if (spec.secret !== undefined) put(data, spec.secret.at, await readSecret(spec.secret.name))
  const moments = json ? [] : momentLines(spec, data)
  if (spec.confirm !== undefined)
    await requireConfirmation(
      `${spec.confirm(data as never)}${productionNotice(spec, connection)}`,
      options.yes === true,
    )
  try {
    if (show.as === 'table') for (const line of moments) note(line)
    if (show.as === 'table' && pageFieldOf(operation) !== undefined) {
      const limit = limitOf(options.limit)
      const pageSize = limit < pageSizeMaxOf(operation) ? { pageSize: limit } : {}
      const exit = await showRows(show, pagesOf(connection(), operation, { ...data, ...pageSize }), { limit, json })
      const remark = await spec.remark?.(connection(), data as never)
      if (remark !== undefined) showRemark(remark, json)
      if (json) showWarnings()
      return exit
    }
    const caution = json ? undefined : await spec.caution?.(connection(), data as never)
    const existing = (json ? undefined : await spec.existing?.(connection(), data as never)) ?? NOTHING_EXISTS
    const earlier = (json ? undefined : await spec.earlier?.(connection(), data as never)) ?? NOTHING
    const result = await call(connection(), operation, data)
    if (show.as === 'table') {
      const exit = await showRows(show, onePage(result), { limit: Infinity, json })
      if (json) showWarnings()
      return exit
    }
    let unsaved: unknown
    try {
      if (options.save !== undefined && spec.save !== undefined)
        saveToProfile(options, connection(), spec.save(result as never, connection()))
    } catch (error) {
      unsaved = error // the result may hold the only copy of a secret, so it is shown first
    }
    const outcome = await spec.outcome?.(connection(), data as never, existing.unchanged, earlier)
    const shown = json ? withWarningsIn(show, show.as === 'items' ? result : withFields(result, outcome?.json)) : result
    const exit = showResult(show, shown, outcome?.lines ?? [operation.success], {
      json,
      existing,
      ...(spec.unchangedSays !== undefined && { unchangedSays: spec.unchangedSays }),
    })
    const facts = outcome === undefined ? moments : [...(show.as === 'done' ? [] : outcome.lines), ...outcome.more]
    if (!json) for (const line of facts) print(`  ${line.trim()}`)
    if (caution !== undefined) note(`${colouredNote('yellow', '!')} ${caution}`)
    if (unsaved !== undefined) throw unsaved
    return spec.isNegative?.(result as never) ? 'no' : exit
  } catch (error) {
    if (json || !(error instanceof CommonholdError) || error.faults.length === 0) throw error
    throw withOptionNames(spec, error)
  }
}

/** Returns how each time was understood, because it may have been written as a span, a date or seconds: `Expires …Z, in 30 days.` */
export function momentLines(
  { parameters = [] }: Pick<OperationCommand, 'parameters'>,
  data: Readonly<Record<string, unknown>>,
): string[] {
  return parameters.flatMap((parameter) => {
    const value = valueAt(data, parameter.at.replaceAll('[]', '.0'))
    const moment = value === undefined ? undefined : momentRead(parameter.read, value)
    if (moment === undefined) return []
    const [initial = '', ...rest] = nameOf(parameter).replace(/^--/, '')
    return [`  ${initial.toUpperCase()}${rest.join('')} ${inUtc(moment)}, ${fromNow(moment)}.`]
  })
}

/** Sets the absent fields that the connection knows, such as the API key of the profile. */
function fillIn(
  { parameters = [] }: OperationCommand,
  data: Record<string, unknown>,
  connection: Run['connection'],
): void {
  for (const parameter of parameters) {
    const { at, inUse } = parameter
    if (inUse === undefined || data[at] !== undefined) continue
    const value = inUse(connection())
    if (value === undefined) throw wrongUsage(`${nameOf(parameter)} is missing, and the profile has none.`, SEE_HELP)
    data[at] = value
  }
}

/** Asks for the options that are absent; without a terminal, says what their defaults mean. */
async function askFor(
  { parameters = [] }: OperationCommand,
  data: Record<string, unknown>,
  isSaid: boolean,
): Promise<void> {
  for (const { at, ask } of parameters) {
    if (ask === undefined || valueAt(data, at.replaceAll('[]', '.0').replaceAll(/\[(\d+)\]/g, '.$1')) !== undefined)
      continue
    if (isInteractive()) put(data, at, await choose(ask))
    else if (isSaid) note(ask.otherwise)
  }
}

/** Returns a notice for the question if the command would change production. */
export function productionNotice(
  { operation }: Pick<OperationCommand, 'operation'>,
  connection: () => Connection,
): string {
  const { apiKey = '', url } = operation.credentials === 'apiKey' ? connection() : {}
  return environmentOf(apiKey) === 'production' ? ` This is the production key ${apiKey} at ${url}.` : ''
}

/** `true` is `--save` without a name. */
function saveToProfile(
  { save, profile: used }: Run['options'],
  connection: Connection,
  fields: Partial<Profile>,
): void {
  const { url, headerPrefix } = connection
  const current = used ?? io().env.COMMONHOLD_PROFILE ?? readProfiles().current ?? DEFAULT_PROFILE
  const profile = typeof save === 'string' ? save : current
  saveProfile(profile, { url, ...(headerPrefix === undefined ? {} : { headerPrefix }), ...fields })
  note(`Saved in the profile ${profile} of ${profilesFile()}.`)
}

const NOTHING_EXISTS: Existing = { unchanged: new Set() }
const NOTHING: ReadonlyMap<string, string> = new Map()

const withFields = (result: unknown, fields: object | undefined): unknown =>
  fields === undefined ? result : { ...(result as object | null), ...fields }

/** With `--json` the last line of a list. */
function showWarnings(): void {
  const found = takeWarnings()
  if (found.length > 0) printJsonLine({ warnings: found })
}

/** Returns a result with the field `warnings`, unless it has results by ids, which have no other fields. */
function withWarningsIn(show: Output, result: unknown): unknown {
  const found = show.as === 'items' ? [] : takeWarnings()
  return found.length === 0 ? result : { ...(result as object | null), warnings: found }
}

async function* onePage(data: unknown) {
  yield { data }
}

/** Returns 0 if the operation takes no page size. */
const pageSizeMaxOf = ({ data }: Operation): number => (data as Schema).properties?.pageSize?.maximum ?? 0

function limitOf(given: unknown): number {
  if (given === 'all') return Number.POSITIVE_INFINITY
  if (typeof given !== 'string' || !/^[1-9]\d{0,8}$/.test(given))
    throw wrongUsage(`--limit must be a whole number of at least 1, or all; it is ${JSON.stringify(given)}.`)
  return Number(given)
}

/** Builds the `data` of the call from the arguments and options. */
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
/** Returns the name of a parameter in messages: `--name`, or `<organization>`. */
const nameOf = (parameter: Parameter): string =>
  isArgument(parameter) ? parameter.flags : (new Option(parameter.flags).long ?? parameter.flags)

/** The message of the server about an update that changes nothing. */
const NO_FIELD = 'data must have at least one field'
/** People write the field `type` before the id, as in `document:roadmap`. */
const OF_KIND = / when type is "(document|folder)"$/

/** Returns the error with field names replaced by the names of their options and arguments. */
function withOptionNames({ parameters = [] }: OperationCommand, error: CommonholdError): CommonholdError {
  const renamed = error.faults.map(({ field, message }) => {
    if (message === NO_FIELD) return { field, message: 'At least one option is required.' }
    const parameter = parameters.find(({ at }) => anyItem(at) === anyItem(field))
    if (parameter === undefined) return { field, message }
    return { field, message: message.replaceAll(field, nameOf(parameter)).replace(OF_KIND, ' for a $1') }
  })
  const { operation, status, reason, requestId, retryAfterMs } = error
  const message = renamed[0]?.message ?? error.explanation
  return new CommonholdError({ operation, status, reason, requestId, retryAfterMs, message, details: renamed })
}

const anyItem = (at: string): string => at.replaceAll(/\[\d*\]/g, '[]')
