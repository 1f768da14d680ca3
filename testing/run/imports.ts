/**
 * Resolves imports of files of the repository without vitest, which would report each import to the process that starts
 * the run, for a watch mode that is not used. Each worker imports a thousand files.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../scripts/root.ts'

const HERE = pathToFileURL(`${ROOT}/`)
const { imports } = JSON.parse(readFileSync(new URL('package.json', HERE), 'utf8')) as {
  imports: Record<string, string>
}
/** `#contract/` and the folder it stands for. */
const folders = Object.entries(imports).flatMap(([name, place]): [string, string][] =>
  name.endsWith('/*') ? [[name.slice(0, -1), place.slice(0, -1)]] : [],
)

function addressOf(specifier: string, importer: string): string | undefined {
  if (!specifier.endsWith('.ts')) return undefined
  if (specifier.startsWith('./') || specifier.startsWith('../')) return new URL(specifier, importer).href
  const [name = '', folder] = folders.find(([name]) => specifier.startsWith(name)) ?? []
  return folder === undefined ? undefined : new URL(folder + specifier.slice(name.length), HERE).href
}

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    // Packages have meanings of their own for such names.
    const isOurs = parentURL?.startsWith(HERE.href) === true && !parentURL.includes('/node_modules/')
    const url = isOurs ? addressOf(specifier, parentURL) : undefined
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
})
