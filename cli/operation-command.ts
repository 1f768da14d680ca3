/** Commands that call one operation: arguments and options become `data`, and the result is printed. Each is declared as a table entry. */
import { type Command, Option } from 'commander'
import type { Operation } from '#contract/core/operation.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand, type Run } from './command.ts'
import { askFor, type Call, dataOf, declare, fillIn, momentLines, withOptionNames } from './command-parameters.ts'
import { call, pageFieldOf, pagesOf } from './connection/calls.ts'
import { type Connection, DEFAULT_PROFILE } from './connection/connection.ts'
import { environmentOf } from './connection/credentials.ts'
import { type Profile, profilesFile, readProfiles, saveProfile } from './connection/profiles.ts'
import { takeWarnings } from './connection/warnings.ts'
import { wrongUsage } from './failures.ts'
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
import { colouredNote, note, print, readSecret, requireConfirmation } from './terminal/terminal.ts'
import { put, type Schema } from './values.ts'

/** The output of a command about its effect, in place of the success message of the operation. */
export interface Outcome {
  lines: readonly string[]
  /** Facts beside the outcome. */
  more: readonly string[]
  /** The fields that `--json` adds. */
  json: object
}

export interface OperationCommand extends Call {
  /** Noun and verb. */
  name: string
  /** Another verb for the same command. */
  alias?: string
  /** Replaces the summary of the operation. */
  summary?: string
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
    const unchanged = existing.unchanged.size > 0 ? spec.unchangedSays : undefined
    const shown = json ? withWarningsIn(show, show.as === 'items' ? result : withFields(result, outcome?.json)) : result
    const exit = showResult(show, shown, outcome?.lines ?? [unchanged ?? operation.success], {
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

/** Shows the warnings of the call; with `--json` they are the last line of a list. */
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
