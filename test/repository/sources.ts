/** The files of the repository, as the tests of its rules read them. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../scripts/root.ts'

export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

/** Returns the paths that match, as seen from the root, sorted; packages and what is built are left out. */
export const files = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (file) => /^(?:dist|node_modules)$/.test(path.basename(file)) })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

export const isTest = (file: string): boolean => file.endsWith('.test.ts')

/** The server and the contract, without their tests. */
export const SOURCES = files('{contract,server}/**/*.ts').filter((file) => !isTest(file))

/** Returns the anchor of each heading, as sites that render Markdown create it. */
export const anchorsOf = (page: string): string[] =>
  [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)/g, '')
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
