/**
 * Plain TypeScript types from the schemas of the contract: what an editor shows to somebody who has the client and
 * not the contract.
 */
import { inspect } from 'node:util'

/** What of JSON Schema the contract uses, as far as it says something about types. */
export interface Schema {
  type?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  minItems?: number
  minProperties?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean
  /** On objects whose metadata must not look like protection. */
  accessAdvice?: object
  patternProperties?: Record<string, Schema>
  $defs?: Record<string, Schema>
  $ref?: string
}

const COLUMNS = 120

const textOf = (schema: Schema): string => JSON.stringify(schema)

/** A comment for editors, in lines that fit; an example stays as it is. */
export function docComment(text: string, indent = '', example = ''): string {
  const lines = text.split('\n').flatMap((line) => wrapped(line, COLUMNS - indent.length - 3))
  if (example !== '') lines.push('@example', ...example.split('\n'))
  if (lines.length === 1 && `${indent}/** ${lines[0]} */`.length <= COLUMNS) return `${indent}/** ${lines[0]} */\n`
  const body = lines.map((line) => `${indent} * ${line.replaceAll('*/', '* /')}`.trimEnd())
  return [`${indent}/**`, ...body, `${indent} */\n`].join('\n')
}

function wrapped(line: string, columns: number): string[] {
  const lines: string[] = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

/** An example as somebody would write it. */
export const literal = (value: unknown): string => inspect(value, { depth: null, compact: 3, breakLength: 100 })

const number = (value: number): string => value.toLocaleString('en')

/** What a schema says in words: its description, its bounds and its default. */
function wordsOf(schema: Schema): string {
  const { description = '', minimum, maximum, minItems = 0, maxItems } = schema
  return [
    description,
    ...(maxItems === undefined ? [] : [`${number(minItems)} to ${number(maxItems)} items.`]),
    ...(minimum === undefined || maximum === undefined ? [] : [`${number(minimum)} to ${number(maximum)}.`]),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`]),
  ]
    .filter((words) => words !== '')
    .join(' ')
}

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
export const constant = (value: unknown): string => (typeof value === 'string' ? quoted(value) : String(value))

export type TypeWriter = ReturnType<typeof createTypeWriter>

/** Writes types. `named` are the schemas that have a name, which is written wherever one of the same shape occurs. */
export function createTypeWriter(named: ReadonlyMap<string, Schema>) {
  const nameOf = new Map([...named].map(([name, schema]) => [textOf(schema), name]))
  /** Those that were mentioned, in order, and whether by something that callers send. */
  const mentioned = new Map<string, boolean>()

  function mention(name: string, isSent: boolean): string {
    mentioned.set(name, isSent || mentioned.get(name) === true)
    return name
  }

  /** The type of a schema; `isSent`: of what callers send, where lists need not be theirs to change. */
  function typeOf(schema: Schema, isSent: boolean, indent: string): string {
    const name = nameOf.get(textOf(schema))
    return name === undefined ? shapeOf(schema, isSent, indent) : mention(name, isSent)
  }

  function shapeOf(schema: Schema, isSent: boolean, indent: string): string {
    if (schema.$ref !== undefined) return mention(schema.$ref, isSent)
    if ('const' in schema) return constant(schema.const)
    if (schema.enum !== undefined) return unionOf(schema.enum.map(constant), indent)
    if (schema.anyOf !== undefined)
      return unionOf(
        schema.anyOf.map((one) => typeOf(one, isSent, indent)),
        indent,
      )
    if (schema.type === 'array') {
      const item = typeOf(schema.items ?? {}, isSent, indent)
      return `${isSent ? 'readonly ' : ''}${/^[\w.]+$|^\{[^|]*\}$/s.test(item) ? item : `(${item})`}[]`
    }
    if (schema.type === 'object') return objectOf(schema, isSent, indent)
    if (schema.type === 'integer') return 'number'
    return schema.type ?? 'unknown'
  }

  function unionOf(members: readonly string[], indent: string): string {
    const inLine = [...new Set(members)].join(' | ')
    return inLine.length + indent.length < COLUMNS - 30
      ? inLine
      : members.map((one) => `\n${indent}  | ${one}`).join('')
  }

  function objectOf(schema: Schema, isSent: boolean, indent: string): string {
    const properties = Object.entries(schema.properties ?? {})
    const [values] = Object.values(schema.patternProperties ?? {})
    if (values !== undefined) return `Record<string, ${typeOf(values, isSent, indent)}>`
    const isOpen = schema.additionalProperties === true
    if (properties.length === 0) return isOpen ? 'Record<string, unknown>' : 'Record<string, never>'
    return `{\n${membersOf(schema, isSent, `${indent}  `)}${indent}}`
  }

  function membersOf(schema: Schema, isSent: boolean, indent: string): string {
    const members = Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const words = wordsOf(property)
      const mark = schema.required?.includes(name) ? '' : '?'
      const comment = words === '' ? '' : docComment(words, indent)
      const type = typeOf(property, isSent, indent)
      const isList = type.startsWith('\n')
      // Callers pass on what may be undefined, also those whose compiler tells that from absent.
      const absent =
        !isSent || mark === '' || type === 'unknown' ? '' : isList ? `\n${indent}  | undefined` : ' | undefined'
      return `${comment}${indent}${isName(name) ? name : quoted(name)}${mark}:${isList ? '' : ' '}${type}${absent}\n`
    })
    return members.join('') + (schema.additionalProperties === true ? ownFieldsOf(schema, isSent, indent) : '')
  }

  /**
   * The fields of the caller's own. An index signature refuses texts under names that suggest access, and suggests no
   * names itself.
   */
  function ownFieldsOf({ properties = {}, accessAdvice }: Schema, isSent: boolean, indent: string): string {
    const own = `${docComment('Fields of your own.', indent)}${indent}[field: string]: unknown\n`
    if (!isSent || accessAdvice === undefined) return own
    const fields = Object.keys(properties).filter((name) => name.startsWith('access'))
    const except = fields.length === 0 ? '' : `<${fields.map(quoted).join(' | ')}>`
    return `${own}${indent}[field: AccessName${except}]: MetadataSetsNoAccess\n`
  }

  /** A named type. */
  function declare(name: string, schema: Schema, isSent: boolean, comment: string): string {
    const definition = schema.$defs?.[name] ?? schema
    const head = comment === '' ? '' : docComment(comment)
    const isInterface = definition.type === 'object' && Object.keys(definition.properties ?? {}).length > 0
    const same = nameOf.get(textOf(schema))
    if (same !== undefined && same !== name) return `${head}export type ${name} = ${mention(same, isSent)}\n`
    return isInterface
      ? `${head}export interface ${name} {\n${membersOf(definition, isSent, '  ')}}\n`
      : `${head}export type ${name} = ${shapeOf(definition, isSent, '')}\n`.replace('= \n', '=\n')
  }

  return {
    declare,
    /** Returns the type of a result, or of a part of one. */
    resultType: (schema: Schema): string => typeOf(schema, false, ''),
    /** Every named type that was mentioned, and those that they mention in turn. */
    declareMentioned(): string[] {
      const texts = new Map<string, string>()
      for (let before = -1; before < texts.size; ) {
        before = texts.size
        for (const [name, isSent] of [...mentioned])
          if (!texts.has(name))
            texts.set(name, declare(name, named.get(name) ?? {}, isSent, wordsOf(named.get(name) ?? {})))
      }
      return [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)
    },
  }
}
