/**
 * Builds the console in `console/dist`, with compressed copies of each file for the server, and the packages of the
 * client and the web components, which the server offers beside it; `npm ci` runs it. Reports the size of the first
 * load, and fails if it exceeds its limit, or if a component has no styles.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { compileClient } from './client-package.ts'
import { buildComponents } from './comments-package.ts'
import { packInto } from './packages.ts'

const FOLDER = path.join(import.meta.dirname, '../console')
const DIST = path.join(FOLDER, 'dist')
const FIRST_LOAD_KB_MAX = 300

// The console cannot be built without the development packages.
if (isInstalled('vite')) await buildConsole()
else process.stdout.write('console: not built, because vite is not installed\n')

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

async function buildConsole(): Promise<void> {
  const { build } = await import('vite')
  await build({ configFile: path.join(FOLDER, 'vite.config.ts'), logLevel: 'warn' })
  for (const file of globSync('assets/*.{js,css,svg}', { cwd: DIST })) compress(path.join(DIST, file))
  await packInto(path.join(DIST, 'commonhold-client.tgz'), 'sdk', compileClient)
  await packInto(path.join(DIST, 'commonhold-comments.tgz'), 'components', buildComponents)
  const page = readFileSync(path.join(DIST, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  const scripts = sizes(files.filter((file) => file.endsWith('.js')))
  const styles = sizes(files.filter((file) => file.endsWith('.css')))
  const [all] = sizes(globSync('assets/*.js', { cwd: DIST }))
  process.stdout.write(
    `console: first load ${formatted(scripts)} of JavaScript, ${formatted(styles)} of styles; all views ${kb(all)} kB brotli\n`,
  )
  if (scripts[1] + styles[1] > FIRST_LOAD_KB_MAX * 1000)
    throw new Error(`the first load is more than ${FIRST_LOAD_KB_MAX} kB of compressed JavaScript and styles`)
  const missing = missingStyles()
  if (missing.length > 0) throw new Error(`console/src/mantine.css must import ${missing.join(', ')}`)
}

/** Returns the styles of Mantine whose classes the built console names, and which it does not import. */
function missingStyles(): string[] {
  const imported = readFileSync(path.join(FOLDER, 'src/mantine.css'), 'utf8')
  const built = globSync('assets/*.js', { cwd: DIST }).map((file) => readFileSync(path.join(DIST, file), 'utf8'))
  const styles = path.join(FOLDER, '../node_modules/@mantine/core/styles')
  const isNamed = (file: string) =>
    [...readFileSync(path.join(styles, file), 'utf8').matchAll(/\.(m_[0-9a-z]+)/g)].some(([, name = '']) =>
      built.some((code) => code.includes(name)),
    )
  return globSync('!(*.layer).css', { cwd: styles }).filter(
    (file) => !imported.includes(`/${path.basename(file, '.css')}.layer.css"`) && isNamed(file),
  )
}

function compress(file: string): void {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

/** Returns the total size with brotli and with gzip. */
function sizes(files: string[]): [number, number] {
  const sum = (ending: string) =>
    files.reduce((bytes, file) => bytes + readFileSync(path.join(DIST, `${file}.${ending}`)).length, 0)
  return [sum('br'), sum('gz')]
}

function formatted([brotli, gzip]: [number, number]): string {
  return `${kb(brotli)} kB brotli (${kb(gzip)} kB gzip)`
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}
