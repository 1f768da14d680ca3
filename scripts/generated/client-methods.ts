/** Declares the methods of the client: parameters, results, and the comments that editors show. */
import { needsNoData, type Operation, takesIdempotencyKey } from '#contract/core/operation.ts'
import { docComment, literal, type Schema, type TypeWriter } from './typescript.ts'

const propertiesOf = ({ data }: Operation): Record<string, Schema> => (data as Schema).properties ?? {}

/** Returns the field of `data` that takes the position of the next page. */
export const pageFieldOf = (operation: Operation): 'pageToken' | 'iterator' | undefined =>
  (['pageToken', 'iterator'] as const).find((field) => field in propertiesOf(operation))

const isOutcome = ({ properties = {} }: Schema): boolean => 'success' in properties && 'message' in properties

/** Returns whether the result has an outcome for each item, by its id or in a list. */
export function hasItems({ result }: Operation): boolean {
  const { patternProperties = {}, items } = (result ?? {}) as Schema
  return [...Object.values(patternProperties), ...(items?.anyOf ?? [])].some(isOutcome)
}

/** A signature: the types of `data`, of `options` and of the result. */
interface Signature {
  data: string
  options: string
  returns: string
}

/** Returns the declaration of a method, with its comment. */
export function declarationOf(name: string, operation: Operation, typeName: string, writer: TypeWriter): string {
  const signatures = signaturesOf(operation, typeName, writer).map(({ data, options, returns }) => {
    const isLoose = !options.includes('&')
    const mark = isLoose && needsNoData(operation) ? '?' : ''
    return { parameters: `(data${mark}: ${data}, options${isLoose ? '?' : ''}: ${options})`, returns }
  })
  const comment = commentOf(name, operation)
  const verb = name.split('.')[1]
  const each = (write: (signature: { parameters: string; returns: string }) => string) => signatures.map(write).join('')
  if (pageFieldOf(operation) === undefined)
    return comment + each(({ parameters, returns }) => `    ${verb}${parameters}: Promise<${returns}>\n`)
  return `${comment}    readonly ${verb}: {
${each(({ parameters, returns }) => `      ${parameters}: Promise<${returns}>\n`)}      /** Yields all pages, for \`for await\`. */
${each(({ parameters, returns }) => `      pages${parameters}: AsyncGenerator<Page<${returns}>, void, undefined>\n`)}    }
`
}

/** Returns one signature for each form of the result. The last one accepts every `data`. */
function signaturesOf(operation: Operation, typeName: string, writer: TypeWriter): Signature[] {
  const { result, resultBy } = operation
  const options = takesIdempotencyKey(operation) ? 'KeyedCallOptions' : 'CallOptions'
  const data = `${typeName}Data`
  const any: Signature = { data, options, returns: result === undefined ? 'void' : `${typeName}Result` }
  if (resultBy === undefined) return [any]
  const { items, anyOf = [] } = result as Schema
  if (items === undefined) {
    const [first = '', second = ''] = anyOf.map(writer.resultType)
    return [
      { data: `${data} & { ${resultBy}?: false | undefined }`, options, returns: first },
      { data: `${data} & { ${resultBy}: true }`, options, returns: second },
      any,
    ]
  }
  const found = writer.resultType({ ...result, items: items.anyOf?.[0] } as Schema)
  return [
    { data: `${data} & { ${resultBy}?: undefined }`, options, returns: found },
    { data, options: `${options} & { throwOnItemFailure: true }`, returns: found },
    any,
  ]
}

function commentOf(name: string, { summary, description, scope, reasons = [], example }: Operation): string {
  const argument = Object.keys(example as object).length === 0 ? '' : literal(example)
  return docComment(
    [
      `**${summary}.** ${description}`,
      ...(scope === undefined ? [] : ['', `Needs the scope \`${scope}\`.`]),
      ...(reasons.length === 0
        ? []
        : ['', `Reasons in addition to those of every call: ${reasons.map((reason) => `\`${reason}\``).join(', ')}.`]),
    ].join('\n'),
    '    ',
    `await client.${name}(${argument})`,
  )
}
