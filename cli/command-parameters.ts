/** The arguments and options of a command that calls one operation: each sets a field of `data`, and has its name in messages. */
import { Argument, type Command, Option } from 'commander'
import type { Operation } from '#contract/core/operation.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { Run } from './command.ts'
import type { Connection } from './connection/connection.ts'
import { wrongUsage } from './failures.ts'
import { valueAt } from './terminal/table.ts'
import { canAsk, choose, note, type Question } from './terminal/terminal.ts'
import { fromNow, inUtc, momentRead } from './times.ts'
import { put, type Reader, readerOf, type Schema, schemaAt } from './values.ts'

/** An argument (`<organization>`, `<user...>`) or an option (`--name <name>`), and the field of `data` that it sets. */
export interface Parameter {
  flags: string
  /** The path of the field: `organizations[0].organizationName`; `[]` means every item of the list. Empty: several fields of `data`. */
  at: string
  /** Replaces the description of the field in the contract. */
  help?: string
  /** Replaces the reader for the schema of the field. */
  read?: Reader
  /** Whether it can be absent although `data` requires the field, because another parameter can set it. */
  isOptional?: boolean
  /** Returns the value where the argument is absent, from the connection. */
  inUse?: (connection: Connection) => string | undefined
  /** Whether people are asked for the option when it is absent: it has a default, but a decision is better. */
  ask?: Question
}

interface WithParameters {
  parameters?: readonly Parameter[]
}

/** The parts of a call. */
export interface Call extends WithParameters {
  operation: Operation
  /** Fields of `data` that are always set. */
  fixed?: Readonly<Record<string, unknown>>
}

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
const isRequired = ({ data }: Operation, { at, isOptional = false }: Parameter): boolean =>
  !isOptional && ((data as Schema).required ?? []).includes(at)

const firstSentence = ({ description = '' }: Schema): string =>
  /^.*?[.;](?=\s|$)/s.exec(description)?.[0].replace(/;$/, '.') ?? description

/** Builds the `data` of the call from the arguments and options. */
export function dataOf(
  { operation, parameters = [], fixed = {} }: Call,
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
    if (parameter.isOptional) refuseContradiction(name, valueAt(data, parameter.at), value)
    put(data, parameter.at, value)
  }
  return data
}

/** Refuses a value that differs from the one that another parameter has set: `organization:acme --org other`. */
function refuseContradiction(name: string, previous: unknown, value: unknown): void {
  if (previous === undefined || previous === value) return
  throw wrongUsage(
    `${name} is ${JSON.stringify(value)}, but the resource is in ${JSON.stringify(previous)}.`,
    `Omit ${name}, or give the same in both places.`,
  )
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
export function withOptionNames({ parameters = [] }: WithParameters, error: CommonholdError): CommonholdError {
  const optionOf = new Map(parameters.map((parameter) => [parameter.at, nameOf(parameter)]))
  const renamed = error.faults.map(({ field, message }) => {
    if (message === NO_FIELD) return { field, message: 'At least one option is required.' }
    const parameter = parameters.find(({ at }) => anyItem(at) === anyItem(field))
    if (parameter === undefined) return { field, message }
    const named = message.replaceAll(field, nameOf(parameter)).replace(OF_KIND, ' for a $1')
    return { field, message: named.replace(FIELD_NAME, (name) => optionOf.get(name) ?? name) }
  })
  const { operation, status, reason, requestId, retryAfterMs } = error
  const message = renamed[0]?.message ?? error.explanation
  return new CommonholdError({ operation, status, reason, requestId, retryAfterMs, message, details: renamed })
}

/** A name in the contract, which no English word looks like: `inheritFromParent`. */
const FIELD_NAME = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g

const anyItem = (at: string): string => at.replaceAll(/\[\d*\]/g, '[]')

/** Returns how each time was understood, because it may have been written as a span, a date or seconds: `Expires …Z, in 30 days.` */
export function momentLines({ parameters = [] }: WithParameters, data: Readonly<Record<string, unknown>>): string[] {
  return parameters.flatMap((parameter) => {
    const value = valueAt(data, parameter.at.replaceAll('[]', '.0'))
    const moment = value === undefined ? undefined : momentRead(parameter.read, value)
    if (moment === undefined) return []
    const [initial = '', ...rest] = nameOf(parameter).replace(/^--/, '')
    return [`  ${initial.toUpperCase()}${rest.join('')} ${inUtc(moment)}, ${fromNow(moment)}.`]
  })
}

/** Sets the absent fields that the connection knows, such as the API key of the profile. */
export function fillIn(
  { parameters = [] }: WithParameters,
  data: Record<string, unknown>,
  connection: Run['connection'],
): void {
  for (const parameter of parameters) {
    const { at, inUse } = parameter
    if (inUse === undefined || data[at] !== undefined) continue
    const value = inUse(connection())
    if (value === undefined)
      throw wrongUsage(
        `${nameOf(parameter)} is missing, and the profile has none.`,
        'To list the API keys: commonhold key list',
      )
    data[at] = value
  }
}

/** Asks for the options that are absent; without a terminal, says what their defaults mean. */
export async function askFor(
  { parameters = [] }: WithParameters,
  data: Record<string, unknown>,
  isSaid: boolean,
): Promise<void> {
  for (const { at, ask } of parameters) {
    if (ask === undefined || valueAt(data, at.replaceAll('[]', '.0').replaceAll(/\[(\d+)\]/g, '.$1')) !== undefined)
      continue
    if (canAsk()) put(data, at, await choose(ask))
    else if (isSaid) note(ask.otherwise)
  }
}
