/**
 * Lists the packages that a bundle contains, and joins their licences in one file, because their authors require copies
 * to include them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A package in the list of what Vite has bundled. */
export interface Bundled {
  name: string
  version: string
  identifier: string
  text?: string
}

/** Returns the packages whose files were bundled, by name. */
export function packagesOf(files: readonly string[]): Bundled[] {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [])
  return sorted([...new Set(folders)].map(described))
}

/** Joins lists of packages: each version of a package is listed once. */
export function sorted(packages: readonly Bundled[]): Bundled[] {
  const byId = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]))
  return [...byId.keys()].sort().flatMap((id) => byId.get(id) ?? [])
}

export const licencesText = (packages: readonly Bundled[]): string =>
  packages
    .map(({ name, version, identifier, text }) =>
      `${name} ${version} (${identifier})\n\n${text ?? 'The package has no text of its licence.'}`.trimEnd(),
    )
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')

/** Returns the packages that a text of licences is about. */
export function packagesIn(text: string): Bundled[] {
  const heads = text.matchAll(/(?:^|\n-{80}\n\n)(\S+) (\S+) \((.*)\)\n/g)
  return [...heads].map(([, name = '', version = '', identifier = '']) => ({ name, version, identifier }))
}

function described(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file === undefined ? {} : { text: readFileSync(path.join(folder, file), 'utf8') }
  return { name, version, identifier: license, ...text }
}
