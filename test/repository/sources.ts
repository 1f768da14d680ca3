/** Reads the files of the repository for the tests of its rules. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../scripts/root.ts'

export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

/** Returns the matching paths, relative to the root and sorted, without packages and built files. */
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
