/** `call`: calls any operation of the contract by name. */
import { Argument, type Command } from 'commander'
import { closest, distance } from 'fastest-levenshtein'
import type { Operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addCommand, type Run } from '../../command.ts'
import { call, pageFieldOf, pagesOf } from '../../connection/calls.ts'
import { wrongUsage } from '../../failures.ts'
import { printJson, printJsonLine } from '../../terminal/output.ts'
import { column, tableLines } from '../../terminal/table.ts'
import { coloured, print } from '../../terminal/terminal.ts'
import { readStdin, readText } from '../../text-files.ts'
import { json, type Schema } from '../../values.ts'

const NAMES = OPERATIONS.map(({ name }) => name)

export function addCall(program: Command): void {
  const operation = new Argument('[operation]', 'The name, such as permissions.add. Absent: list all operations.')
  // For completion only: `operationNamed` has a better message for an unknown name.
  operation.argChoices = NAMES
  addCommand(program, 'call', {
    summary: 'Call any operation of the API by its name.',
    description: 'Writes the data of the result as JSON. --describe shows the input and the result of an operation.',
    examples: [
      'commonhold call',
      'commonhold call permissions.add --describe',
      `commonhold call organizations.add '{"organizations": [{"organizationId": "acme"}]}'`,
      'commonhold call users.add @users.json',
      'commonhold call users.get @query.json --pages | jq -c .data[]',
      'jq -n … | commonhold call permissions.check -',
    ],
    async run({ words: [name, body], options, connection }) {
      const isJson = options.json === true
      if (typeof name !== 'string') list(isJson)
      else if (options.describe === true) (isJson ? printDescription : describe)(operationNamed(name))
      else await callNamed(operationNamed(name), body, options.pages === true, connection)
    },
  })
    .addArgument(operation)
    .argument('[data]', 'JSON; @file; or - for standard input. Absent: {}.')
    .option('--pages', 'Write all pages, one per line: { data, nextPageToken }.')
    .option('--describe', 'Show the input and the result of the operation, with an example.')
}

async function callNamed(operation: Operation, body: unknown, pages: boolean, connection: Run['connection']) {
  const data = await readData(typeof body === 'string' ? body : '{}')
  if (!pages) {
    printJson(await call(connection(), operation, data))
    return
  }
  if (pageFieldOf(operation) === undefined) throw wrongUsage(`${operation.name} has no pages.`, 'Omit --pages.')
  for await (const page of pagesOf(connection(), operation, data)) printJsonLine(page)
}

function operationNamed(name: string): Operation {
  const found = OPERATIONS.find((operation) => operation.name === name)
  if (found !== undefined) return found
  const suggestion = closest(name, NAMES)
  const isSimilar = distance(name, suggestion) <= Math.max(2, name.length / 3)
  throw wrongUsage(
    `There is no operation ${JSON.stringify(name)}.${isSimilar ? ` Did you mean ${suggestion}?` : ''}`,
    'To list all operations: commonhold call',
  )
}

function list(isJson: boolean): void {
  const columns = [column('OPERATION', 'name'), column('NEEDS', 'needs'), column('', 'summary')]
  const rows = OPERATIONS.map(({ name, credentials, scope, summary }) => ({
    name,
    needs: scope ?? credentials,
    summary,
  }))
  if (isJson) rows.forEach(printJsonLine)
  else for (const line of tableLines(columns, rows)) print(line)
}

/** The input and the result are JSON schemas. */
function printDescription({
  name,
  path,
  credentials,
  scope,
  description,
  reasons = [],
  ...operation
}: Operation): void {
  const { data, result, example } = operation
  printJson({ name, path, credentials, scope, description, data, result, reasons, example })
}

function describe({
  name,
  path,
  credentials,
  scope,
  description,
  data,
  result,
  example,
  reasons = [],
}: Operation): void {
  print(`${coloured('bold', name)}  POST ${path}  ${credentials}${scope === undefined ? '' : `, scope ${scope}`}\n`)
  print(`${description}\n`)
  for (const [title, schema] of [
    ['data', data],
    ['result', result],
  ] as const) {
    print(coloured('bold', title))
    for (const line of schema === undefined ? ['  nothing'] : fieldLines(schema as Schema)) print(line)
    print('')
  }
  if (reasons.length > 0) print(`${coloured('bold', 'reasons')}\n  ${reasons.join(', ')}\n`)
  print(`${coloured('bold', 'example')}\n  commonhold call ${name} '${JSON.stringify(example)}'`)
}

/** Returns a line for each field with its type; `*` marks required fields. */
function fieldLines(schema: Schema, indent = '  '): string[] {
  const { properties, items, required = [] } = schema
  if (items !== undefined) return [`${indent}list of:`, ...fieldLines(items, `${indent}  `)]
  if (properties === undefined) return [`${indent}${typeOf(schema)}`]
  return Object.entries(properties).flatMap(([name, field]) => [
    `${indent}${name}${required.includes(name) ? '*' : ''}  ${coloured('dim', [typeOf(field), field.description].filter(Boolean).join('. '))}`,
    ...(field.properties !== undefined || field.items?.properties !== undefined
      ? fieldLines(field.items ?? field, `${indent}  `)
      : []),
  ])
}

function typeOf({ type, enum: values, anyOf, items }: Schema): string {
  if (values !== undefined) return values.length > 12 ? 'text' : values.join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  return type ?? 'any'
}

async function readData(body: string): Promise<object> {
  const text = body === '-' ? await readStdin() : body.startsWith('@') ? readText(body.slice(1)) : body
  const data = json(text, body === '-' ? 'standard input' : body.startsWith('@') ? body : 'the data')
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw wrongUsage('The data must be a JSON object.', 'To see its fields: commonhold call OPERATION --describe')
  return data
}
