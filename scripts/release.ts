/**
 * Builds everything that is published, in `dist/` or the given folder: packages for npm, the chart, the sources of the
 * image, a bill of materials, and checksums. They are built from a copy of the files that git tracks, so they do not
 * depend on other files of the checkout; two runs give the same bytes. `--repository URL` is written into the packages,
 * as their provenance requires.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { npm, pack } from './packages.ts'
import { packChart, packImageContext } from './release/archives.ts'
import { packagesIn } from './release/licences.ts'
import { billOfMaterials } from './release/sbom.ts'
import { ROOT } from './root.ts'

/** The part of `@cyclonedx/cyclonedx-library` that this script uses; the checkout does not have the package. */
interface Library {
  Spec: { Version: Record<string, string> }
  Validation: { JsonStrictValidator: new (version: string) => { validate(text: string): Promise<object[] | null> } }
}

/** Throws if the bill has a fault. `tools` is the folder in which the validator is installed. */
async function checkBom(tools: string, bom: string): Promise<void> {
  const load = createRequire(path.join(tools, 'package.json'))
  const { Spec, Validation } = load('@cyclonedx/cyclonedx-library') as Library
  const { specVersion } = JSON.parse(bom) as { specVersion: string }
  const version = Object.values(Spec.Version).find((known) => known === specVersion)
  if (version === undefined) throw new Error(`the validator does not know CycloneDX ${specVersion}`)
  const faults = await new Validation.JsonStrictValidator(version).validate(bom)
  if (faults !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(faults.slice(0, 5))}`)
}

/** The tools that check the packages have a lock file of their own and are installed elsewhere, because nothing else needs them. */
const TOOLS = path.join(ROOT, 'scripts/release/tools')
const INSTALLED_TOOLS = path.join(ROOT, 'node_modules/.cache/commonhold/release-tools')
const { values, positionals } = parseArgs({ options: { repository: { type: 'string' } }, allowPositionals: true })
const DIST = path.resolve(positionals[0] ?? path.join(ROOT, 'dist'))
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

/** Runs a program whose output matters only if it fails. */
function run(cwd: string, program: string, ...args: string[]): string {
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' }
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

const step = (name: string) => process.stderr.write(`${name} …\n`)

/** Copies the files that git tracks into a new folder, with the installed packages beside them. */
function checkOut(files: readonly string[]): string {
  // npm uses the name of the folder as the name of the project.
  const checkout = path.join(mkdtempSync(path.join(os.tmpdir(), 'commonhold-release-')), 'commonhold')
  for (const file of files) cpSync(path.join(ROOT, file), path.join(checkout, file))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'))
  return checkout
}

/** Writes the address of the repository into the packages. */
function nameRepository(checkout: string, url: string): void {
  for (const folder of ['.', 'sdk', 'components']) {
    const file = path.join(checkout, folder, 'package.json')
    const repository = { type: 'git', url, ...(folder === '.' ? {} : { directory: folder }) }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), repository }, null, 2))
  }
}

/** The package of the command line has no modules for other programs. */
const isProgram = (file: string): boolean => path.basename(file) === `commonhold-${version}.tgz`

function installTools(): void {
  cpSync(TOOLS, INSTALLED_TOOLS, { recursive: true })
  const [program, ...args] = npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent')
  run(INSTALLED_TOOLS, program, ...args)
}

/** Fails if the packages have types that programs cannot use, or fields that tools interpret differently. */
function checkPackages(files: readonly string[]): void {
  const check = (name: string, ...options: string[]) =>
    run(INSTALLED_TOOLS, path.join(INSTALLED_TOOLS, 'node_modules/.bin', name), ...options)
  for (const file of files) check('publint', '--strict', file)
  for (const file of files.filter((file) => !isProgram(file))) check('attw', '--profile', 'esm-only', file)
}

const isTracked = run(ROOT, 'git', 'ls-files', '-z').split('\0').filter(Boolean)
rmSync(DIST, { recursive: true, force: true })
for (const folder of ['npm', 'chart', 'image']) mkdirSync(path.join(DIST, folder), { recursive: true })
const checkout = checkOut(isTracked)
try {
  if (values.repository !== undefined) nameRepository(checkout, values.repository)
  step('the console, the client and the components')
  run(checkout, process.execPath, 'scripts/build-console.ts')
  step('the site')
  run(checkout, process.execPath, 'scripts/build-site.ts')
  step('the command line and the server')
  run(checkout, process.execPath, 'scripts/build-cli.ts')
  const packages = ['commonhold', 'commonhold-client', 'commonhold-comments'].map((name) =>
    path.join(DIST, 'npm', `${name}-${version}.tgz`),
  )
  const [commonhold = '', client = '', comments = ''] = packages
  pack(path.join(checkout, 'cli/dist'), commonhold)
  copyFileSync(path.join(checkout, 'console/dist/commonhold-client.tgz'), client)
  copyFileSync(path.join(checkout, 'console/dist/commonhold-comments.tgz'), comments)
  step('the chart, the image, the bill of materials')
  packChart(path.join(DIST, 'chart', `commonhold-chart-${version}.tgz`), checkout, isTracked)
  packImageContext(path.join(DIST, 'image', `commonhold-image-${version}.tgz`), checkout, isTracked, version)
  const licences = [
    readFileSync(path.join(checkout, 'cli/dist/LICENSES.txt'), 'utf8'),
    run(DIST, 'tar', '-xzOf', comments, 'package/dist/LICENSES.txt'),
  ]
  const contained = licences.flatMap(packagesIn)
  const bom = billOfMaterials(checkout, contained)
  writeFileSync(path.join(DIST, `commonhold-${version}.cdx.json`), bom)
  step('checks of the packages and the bill of materials')
  installTools()
  checkPackages(packages)
  await checkBom(INSTALLED_TOOLS, bom)
} finally {
  rmSync(path.dirname(checkout), { recursive: true, force: true })
}

const made = globSync('**/*.{tgz,json}', { cwd: DIST }).sort()
const hashOf = (file: string) =>
  createHash('sha256')
    .update(readFileSync(path.join(DIST, file)))
    .digest('hex')
writeFileSync(path.join(DIST, 'SHA256SUMS'), made.map((file) => `${hashOf(file)}  ${file}\n`).join(''))
const width = Math.max(...made.map((file) => file.length))
for (const file of made) {
  const kilobytes = (statSync(path.join(DIST, file)).size / 1000).toFixed(1)
  process.stdout.write(`${file.padEnd(width)}  ${kilobytes.padStart(9)} kB  ${hashOf(file).slice(0, 12)}\n`)
}
